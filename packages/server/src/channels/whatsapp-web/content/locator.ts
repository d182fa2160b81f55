import type { WAMessageKey } from "baileys";
import { z } from "zod";

const base64 = z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/);

const locator = z.object({
  /** The network's kind of media: it goes into the file's keys. */
  type: z.enum(["image", "video", "audio", "document", "sticker"]),
  url: z.string().exactOptional(),
  directPath: z.string().exactOptional(),
  /** Secret: never logged. */
  mediaKey: base64,
  /** Of the file, and of what lies on the network. */
  fileSha256: base64.exactOptional(),
  fileEncSha256: base64.exactOptional(),
  /** Of the message, to ask for the file again. */
  key: z.object({
    remoteJid: z.string(),
    id: z.string(),
    fromMe: z.boolean(),
    participant: z.string().exactOptional(),
  }),
});

/** Where a file lies on the network and how it is opened. */
export type MediaLocator = z.infer<typeof locator>;

/** Longer addresses are nobody's; the journal would cut the text, which were none any more. */
const LONGEST_ADDRESS = 2_000;

export function encodeLocator(place: MediaLocator): string {
  const { url = "", directPath = "", ...rest } = place;
  return JSON.stringify({
    ...rest,
    ...(url !== "" && url.length <= LONGEST_ADDRESS ? { url } : {}),
    ...(directPath !== "" && directPath.length <= LONGEST_ADDRESS ? { directPath } : {}),
  });
}

/** Null when the text is none. */
export function decodeLocator(text: string): MediaLocator | null {
  const parsed = locator.safeParse(jsonOf(text));
  return parsed.success ? parsed.data : null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The message that brought the file. */
export function keyOfLocator({ key }: MediaLocator): WAMessageKey {
  return { ...key };
}
