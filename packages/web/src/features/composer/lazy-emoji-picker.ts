import { lazy } from "react";

/** The emoji picker for other features; it is fetched when it is first shown. */
export const LazyEmojiPicker = lazy(async () => ({
  default: (await import("./emoji-picker.tsx")).EmojiPicker,
}));
