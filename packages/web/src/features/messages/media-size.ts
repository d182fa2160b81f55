import type { Media } from "@balcao/contract";

export type SizePx = Readonly<{ widthPx: number; heightPx: number }>;

/** A picture in a bubble is at most that large (ui.md section 3, bubbles). */
const PICTURE_MAX: SizePx = { widthPx: 268, heightPx: 320 };
/** Smaller ones are shown on a ground of this size, so that there is room for a finger. */
const PICTURE_MIN: SizePx = { widthPx: 120, heightPx: 72 };
/** Where the file does not say how large it is. */
const PICTURE_UNKNOWN: SizePx = { widthPx: 268, heightPx: 201 };
const STICKER_PX = 144;

/** The room that a picture, video or sticker takes; known before anything of it is loaded. */
export function pictureSize(media: Pick<Media, "kind" | "width" | "height">): SizePx {
  const { kind, width, height } = media;
  const max = kind === "sticker" ? { widthPx: STICKER_PX, heightPx: STICKER_PX } : PICTURE_MAX;
  if (width === null || height === null || width <= 0 || height <= 0) {
    return kind === "sticker" ? max : PICTURE_UNKNOWN;
  }
  const scale = Math.min(1, max.widthPx / width, max.heightPx / height);
  const min = kind === "sticker" ? { widthPx: 0, heightPx: 0 } : PICTURE_MIN;
  return {
    widthPx: Math.round(Math.max(min.widthPx, width * scale)),
    heightPx: Math.round(Math.max(min.heightPx, height * scale)),
  };
}
