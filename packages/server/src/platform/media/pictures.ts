import { createSlots } from "./ffmpeg.ts";

/** Longest side of a small picture. */
const THUMBNAIL_PX = 640;
const TIME_LIMIT_SECONDS = 20;
/** Some pictures must be completely in memory while they are decoded. */
const slots = createSlots(2);

/** The picture is invalid, or too large to decode. */
export class UnreadablePicture extends Error {
  constructor(cause: unknown) {
    super("the picture cannot be read", { cause });
    this.name = "UnreadablePicture";
  }
}

export type Picture = {
  /** After rotation by the EXIF data. */
  width: number;
  height: number;
  /** At most 640 px, without metadata. */
  thumbnail: Thumbnail;
};
export type Thumbnail = { content: Uint8Array; mime: "image/webp"; extension: "webp" };

let loaded: ReturnType<typeof loadSharp> | undefined;

/** Loaded with the first picture: the decoder takes 27 MB. */
async function loadSharp() {
  const { default: sharp } = await import("sharp");
  // A picture is decoded once: caches and threads would only cost memory.
  sharp.cache(false);
  sharp.concurrency(1);
  // The content chooses its decoder, and decoders of rare formats tend to have vulnerabilities.
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({
    operation: ["Jpeg", "Png", "Webp", "Nsgif"].map((format) => `VipsForeignLoad${format}`),
  });
  return sharp;
}

/** Decodes a JPEG, PNG, WebP or GIF (its first picture). Throws UnreadablePicture. */
export async function readPicture(
  source: string | Uint8Array,
  maxPixels: number,
): Promise<Picture> {
  const sharp = await (loaded ??= loadSharp());
  const giveBack = await slots.take();
  try {
    const image = sharp(source, {
      failOn: "error",
      limitInputPixels: maxPixels,
      sequentialRead: true,
    });
    const { autoOrient } = await image.metadata();
    const content = await image
      .autoOrient()
      .resize({
        width: THUMBNAIL_PX,
        height: THUMBNAIL_PX,
        fit: "inside",
        withoutEnlargement: true,
      })
      .webp({ quality: 78 })
      .timeout({ seconds: TIME_LIMIT_SECONDS })
      .toBuffer();
    return { ...autoOrient, thumbnail: { content, mime: "image/webp", extension: "webp" } };
  } catch (error) {
    throw new UnreadablePicture(error);
  } finally {
    giveBack();
  }
}

/** The part of an icon's side that its picture fills: phones cut icons to circles. */
const ICON_PART = 0.72;

/** A square PNG on white, as phones want their icons. Throws UnreadablePicture. */
export async function toIcon(source: Uint8Array, px: number): Promise<Buffer> {
  const sharp = await (loaded ??= loadSharp());
  const giveBack = await slots.take();
  const inner = Math.round(px * ICON_PART);
  const rim = Math.floor((px - inner) / 2);
  const background = { r: 255, g: 255, b: 255, alpha: 1 };
  try {
    return await sharp(source, { failOn: "error", limitInputPixels: 40_000_000 })
      .autoOrient()
      .resize({ width: inner, height: inner, fit: "contain", background })
      .extend({
        top: rim,
        left: rim,
        bottom: px - inner - rim,
        right: px - inner - rim,
        background,
      })
      .flatten({ background })
      .png()
      .timeout({ seconds: TIME_LIMIT_SECONDS })
      .toBuffer();
  } catch (error) {
    throw new UnreadablePicture(error);
  } finally {
    giveBack();
  }
}

/** The blurred preview that phones show until they have fetched the picture. */
const PREVIEW_PX = 72;

/** A tiny JPEG of a small picture. Throws UnreadablePicture. */
export async function toPreview(source: Uint8Array): Promise<Uint8Array> {
  const sharp = await (loaded ??= loadSharp());
  const giveBack = await slots.take();
  try {
    const image = sharp(source, { limitInputPixels: THUMBNAIL_PX * THUMBNAIL_PX });
    return await image
      .resize({ width: PREVIEW_PX, height: PREVIEW_PX, fit: "inside", withoutEnlargement: true })
      .flatten({ background: "#fff" })
      .jpeg({ quality: 50 })
      .timeout({ seconds: TIME_LIMIT_SECONDS })
      .toBuffer();
  } catch (error) {
    throw new UnreadablePicture(error);
  } finally {
    giveBack();
  }
}
