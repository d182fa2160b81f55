export { Composer } from "./composer.tsx";
export { LazyEmojiPicker } from "./lazy-emoji-picker.ts";
