import type { ChildProcess } from "node:child_process";
import { askReader, lowerPriority, scriptBeside, startReader } from "../child-processes.ts";
import { FairShare } from "../jobs/fair-share.ts";
import type { Converted } from "./converting/pictures.ts";
import type { PictureAnswer, PictureWish } from "./converting/process.ts";

/** Pictures that are converted at the same time; some must be completely in memory while they are decoded. */
const AT_ONCE = 2;
/** The conversion has a shorter limit of its own; the process may have to start before. */
const TIME_LIMIT_MS = 40_000;
/** A process without work for this long ends: it takes about 110 MB. */
const QUIET_MS = 20_000;
/** Pixels are not in the heap. */
const HEAP_MB = 128;

const script = scriptBeside(import.meta.url, "./converting/process");

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

/** The company that a picture is of; absent for the provider's own. */
type Whose = { companyId?: number };

/** Decodes a JPEG, PNG, WebP or GIF (its first picture). Throws UnreadablePicture. */
export async function readPicture(
  source: string | Uint8Array,
  maxPixels: number,
  whose: Whose = {},
): Promise<Picture> {
  const wish = { make: "thumbnail", source, maxPixels } as const;
  const { width, height, content } = await convert(wish, whose);
  return { width, height, thumbnail: { content, mime: "image/webp", extension: "webp" } };
}

/** A square PNG on white, as phones want their icons. Throws UnreadablePicture. */
export async function toIcon(source: Uint8Array, px: number): Promise<Buffer> {
  const { content } = await convert({ make: "icon", source, px }, {});
  return Buffer.from(content);
}

/** A tiny JPEG of a small picture. Throws UnreadablePicture. */
export async function toPreview(source: Uint8Array): Promise<Uint8Array> {
  return (await convert({ make: "preview", source }, {})).content;
}

type Converter = { child: ChildProcess; timer: NodeJS.Timeout | undefined };

/** Companies get their turns by the time that their pictures took, each for one picture at a time. */
const turns = new FairShare({ slots: AT_ONCE, least: 1, most: 1 });
/** Processes that wait for a picture. */
const resting: Converter[] = [];

/**
 * Converts in a process at low priority, which has one picture at a time: a decoder that crashes ends with its picture, and one
 * that works leaves the processors to those who wait for an answer.
 */
async function convert(wish: PictureWish, { companyId = 0 }: Whose): Promise<Converted> {
  const release = await turns.take(companyId);
  try {
    const rested = resting.pop();
    const first = rested && (await ask(rested, wish));
    // One that rested may have ended before the picture came.
    const answer = first ?? (await ask(startConverter(), wish));
    if (answer === null) throw new UnreadablePicture("its process ended");
    if ("failure" in answer) throw new UnreadablePicture(answer.failure);
    return answer;
  } finally {
    release();
  }
}

/** The answer of a process, which then rests; null where the process has ended. */
async function ask(converter: Converter, wish: PictureWish): Promise<PictureAnswer | null> {
  clearTimeout(converter.timer);
  const ended = new Error("the process ended");
  try {
    const answer = await askReader<PictureAnswer>(converter.child, wish, {
      ...{ signal: undefined, timeLimitMs: TIME_LIMIT_MS },
      tooMuch: () => ended,
    });
    rest(converter);
    return answer;
  } catch (error) {
    converter.child.kill("SIGKILL");
    if (error === ended) return null;
    throw error;
  }
}

function startConverter(): Converter {
  const child = startReader(script, { heapMb: HEAP_MB });
  // Neither the process nor its channel keeps this process from ending.
  child.unref();
  child.channel?.unref();
  const converter: Converter = { child, timer: undefined };
  child.once("exit", () => leave(converter));
  lowerPriority(child.pid);
  return converter;
}

function rest(converter: Converter): void {
  converter.timer = setTimeout(() => {
    leave(converter);
    converter.child.kill("SIGKILL");
  }, QUIET_MS);
  converter.timer.unref();
  resting.push(converter);
}

function leave(converter: Converter): void {
  clearTimeout(converter.timer);
  const place = resting.indexOf(converter);
  if (place >= 0) resting.splice(place, 1);
}
