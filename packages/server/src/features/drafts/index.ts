import type { Draft, InputOf, TicketId } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import { requireVisible } from "../tickets/index.ts";
import { deleteDraft, findDraft, listDrafts, saveDraft, toDraftDto } from "./repository.ts";

export type DraftsDeps = { db: Database; clock: Clock; realtime: Realtime };

type SavedDraft = InputOf<"PUT /drafts/:ticketId">["body"];

/** What users have begun to write, per ticket: typed on one computer, there on the other. */
export function createDraftsFeature({ db, clock, realtime }: DraftsDeps) {
  async function list(ctx: UserCtx): Promise<Draft[]> {
    const rows = await db.transaction(ctx, (tx) => listDrafts(ctx, tx));
    return rows.map(toDraftDto);
  }

  async function show(ctx: UserCtx, ticketId: TicketId): Promise<Draft> {
    const row = await db.transaction(ctx, (tx) => findDraft(ctx, tx, ticketId));
    return toDraftDto(requireVisible(ctx, row));
  }

  /** Keeps the draft and tells the user's other windows; nothing but blanks is none. */
  async function save(ctx: UserCtx, ticketId: TicketId, saved: SavedDraft): Promise<Draft> {
    const { body, quotedMsgId, clientId = null } = saved;
    return db.transaction(ctx, async (tx) => {
      const kept = { ticketId, body, quotedMessageId: quotedMsgId ?? null, now: clock.now() };
      const row = body.trim() === "" ? deleteDraft(ctx, tx, ticketId) : saveDraft(ctx, tx, kept);
      const draft = toDraftDto(requireVisible(ctx, await row));
      tx.onCommit(() => {
        const own = [rooms.user(ctx.companyId, ctx.actor.userId)];
        realtime.publish(ctx.companyId, "draft", { action: "update", draft, clientId }, own);
      });
      return draft;
    });
  }

  return {
    register(routes: Routes): void {
      routes.handle("GET /drafts", ({ ctx }) => list(ctx));
      routes.handle("GET /drafts/:ticketId", ({ ctx, params }) => show(ctx, params.ticketId));
      routes.handle("PUT /drafts/:ticketId", ({ ctx, params, body }) =>
        save(ctx, params.ticketId, body),
      );
    },
  };
}
