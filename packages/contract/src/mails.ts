import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, mailId } from "./ids.ts";
import { mailKinds, mailStates } from "./mail-choices.ts";
import { isoDate, pageNumber, searchParam, sheetLanguages } from "./primitives.ts";

/** An e-mail as the provider sees it. */
export const mail = z.object({
  id: mailId,
  company: z.object({ id: companyId, name: z.string() }),
  kind: z.enum(mailKinds),
  name: z.string(),
  address: z.string(),
  subject: z.string(),
  text: z.string(),
  state: z.enum(mailStates),
  tries: z.number(),
  /** The last words of the mail server. */
  fault: z.string().nullable(),
  /** It failed or is held, and what it says still holds. */
  maySend: z.boolean(),
  sentAt: isoDate.nullable(),
  createdAt: isoDate,
});
export type Mail = z.output<typeof mail>;

const manage = { auth: "bearer", permission: "mails:manage" } as const;

export const mailsEndpoints = defineEndpoints({
  "GET /mails": {
    ...manage,
    summary: "One page of the outgoing e-mails, the newest first; super users only",
    query: z.object({
      searchParam,
      pageNumber,
      state: z
        .union([z.enum(mailStates), z.literal("")])
        .optional()
        .transform((value) => (value === "" ? undefined : value)),
    }),
    reply: z.object({
      mails: z.array(mail),
      count: z.number(),
      hasMore: z.boolean(),
      /** How many there are of each state, whatever is searched. */
      totals: z.record(z.enum(["all", ...mailStates]), z.number()),
      /** Where e-mails go; null without a mail server, which holds them. */
      server: z.object({ host: z.string(), from: z.string() }).nullable(),
    }),
    errors: [],
  },
  "POST /mails/test": {
    ...manage,
    summary:
      "Sends an e-mail to the caller at once and says what the mail server answered; super users only",
    body: z.object({ language: z.enum(sheetLanguages).default("pt") }),
    reply: z.object({ mail, answer: z.string() }),
    errors: ["ERR_NO_MAIL_SERVER"],
  },
  "POST /mails/:mailId/send": {
    ...manage,
    summary: "Has an e-mail sent again that failed or was held; super users only",
    params: z.object({ mailId }),
    reply: mail,
    errors: ["ERR_NO_MAIL_FOUND", "ERR_NO_MAIL_SERVER", "ERR_MAIL_OVER"],
  },
});
