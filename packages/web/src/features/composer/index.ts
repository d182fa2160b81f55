export { Composer } from "./composer.tsx";
export { LazyEmojiPicker } from "./composer-tools.tsx";
