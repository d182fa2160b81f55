import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { connectionId, ticketId } from "./ids.ts";
import { limits } from "./limits.ts";
import { message } from "./messages.ts";
import { text } from "./primitives.ts";

/**
 * A message that Meta has approved: what may be written to a customer whose last message is more than a day old. Its
 * texts have places `{{1}}`, or `{{name}}`, which parameters fill: numbered places by their
 * number, named ones in the order in which they first appear.
 */
export const messageTemplate = z.object({
  name: z.string(),
  language: z.string(),
  /** MARKETING, UTILITY, AUTHENTICATION. */
  category: z.string(),
  /** `format` is TEXT, IMAGE, VIDEO, DOCUMENT, LOCATION; one that is no text takes the address of its file. */
  header: z
    .object({ format: z.string(), text: z.string(), parameters: z.number().int() })
    .nullable(),
  body: z.string(),
  bodyParameters: z.number().int(),
  footer: z.string().nullable(),
  buttons: z.array(z.object({ type: z.string(), text: z.string(), parameters: z.number().int() })),
});
export type MessageTemplate = z.output<typeof messageTemplate>;

const parameters = z.array(text(limits.templateParameterMax).trim()).max(limits.templateParameters);

export const sendTemplateBody = z.object({
  name: text(512).trim().min(1),
  language: text(20).trim().min(1),
  headerParameters: parameters.default([]),
  bodyParameters: parameters.default([]),
  /** For all buttons one after the other. */
  buttonParameters: parameters.default([]),
  /** Chosen by the sender; a repeated request with the same one is the same message. */
  clientId: z.guid().optional(),
});
export type SendTemplateBody = z.output<typeof sendTemplateBody>;

export const templatesEndpoints = defineEndpoints({
  "GET /whatsapp/:connectionId/templates": {
    summary: "Approved templates of a connection, by name; none where its channel has no templates",
    auth: "bearer",
    permission: "tickets:work",
    params: z.object({ connectionId }),
    reply: z.object({ templates: z.array(messageTemplate) }),
    errors: ["ERR_NO_WAPP_FOUND", "ERR_WAPP_TEMPLATES_UNAVAILABLE"],
  },
  "POST /messages/:ticketId/template": {
    summary: "Sends a filled template through the ticket's connection",
    auth: "bearer",
    permission: "tickets:work",
    params: z.object({ ticketId }),
    body: sendTemplateBody,
    reply: message,
    errors: [
      "ERR_NO_TICKET_FOUND",
      "ERR_TICKET_FORBIDDEN",
      "ERR_WAPP_NOT_INITIALIZED",
      "ERR_WAPP_TEMPLATE",
      "ERR_WAPP_TEMPLATES_UNAVAILABLE",
    ],
  },
});
