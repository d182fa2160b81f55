import type { MessageId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Realtime, RealtimeRights } from "../../platform/realtime/hub.ts";
import type { Sources } from "../../platform/sources.ts";
import type { MediaFiles } from "../media/index.ts";
import type { TicketDto, TicketRow } from "./ticket-row.ts";

export type TicketsDeps = {
  db: Database;
  sources: Pick<Sources, "clock" | "ids">;
  realtime: Realtime & Pick<RealtimeRights, "refreshTicket">;
  domainEvents: DomainEvents;
  files: Pick<MediaFiles, "removeUnused" | "signedPath">;
  sendClosingMessage: SendClosingMessage;
  withdrawMessage: WithdrawMessage;
};

/** The use cases of tickets are given this, or a part of it. */
export type TicketDeps = TicketsDeps & { dto: TicketDto };

/**
 * Sends the rating request or the completion message to the customer of a locked ticket that an agent is about to resolve
 * (behaviour 2.8, 2.9). It leaves after the delay. Answers whether a rating is awaited.
 */
export type SendClosingMessage = (
  ctx: Ctx,
  tx: Tx,
  ticket: TicketRow,
  delaySeconds: number,
) => Promise<{ awaitsRating: boolean }>;

/** Removes a message that was not sent yet, or was removed before. False: it was sent. Its ticket is locked. */
export type WithdrawMessage = (ctx: Ctx, tx: Tx, messageId: MessageId) => Promise<boolean>;
