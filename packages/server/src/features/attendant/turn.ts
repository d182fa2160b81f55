import type { CompanyId } from "@balcao/contract";
import { differenceInMilliseconds } from "date-fns/differenceInMilliseconds";
import { isAfter } from "date-fns/isAfter";
import type { Ctx } from "../../platform/context.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import { isMediaKey } from "../../platform/media/media-store.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import type { MediaFiles, StoredFile } from "../media/index.ts";
import type { Outgoing, Reach } from "../messages/index.ts";
import type { TicketEvents, TicketRow } from "../tickets/index.ts";
import { attendantLeads, freeTextUntil } from "../tickets/index.ts";
import { decideTurn } from "./decide.ts";
import type { AttendantFile, AttendantMessage, Place, TurnFacts, TurnPlan } from "./facts.ts";
import type { StoredTurn } from "./repository.ts";
import { loadTurn, lockDueTicket, saveTurn } from "./repository.ts";
import type { DueTicket } from "./turn-rows.ts";

export type TurnDeps = {
  db: Database;
  clock: Clock;
  ids: IdSource;
  log: Logger;
  media: Pick<MediaFiles, "describeFile">;
  outgoing: Outgoing;
  ticketEvents: TicketEvents;
  /** Told how long after it was due each turn was over. */
  onTurn?: (lateMs: number) => void;
};

/** `absent`: there was nothing to do, or somebody else has the ticket at this moment. */
export type TurnOutcome = "done" | "absent";

/** Files that menus send are the same ones again and again: examined once while this process runs. */
const FILES_KEPT = 200;

/** One look of the automatic attendant at one ticket. */
export function createTurns(deps: TurnDeps) {
  const { db, clock, ids, log, media, outgoing, ticketEvents, onTurn } = deps;
  const files = new Map<string, StoredFile | null>();

  /**
   * Looks at a ticket if its turn is due, and does what `decideTurn` says, all in one transaction under the ticket's
   * lock: what people do at the same time comes wholly before or wholly after it.
   */
  async function take({ companyId, ticketId }: DueTicket, now: Date): Promise<TurnOutcome> {
    const ctx = systemCtx(companyId, "attendant", ids.uuid());
    for (;;) {
      const result = await db.transaction(ctx, async (tx) => {
        const ticket = await lockDueTicket(ctx, tx, ticketId, now);
        const turn = ticket && (await loadTurn(ctx, tx, ticketId, now));
        return ticket && turn
          ? play(ctx, tx, { ticket, turn, now: laterOf(now, ticket.lastMessageAt) })
          : "absent";
      });
      if (typeof result === "string") return result;
      // Files are not examined while others wait for the ticket.
      await examine(companyId, result.unknownFiles);
    }
  }

  /** Nothing was done if it answers files that it has to know first. */
  async function play(
    ctx: Ctx,
    tx: Tx,
    { ticket, turn, now }: { ticket: TicketRow; turn: StoredTurn; now: Date },
  ): Promise<TurnOutcome | { unknownFiles: AttendantFile[] }> {
    const plan = isReachable(ticket, turn.reach, now)
      ? decideTurn(factsOf(ticket, turn, now))
      : doingNothing(ticket, turn);
    const unknownFiles = filesIn(plan.sends).filter((file) => !files.has(idOf(ctx, file)));
    if (unknownFiles.length > 0) return { unknownFiles };

    const place = placeAfter(ticket, turn, plan);
    const isLed = !isSamePlace(ticket, place);
    const { attendanceId, lastSeq, reach } = turn;
    const after = await saveTurn(ctx, tx, {
      ...{ ticketId: ticket.id, attendanceId, lastSeq, now },
      transition: isLed ? attendantLeads(ticket, place, plan.isQueuedNow) : null,
      usedChatbot: plan.usedChatbot,
      memory: plan.memory,
    });
    if (isLed) ticketEvents.changed(tx, ticket, after);
    await sendAll(ctx, tx, after, plan.sends, { reach, decidedAt: now });
    tx.onCommit(() => onTurn?.(differenceInMilliseconds(clock.now(), turn.dueAt)));
    return "done";
  }

  async function sendAll(
    ctx: Ctx,
    tx: Tx,
    ticket: TicketRow,
    sends: readonly AttendantMessage[],
    how: { reach: Reach; decidedAt: Date },
  ): Promise<void> {
    let current = ticket;
    for (const message of sends) {
      const content = contentOf(ctx, message);
      if (!content) continue;
      const sent = await outgoing.send(ctx, tx, current, { ...content, isAutomatic: true, ...how });
      if (sent) current = sent.ticket;
    }
  }

  /** Null for a file that is not there any more. */
  function contentOf(
    ctx: Ctx,
    message: AttendantMessage,
  ): { text: string } | { file: StoredFile } | null {
    if (message.kind === "text") return { text: message.text };
    const file = files.get(idOf(ctx, message.file));
    return file ? { file } : null;
  }

  async function examine(companyId: CompanyId, unknown: readonly AttendantFile[]): Promise<void> {
    for (const file of unknown) {
      const { key, name } = file;
      const stored = isMediaKey(key) ? await media.describeFile(companyId, key, name) : null;
      if (!stored) log.warn({ companyId, key }, "a file of a menu is not there");
      files.set(idOf({ companyId }, file), stored);
      const [oldest] = files.keys();
      if (files.size > FILES_KEPT && oldest !== undefined) files.delete(oldest);
    }
  }

  return {
    take,
    /** Looks at files anew: what is known of them may be the fault. */
    forgetFiles: () => files.clear(),
  };
}

