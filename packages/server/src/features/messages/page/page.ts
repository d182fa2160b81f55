import type { ReplyOf, TicketId } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { UserCtx } from "../../../platform/context.ts";
import { DomainError } from "../../../platform/context.ts";
import type { Database } from "../../../platform/db/database.ts";
import { pageTotals } from "../../../platform/db/paging.ts";
import { lockTicket, requireVisible, toShownTicketDto } from "../../tickets/index.ts";
import type { ToMessageDto } from "../message-dto.ts";
import type { PageWish } from "./page-statement.ts";
import { findPage } from "./page-statement.ts";
import type { Reading } from "./reading.ts";

export type PagesDeps = { db: Database; reading: Reading; toMessageDto: ToMessageDto };

/** What agents read of a ticket. */
export function createPages({ db, reading, toMessageDto }: PagesDeps) {
  /** One page; the assignee's reading marks the ticket read, unless the client keeps that for later. */
  async function page(
    ctx: UserCtx,
    ticketId: TicketId,
    wish: PageWish & { markRead: boolean },
  ): Promise<ReplyOf<"GET /messages/:ticketId">> {
    refuseSeveralPlaces(wish);
    return db.transaction(ctx, async (tx) => {
      const found = await findPage(ctx, tx, ticketId, wish);
      const ticket = requireVisible(ctx, found?.ticket);
      if (!found?.isPlaceKnown) throw new DomainError("ERR_NO_MESSAGE_FOUND");
      const { total, messages, hasMore, hasNewer } = found;
      // A page beside a message has no number: at least what it shows is there.
      const offset = (wish.pageNumber - 1) * pageSizes.messages;
      const isRead = wish.markRead && found.hasUnread && ticket.userId === ctx.actor.userId;
      if (isRead) {
        await lockTicket(ctx, tx, ticketId);
        await reading.markRead(ctx, tx, ticketId);
      }
      const shown = isRead ? { ...ticket, unreadMessages: 0 } : ticket;
      return {
        ...pageTotals(total, { offset, rows: messages.length, hasMore }),
        messages: messages.map((row) => toMessageDto({ ...row, read: row.read || isRead })),
        ticket: toShownTicketDto(shown),
        hasNewer,
      };
    });
  }

  /** Marks the ticket read for its assignee; others only learn how many messages are unread. */
  async function read(ctx: UserCtx, ticketId: TicketId): Promise<{ unreadMessages: number }> {
    return db.transaction(ctx, async (tx) => {
      const ticket = requireVisible(ctx, await lockTicket(ctx, tx, ticketId));
      if (ticket.userId !== ctx.actor.userId) return { unreadMessages: ticket.unreadMessages };
      await reading.markRead(ctx, tx, ticketId);
      return { unreadMessages: 0 };
    });
  }

  return { page, read };
}

export type Pages = ReturnType<typeof createPages>;

function refuseSeveralPlaces({ beforeId, afterId, aroundId }: PageWish): void {
  const places = [beforeId, afterId, aroundId].filter((id) => id !== undefined);
  if (places.length < 2) return;
  const message = "at most one of beforeId, afterId and aroundId";
  throw new DomainError("ERR_INVALID_REQUEST", { issues: [{ path: "query", message }] });
}
