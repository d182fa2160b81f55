import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { emptyReply, isoDate, text } from "./primitives.ts";

/** The kinds of news that reach a user on a phone or computer whose page is closed. */
export const pushKinds = ["tickets", "waiting", "mentions", "chats", "connections"] as const;
export type PushKind = (typeof pushKinds)[number];

/** The things that push messages are about; a ticket was given to the user, has a new message, or waits in a queue. */
export const pushNoticeKinds = [
  ...(["assigned", "message", "waiting"] as const),
  ...(["mention", "chat", "connection"] as const),
] as const;
export type PushNoticeKind = (typeof pushNoticeKinds)[number];

export const pushLanguages = ["pt", "en", "es"] as const;
export type PushLanguage = (typeof pushLanguages)[number];

const minutesMax = 24 * 60 - 1;

export const pushChoices = z.object({
  kinds: z.array(z.enum(pushKinds)).max(pushKinds.length),
  /** `full`: who writes and what; `plain`: only that something is new. */
  content: z.enum(["full", "plain"]),
  /** Minutes of the day in the time zone between which nothing is shown; it may go over midnight. Null: never quiet. */
  quiet: z
    .object({ from: z.int().min(0).max(minutesMax), to: z.int().min(0).max(minutesMax) })
    .nullable(),
  /** An IANA name. */
  timeZone: text(64)
    .min(1)
    .refine((zone) => isTimeZone(zone)),
});
export type PushChoices = z.output<typeof pushChoices>;

function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).format(0) !== "";
  } catch {
    return false;
  }
}

/** The address of a browser at its push service. */
const endpoint = z.url({ protocol: /^https?$/ }).max(1_024);
/** Base64url. */
const key = (chars: number) =>
  z
    .string()
    .regex(/^[\w-]+={0,2}$/)
    .length(chars);

/** The body of a push message, as the service worker reads it. */
export const pushPayload = z.object({
  title: z.string(),
  body: z.string(),
  /** Notifications with the same one replace each other. */
  tag: z.string(),
  /** The reader: nobody else answers from it. */
  userId: z.int(),
  /** A path of the page. */
  url: z.string(),
  /** The path of a waiting ticket once it is accepted. */
  acceptedUrl: z.string().optional(),
  at: isoDate,
  lang: z.enum(pushLanguages),
  /** The ticket that can be answered or accepted, with the words of that button. */
  ticketId: z.int().optional(),
  action: z.object({ kind: z.enum(["reply", "accept"]), words: z.string() }).optional(),
  /** Said when an answer from the notification could not be sent. */
  failed: z.string().optional(),
  /** Tickets with unread messages, for the icon. */
  badge: z.int().optional(),
  /** The tags of all things that are still unread: notifications of others are closed. */
  open: z.array(z.string()).optional(),
});
export type PushPayload = z.output<typeof pushPayload>;

const common = { auth: "bearer", permission: "tickets:work" } as const;

export const pushEndpoints = defineEndpoints({
  "GET /push": {
    ...common,
    summary:
      "The caller's choices about push messages, and the key with which a browser subscribes",
    reply: z.object({ publicKey: z.string(), choices: pushChoices }),
    errors: [],
  },
  "PUT /push/choices": {
    ...common,
    summary: "Keeps what the caller wants to be told, on all of the caller's devices",
    body: pushChoices,
    reply: pushChoices,
    errors: [],
  },
  "POST /push/subscriptions": {
    ...common,
    summary: "Shows push messages to the caller in this browser until the session ends",
    body: z.object({
      endpoint,
      keys: z.object({ p256dh: key(87), auth: key(22) }),
      language: z.enum(pushLanguages),
    }),
    reply: emptyReply,
    errors: ["ERR_PUSH_SERVICE"],
  },
  "POST /push/subscriptions/remove": {
    ...common,
    summary: "Ends push messages in this browser",
    body: z.object({ endpoint }),
    reply: emptyReply,
    errors: [],
  },
  "POST /push/test": {
    ...common,
    summary: "Sends a push message to this browser and answers whether its push service took it",
    body: z.object({ endpoint }),
    reply: z.object({ isTaken: z.boolean() }),
    errors: [],
  },
});
