import { z } from "zod";
import type { OutboundBody, OutboundChange, Quote, SendCommand } from "../port.ts";
import { messageRef, parseStored } from "./durable-events.ts";
import type { OutboundRow } from "./outbound-rows.ts";

const body: z.ZodType<OutboundBody | OutboundChange> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text"), text: z.string() }),
  z.object({
    kind: z.literal("media"),
    media: z.enum(["image", "video", "audio", "voice", "document", "sticker"]),
    file: z.object({
      key: z.string(),
      mime: z.string(),
      name: z.string(),
      bytes: z.number(),
      durationMs: z.number().exactOptional(),
      waveform: z.array(z.number()).exactOptional(),
      width: z.number().exactOptional(),
      height: z.number().exactOptional(),
      thumbnailKey: z.string().exactOptional(),
    }),
    caption: z.string().exactOptional(),
  }),
  z.object({
    kind: z.literal("template"),
    name: z.string(),
    language: z.string(),
    components: z.array(z.unknown()),
    text: z.string(),
  }),
  z.object({ kind: z.literal("edit"), target: messageRef, text: z.string() }),
  z.object({ kind: z.literal("revoke"), target: messageRef }),
  z.object({ kind: z.literal("reaction"), target: messageRef, emoji: z.string().nullable() }),
]);
const quote: z.ZodType<Quote> = messageRef.extend({ text: z.string() });

/** What an outbound row has the provider send; throws when its texts are none (written by another version). */
export function commandOf(row: OutboundRow): SendCommand {
  return {
    providerId: row.providerId,
    to: { kind: row.toKind, value: row.toValue },
    body: body.parse(parseStored(row.body)),
    ...(row.quote === null ? {} : { quote: quote.parse(parseStored(row.quote)) }),
  };
}
