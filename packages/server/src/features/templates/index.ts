import type {
  ConnectionId,
  Message,
  MessageTemplate,
  SendTemplateBody,
  TicketId,
} from "@balcao/contract";
import type { OutboundTemplate } from "../../channels/port.ts";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { findRecord } from "../../platform/db/records.ts";
import { connections } from "../../platform/db/schema/index.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { MessagesFeature } from "../messages/index.ts";
import { findShownTicket, requireVisible } from "../tickets/index.ts";

/** The channel that has the templates. It calls the network, so never inside a transaction. */
export type TemplateSource = {
  /** Throws ERR_WAPP_TEMPLATES_UNAVAILABLE. */
  list(ctx: Ctx, connectionId: ConnectionId): Promise<readonly MessageTemplate[]>;
  /** Throws ERR_WAPP_TEMPLATE if the template does not exist or the parameters do not fit, and as `list`. */
  fill(
    ctx: Ctx,
    connectionId: ConnectionId,
    wanted: Omit<SendTemplateBody, "clientId">,
  ): Promise<OutboundTemplate>;
};

export type TemplatesDeps = {
  db: Database;
  source: TemplateSource;
  messages: Pick<MessagesFeature, "sendAsAgent">;
};

/** Messages with texts approved by the chat network. */
export function createTemplatesFeature(deps: TemplatesDeps) {
  return {
    register(routes: Routes): void {
      routes.handle("GET /whatsapp/:connectionId/templates", ({ ctx, params }) =>
        listTemplates(deps, ctx, params.connectionId),
      );
      routes.handle("POST /messages/:ticketId/template", ({ ctx, params, body }) =>
        sendTemplate(deps, ctx, params.ticketId, body),
      );
    },
  };
}

async function listTemplates(
  { db, source }: TemplatesDeps,
  ctx: UserCtx,
  connectionId: ConnectionId,
): Promise<{ templates: MessageTemplate[] }> {
  await db.transaction(ctx, (tx) =>
    findRecord(ctx, tx, connections, connectionId, "ERR_NO_WAPP_FOUND"),
  );
  return { templates: [...(await source.list(ctx, connectionId))] };
}

/** Sends a filled template, regardless of the ticket's state and free-text window. */
async function sendTemplate(
  { db, source, messages }: TemplatesDeps,
  ctx: UserCtx,
  ticketId: TicketId,
  { clientId, ...wanted }: SendTemplateBody,
): Promise<Message> {
  const { connectionId } = await db.transaction(ctx, async (tx) =>
    requireVisible(ctx, await findShownTicket(ctx, tx, ticketId)),
  );
  if (connectionId === null) throw new DomainError("ERR_WAPP_NOT_INITIALIZED");
  const template = await source.fill(ctx, connectionId, wanted);
  return messages.sendAsAgent(ctx, ticketId, {
    text: template.text,
    isLiteral: true,
    template,
    clientId: clientId ?? null,
  });
}