export type Turns = ReturnType<typeof createTurns>;

const idOf = ({ companyId }: { companyId: CompanyId }, { key, name }: AttendantFile): string =>
  `${companyId} ${key} ${name}`;

function filesIn(sends: readonly AttendantMessage[]): AttendantFile[] {
  return sends.flatMap((message) => (message.kind === "file" ? [message.file] : []));
}

/** Whom nothing can be sent to is left to people, until he writes again. */
function isReachable(ticket: TicketRow, reach: Reach, now: Date): boolean {
  if (ticket.connectionId === null || reach.to === null) return false;
  const until = freeTextUntil(ticket);
  return until === null || until > now;
}

/** Clocks of processes differ: nothing is decided before what it is about was written. */
function laterOf(now: Date, lastMessageAt: Date | null): Date {
  return lastMessageAt !== null && isAfter(lastMessageAt, now) ? lastMessageAt : now;
}

function factsOf(ticket: TicketRow, turn: StoredTurn, now: Date): TurnFacts {
  const { disableBot, ...facts } = turn.facts;
  const { status, userId, isGroup } = ticket;
  return {
    ...facts,
    now,
    ticket: { ...placeBefore(ticket, turn), status, userId, isGroup, disableBot },
  };
}

/**
 * A ticket begins in its connection's only queue before the attendant has seen it: nobody has led it there yet, so to the
 * attendant it is nowhere.
 */
function isUnled(ticket: TicketRow, { hasBegun, facts }: StoredTurn): boolean {
  const [only, ...others] = facts.queues;
  return !hasBegun && !ticket.chatbot && others.length === 0 && only?.id === ticket.queueId;
}

function placeBefore(ticket: TicketRow, turn: StoredTurn): Place {
  const { queueId, chatbot, queueOptionId } = ticket;
  return { queueId: isUnled(ticket, turn) ? null : queueId, chatbot, queueOptionId };
}

function placeAfter(ticket: TicketRow, turn: StoredTurn, { place }: TurnPlan): Place {
  const isLeftThere = place.queueId === null && isUnled(ticket, turn);
  return isLeftThere ? { ...place, queueId: ticket.queueId } : place;
}

function doingNothing(ticket: TicketRow, turn: StoredTurn): TurnPlan {
  const { memory } = turn.facts;
  const place = placeBefore(ticket, turn);
  return { place, isQueuedNow: false, usedChatbot: false, memory, sends: [] };
}

function isSamePlace(one: Place, other: Place): boolean {
  return (
    one.queueId === other.queueId &&
    one.chatbot === other.chatbot &&
    one.queueOptionId === other.queueOptionId
  );
}
