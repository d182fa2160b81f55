import { lazyPart } from "../../ui/lazy-part.tsx";

/** The emoji picker for other features; it is fetched when it is first shown. */
export const LazyEmojiPicker = lazyPart(
  async () => (await import("./emoji-picker.tsx")).EmojiPicker,
);
