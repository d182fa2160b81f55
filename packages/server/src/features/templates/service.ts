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
import type { MessagesFeature } from "../messages/index.ts";
import { findShownTicket, requireVisible } from "../tickets/index.ts";
import { hasConnection } from "./repository.ts";

export type WantedTemplate = Omit<SendTemplateBody, "clientId">;

/** Where templates come from: the channel that has them. Asks the network, so never inside a transaction. */
export type TemplateSource = {
  /** Throws ERR_WAPP_TEMPLATES_UNAVAILABLE. */
  list(ctx: Ctx, connectionId: ConnectionId): Promise<readonly MessageTemplate[]>;
  /** Throws ERR_WAPP_TEMPLATE where there is none of that name or the parameters do not fit it, and as `list`. */
  fill(ctx: Ctx, connectionId: ConnectionId, wanted: WantedTemplate): Promise<OutboundTemplate>;
};

export type TemplateServiceDeps = {
  db: Database;
  source: TemplateSource;
  messages: Pick<MessagesFeature, "sendAsAgent">;
};

export function createTemplateService({ db, source, messages }: TemplateServiceDeps) {
  return {
    async list(ctx: UserCtx, connectionId: ConnectionId): Promise<readonly MessageTemplate[]> {
      const isOurs = await db.transaction(ctx, (tx) => hasConnection(ctx, tx, connectionId));
      if (!isOurs) throw new DomainError("ERR_NO_WAPP_FOUND");
      return source.list(ctx, connectionId);
    },

    /** Sends a filled template, whatever the ticket's state and its window. */
    async send(ctx: UserCtx, ticketId: TicketId, body: SendTemplateBody): Promise<Message> {
      const { clientId, ...wanted } = body;
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
    },
  };
}
