import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, quickMessageId, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import { fileErrors } from "./media.ts";
import { isoDate, messageReply, pageNumber, repeatable, searchParam, text } from "./primitives.ts";

/** A prepared answer (wire-contract 2.9). `geral`: everybody of the company has it. */
export const quickMessage = z.object({
  id: quickMessageId,
  shortcode: z.string(),
  message: z.string(),
  geral: z.boolean(),
  status: z.boolean(),
  /** Groups them in the composer; "" is none. */
  folder: z.string(),
  /** How often it was inserted into a message, by anybody. */
  usedCount: z.number().int(),
  isMedia: z.boolean(),
  /** Signed address of the attachment, renewed by every read. */
  mediaPath: z.string().nullable(),
  mediaName: z.string().nullable(),
  /** By its content. */
  mediaMime: z.string().nullable(),
  userId: userId.nullable(),
  companyId,
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type QuickMessage = z.output<typeof quickMessage>;

const body = z.object({
  /** Not blank, else ERR_QUICKMESSAGE_REQUIRED. */
  shortcode: text(limits.shortcodeMax).trim(),
  message: text(limits.messageBodyMax).default(""),
  geral: z.boolean().default(false),
  status: z.boolean().default(true),
  /** Clients that know no folders leave a known one as it is. */
  folder: text(limits.folderMax).trim().optional(),
});
export type QuickMessageBody = z.output<typeof body>;

const common = { auth: "bearer", permission: "quick-messages:use" } as const;
const params = z.object({ quickMessageId });
const attached = z.object({ mensagem: z.string() });

export const quickMessagesEndpoints = defineEndpoints({
  "GET /quick-messages": {
    ...common,
    summary: "One page of the caller's and the company's quick messages by shortcode",
    query: z.object({ searchParam, pageNumber }),
    reply: z.object({ records: z.array(quickMessage), count: z.number(), hasMore: z.boolean() }),
    errors: [],
  },
  "GET /quick-messages/list": {
    ...common,
    summary: "All of the caller's and the company's quick messages by shortcode",
    reply: z.array(quickMessage),
    streams: true,
    errors: [],
  },
  "GET /quick-messages/:quickMessageId": {
    ...common,
    summary: "One quick message",
    params,
    reply: quickMessage,
    errors: ["ERR_NO_QUICKMESSAGE_FOUND"],
  },
  "POST /quick-messages": {
    ...common,
    summary: "A new quick message; only admins make one for everybody",
    body,
    reply: quickMessage,
    errors: ["ERR_QUICKMESSAGE_REQUIRED"],
  },
  "PUT /quick-messages/:quickMessageId": {
    ...common,
    summary: "Changes a quick message; its owner stays",
    params,
    body,
    reply: quickMessage,
    errors: ["ERR_NO_QUICKMESSAGE_FOUND", "ERR_QUICKMESSAGE_REQUIRED"],
  },
  "POST /quick-messages/:quickMessageId/use": {
    ...common,
    summary: "Counts that a quick message was inserted into a message",
    params,
    reply: messageReply,
    errors: ["ERR_NO_QUICKMESSAGE_FOUND"],
  },
  "DELETE /quick-messages/:quickMessageId": {
    ...common,
    summary: "Removes a quick message",
    params,
    reply: messageReply,
    errors: ["ERR_NO_QUICKMESSAGE_FOUND"],
  },
  "POST /quick-messages/:quickMessageId/media-upload": {
    ...common,
    summary: "Attaches a file, in place of an earlier one",
    params,
    upload: {
      field: "file",
      maxFiles: 1,
      fields: z.object({ typeArch: repeatable(z.literal("quickMessage")).optional() }),
    },
    reply: attached,
    errors: ["ERR_NO_QUICKMESSAGE_FOUND", ...fileErrors],
  },
  "DELETE /quick-messages/:quickMessageId/media-upload": {
    ...common,
    summary: "Removes the attachment",
    params,
    reply: attached,
    errors: ["ERR_NO_QUICKMESSAGE_FOUND"],
  },
});
