import { createSlots } from "./slots.ts";

/** Longest side of a small picture. */
const THUMBNAIL_PX = 640;
const TIME_LIMIT_SECONDS = 20;
/** Some pictures have to be in memory as a whole while they are decoded. */
const slots = createSlots(2);

/** The picture's content is not what it should be, or more than may be decoded. */
export class UnreadablePicture extends Error {
  constructor(cause: unknown) {
    super("the picture cannot be read", { cause });
    this.name = "UnreadablePicture";
  }
}

export type Picture = {
  /** As it is shown, that is, turned as its EXIF data says. */
  width: number;
  height: number;
  /** At most 640 px, without metadata. */
  thumbnail: Thumbnail;
};
export type Thumbnail = { content: Uint8Array; mime: "image/webp"; extension: "webp" };

let loaded: ReturnType<typeof loadSharp> | undefined;

/** The decoder takes 27 MB, which a process without pictures does not need. */
async function loadSharp() {
  const { default: sharp } = await import("sharp");
  // A picture is decoded once: caches and many threads would only cost memory.
  sharp.cache(false);
  sharp.concurrency(1);
  // Content chooses its decoder; those of rare formats are where the holes are.
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

/** What phones show, blurred, until they have fetched the picture itself. */
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
