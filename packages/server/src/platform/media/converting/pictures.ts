import type { Sharp } from "sharp";
import sharp from "sharp";

/** Longest side of a small picture. */
const THUMBNAIL_PX = 640;
const TIME_LIMIT_SECONDS = 20;
/** The part of an icon's side that its picture fills: phones cut icons to circles. */
const ICON_PART = 0.72;
const ICON_MAX_PIXELS = 40_000_000;
/** The blurred preview that phones show until they have fetched the picture. */
const PREVIEW_PX = 72;

/** A picture (a file's path, or its bytes) with what is to be made of it. */
export type PictureWish = { source: string | Uint8Array } & (
  | { make: "thumbnail"; maxPixels: number }
  | { make: "icon"; px: number }
  | { make: "preview" }
);
export type PictureAnswer = Converted | { failure: string };
export type Converted = {
  /** Size of the whole picture, after rotation by the EXIF data. */
  width: number;
  height: number;
  content: Uint8Array;
};

// A picture is decoded once: caches and threads would only cost memory.
sharp.cache(false);
sharp.concurrency(1);
// The content chooses its decoder, and decoders of rare formats tend to have vulnerabilities.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: ["Jpeg", "Png", "Webp", "Nsgif"].map((format) => `VipsForeignLoad${format}`),
});

/** Decodes a JPEG, PNG, WebP or GIF (its first picture), and makes what is wished. */
export async function convertPicture(wish: PictureWish): Promise<PictureAnswer> {
  try {
    const image = opened(wish);
    const { autoOrient } = await image.metadata();
    const content = await made(image, wish).timeout({ seconds: TIME_LIMIT_SECONDS }).toBuffer();
    return { width: autoOrient.width, height: autoOrient.height, content };
  } catch (error) {
    return { failure: String(error) };
  }
}

function opened(wish: PictureWish): Sharp {
  const { source } = wish;
  switch (wish.make) {
    case "thumbnail":
      return sharp(source, {
        failOn: "error",
        limitInputPixels: wish.maxPixels,
        sequentialRead: true,
      });
    case "icon":
      return sharp(source, { failOn: "error", limitInputPixels: ICON_MAX_PIXELS });
    case "preview":
      return sharp(source, { limitInputPixels: THUMBNAIL_PX * THUMBNAIL_PX });
  }
}

function made(image: Sharp, wish: PictureWish): Sharp {
  switch (wish.make) {
    case "thumbnail": {
      const size = { width: THUMBNAIL_PX, height: THUMBNAIL_PX, withoutEnlargement: true } as const;
      return image
        .autoOrient()
        .resize({ ...size, fit: "inside" })
        .webp({ quality: 78 });
    }
    case "icon": {
      const inner = Math.round(wish.px * ICON_PART);
      const rim = Math.floor((wish.px - inner) / 2);
      const rest = wish.px - inner - rim;
      const background = { r: 255, g: 255, b: 255, alpha: 1 };
      return image
        .autoOrient()
        .resize({ width: inner, height: inner, fit: "contain", background })
        .extend({ ...{ top: rim, left: rim, bottom: rest, right: rest }, background })
        .flatten({ background })
        .png();
    }
    case "preview":
      return image
        .resize({ width: PREVIEW_PX, height: PREVIEW_PX, fit: "inside", withoutEnlargement: true })
        .flatten({ background: "#fff" })
        .jpeg({ quality: 50 });
  }
}
