import { z } from "zod";

export const mediaKinds = ["image", "video", "audio", "voice", "document", "sticker"] as const;
export type MediaKind = (typeof mediaKinds)[number];

/** `loading`: still on its way from the chat network. `unavailable`: it could not be fetched, also not later. */
export const mediaStates = ["loading", "ready", "unavailable"] as const;
export type MediaState = (typeof mediaStates)[number];

/** The file of a message. Addresses are signed and expire; they are there when the state is `ready`. */
export const media = z.object({
  state: z.enum(mediaStates),
  kind: z.enum(mediaKinds),
  /** The original file name, or one made for it. */
  name: z.string(),
  /** By the content, not by what was claimed. */
  mime: z.string(),
  bytes: z.number(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  durationMs: z.number().nullable(),
  /** Levels of an audio from 0 to 100, for drawing. */
  waveform: z.array(z.number()).nullable(),
  isViewOnce: z.boolean(),
  url: z.string().nullable(),
  thumbnailUrl: z.string().nullable(),
});
export type Media = z.output<typeof media>;

export const fileErrors = [
  "ERR_FILE_MISSING",
  "ERR_FILE_TOO_LARGE",
  "ERR_TOO_MANY_FILES",
  "ERR_FILE_TYPE_FORBIDDEN",
  "ERR_FILE_TYPE_MISMATCH",
  "ERR_FILE_DAMAGED",
] as const;
