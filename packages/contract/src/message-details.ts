import { z } from "zod";
import { contactId } from "./ids.ts";

/**
 * The content of a message beyond its text and file; clients of the family read the same from `body` (behaviour 1.2).
 */
export const messageDetails = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("location"),
    latitude: z.number(),
    longitude: z.number(),
    name: z.string(),
    address: z.string(),
    isLive: z.boolean(),
  }),
  z.object({
    kind: z.literal("contacts"),
    contacts: z.array(z.object({ name: z.string(), phones: z.array(z.string()) })),
  }),
  z.object({
    kind: z.literal("poll"),
    question: z.string(),
    options: z.array(z.string()),
    severalAllowed: z.boolean(),
    /** The last vote of each person, of the company's phone with `fromMe`; not part of what is stored. */
    votes: z
      .array(
        z.object({
          options: z.array(z.string()),
          fromMe: z.boolean(),
          contactId: contactId.nullable(),
          name: z.string(),
        }),
      )
      .exactOptional(),
  }),
  z.object({ kind: z.literal("poll-vote"), options: z.array(z.string()) }),
  z.object({ kind: z.literal("call"), isVideo: z.boolean() }),
  /** The customer came through an advertisement. */
  z.object({
    kind: z.literal("ad"),
    title: z.string(),
    body: z.string(),
    sourceUrl: z.string(),
  }),
  /** A pressed button or a chosen row, whose text is the body. */
  z.object({ kind: z.literal("choice"), id: z.string() }),
  /** A photo, video or audio that only the phone may show. */
  z.object({ kind: z.literal("view-once") }),
  /**
   * No message but a line of the conversation: from here on the contact is written to at another number. `user` of the
   * message is who changed it; null when the chat network did.
   */
  z.object({ kind: z.literal("number-changed"), from: z.string(), to: z.string() }),
]);
export type MessageDetails = z.output<typeof messageDetails>;

/** The symbol on a ticket's card before the last message. */
export const lastMessageKinds = [
  "text",
  "image",
  "video",
  "audio",
  "voice",
  "document",
  "sticker",
  "location",
  "contact",
  "poll",
  "call",
] as const;
export type LastMessageKind = (typeof lastMessageKinds)[number];
