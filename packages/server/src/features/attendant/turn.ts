import type { CompanyId, TicketId } from "@balcao/contract";
import { addMilliseconds } from "date-fns/addMilliseconds";
import { differenceInMilliseconds } from "date-fns/differenceInMilliseconds";
import { isAfter } from "date-fns/isAfter";
import { isEqual } from "date-fns/isEqual";
import type { Ctx } from "../../platform/context.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import { isMediaKey } from "../../platform/media/media-store.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import type { MediaFiles, StoredFile } from "../media/index.ts";
import type { Outgoing, Destination } from "../messages/index.ts";
import type { TicketRow } from "../tickets/index.ts";
import { attendantLeads, freeTextUntil } from "../tickets/index.ts";
import { decideTurn, decideWithOutside } from "./decide.ts";
import type { AttendantFile, AttendantMessage, Place, TurnFacts, TurnPlan } from "./facts.ts";
import { filesIn } from "./facts.ts";
import type { Asker, OutsideAnswer, OutsideQuestion, OutsideSettings } from "./outside.ts";
import { createOutside } from "./outside.ts";
import type { StoredTurn } from "./repository.ts";
import { holdTurn, loadTurn, lockAskedTicket, lockDueTicket, saveTurn } from "./repository.ts";

/** A ticket whose turn is due. */
export type DueTicket = { companyId: CompanyId; ticketId: TicketId };

export type TurnDeps = {
  db: Database;
  clock: Clock;
  ids: IdSource;
  log: Logger;
  media: Pick<MediaFiles, "describeFile">;
  outgoing: Outgoing;
  domainEvents: DomainEvents;
  /** Services asked before the menu is sent; the first that applies. */
  askers?: readonly Asker[];
  settings: OutsideSettings;
  /** Called after each turn with its delay since it came due. */
  onTurn?: (lateMs: number) => void;
};

/**
 * `absent`: there is nothing to do, or the ticket is locked. `asking`: an outside service is asked, or the limit of
 * concurrent questions is reached; the turn goes on later.
 */
export type TurnOutcome = "done" | "absent" | "asking";

/** A question to an outside service. The hold time of its turn is unique, so it identifies the question. */
type Asked = {
  asker: Asker;
  question: OutsideQuestion;
  lastSeq: number;
  queueId: TicketRow["queueId"];
  heldUntil: Date;
  dueAt: Date;
};
/** A locked ticket, and what is stored for its turn. */
type Held = { ticket: TicketRow; turn: StoredTurn; now: Date };

/** Null: no service was asked. */
type Answered = (Asked & { answer: OutsideAnswer }) | null;

/** Beyond the limit of an answer: the time to store it. */
const HOLD_MARGIN_MS = 10_000;
const NO_ROOM_WAIT_MS = 1_000;

/** Menus send the same files repeatedly, so each is examined once per process. */
const FILES_KEPT = 200;

/** Takes the turns of the automatic attendant, one ticket at a time. */
export function createTurns(deps: TurnDeps) {
  const { db, clock, ids, log, media, outgoing, domainEvents, onTurn, settings } = deps;
  const outside = createOutside({ askers: deps.askers ?? [], settings, log });
  const files = new Map<string, StoredFile | null>();

  /**
   * Takes a ticket's turn if it is due, and does what `decideTurn` decides, in one transaction under the ticket's lock:
   * concurrent actions of users happen entirely before or entirely after it.
   */
  function take({ companyId, ticketId }: DueTicket, now: Date): Promise<TurnOutcome> {
    return takeWith(systemCtx(companyId, "attendant", ids.uuid()), ticketId, now, null);
  }

  async function takeWith(
    ctx: Ctx,
    ticketId: TicketId,
    now: Date,
    answered: Answered,
  ): Promise<TurnOutcome> {
    for (;;) {
      const result = await db.transaction(ctx, async (tx) => {
        const dueAt = answered?.heldUntil ?? now;
        const lock = answered ? lockAskedTicket : lockDueTicket;
        const ticket = await lock(ctx, tx, ticketId, dueAt);
        const turn = ticket && (await loadTurn(ctx, tx, ticketId, dueAt));
        if (!ticket || !turn) return "absent";
        // The customer wrote again, or another process asks: the answer is outdated.
        if (answered && !isEqual(turn.dueAt, answered.heldUntil)) return "absent";
        return play(ctx, tx, { ticket, turn, now: laterOf(now, ticket.lastMessageAt), answered });
      });
      if (typeof result === "string") return result;
      if ("asked" in result) {
        ask(ctx, result.asked);
        return "asking";
      }
      // Files are examined outside the transaction, so that the ticket is not locked meanwhile.
      await examine(ctx.companyId, result.unknownFiles);
    }
  }

  /** Outside of any transaction. If the process crashes, the turn comes due again when its hold ends. */
  function ask(ctx: Ctx, asked: Asked): void {
    const { asker, question } = asked;
    outside.ask(asker, question, (answer) =>
      takeWith(ctx, question.ticketId, clock.now(), { ...asked, answer }),
    );
  }

  /** Does nothing yet if it returns unknown files or a question to an outside service. */
  async function play(
    ctx: Ctx,
    tx: Tx,
    held: Held & { answered: Answered },
  ): Promise<TurnOutcome | { unknownFiles: AttendantFile[] } | { asked: Asked }> {
    const { ticket, turn, now, answered } = held;
    const facts = factsOf(ticket, turn, now);
    const asker = outside.askerAt(facts);
    const answer = answered && isAbout(answered, asker, held) ? answered.answer : null;
    const plan = decide();
    if (plan === "ask") return asker ? holdToAsk(ctx, tx, asker, held) : "absent";
    const unknownFiles = filesIn(plan.sends).filter((file) => !files.has(idOf(ctx, file)));
    if (unknownFiles.length > 0) return { unknownFiles };

    const place = placeAfter(ticket, turn, plan);
    const isLed = !isSamePlace(ticket, place);
    const { attendanceId, lastSeq, destination } = turn;
    const after = await saveTurn(ctx, tx, {
      ...{ ticketId: ticket.id, attendanceId, lastSeq, now },
      transition: isLed ? attendantLeads(ticket, place, plan.isQueuedNow) : null,
      usedChatbot: plan.usedChatbot,
      memory: plan.memory,
    });
    if (isLed) await domainEvents.publish(tx, ctx, "ticket.changed", { before: ticket, after });
    const answeredTicket = await sendAll(ctx, tx, after, plan.sends, {
      destination,
      decidedAt: now,
    });
    const waits = after.status === "pending" && after.queueId !== null && !after.chatbot;
    if (waits) await domainEvents.publish(tx, ctx, "ticket.waits", { ticket: answeredTicket });
    const dueAt = answered?.dueAt ?? turn.dueAt;
    tx.onCommit(() => onTurn?.(differenceInMilliseconds(clock.now(), dueAt)));
    return "done";

    function decide(): TurnPlan | "ask" {
      if (!isReachable(ticket, turn.destination, now)) return doingNothing(ticket, turn);
      return asker ? decideWithOutside(facts, answer) : decideTurn(facts);
    }
  }

  async function holdToAsk(
    ctx: Ctx,
    tx: Tx,
    asker: Asker,
    { ticket, turn, now }: Held,
  ): Promise<"asking" | { asked: Asked }> {
    const hasRoom = outside.hasRoom();
    const waitMs = hasRoom ? settings.askLimitMs + HOLD_MARGIN_MS : NO_ROOM_WAIT_MS;
    const heldUntil = addMilliseconds(now, waitMs);
    await holdTurn(ctx, tx, ticket.id, heldUntil);
    if (!hasRoom) return "asking";
    const { attendanceId, lastSeq, dueAt } = turn;
    const question = {
      ...{ companyId: ctx.companyId, ticketId: ticket.id, attendanceId },
      facts: factsOf(ticket, turn, now),
    };
    return { asked: { asker, question, lastSeq, queueId: ticket.queueId, heldUntil, dueAt } };
  }

  async function sendAll(
    ctx: Ctx,
    tx: Tx,
    ticket: TicketRow,
    sends: readonly AttendantMessage[],
    how: { destination: Destination; decidedAt: Date },
  ): Promise<TicketRow> {
    let current = ticket;
    for (const message of sends) {
      const content = contentOf(ctx, message);
      if (!content) continue;
      const sent = await outgoing.send(ctx, tx, current, { ...content, isAutomatic: true, ...how });
      if (sent) current = sent.ticket;
    }
    return current;
  }

  /** Null for a deleted file. */
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
    /** Aborts the open questions; they are asked again later. */
    stop: () => outside.stop(),
    /** Forgets the examined files, as outdated knowledge of them may have caused a failure. */
    forgetFiles: () => files.clear(),
  };
}

export type Turns = ReturnType<typeof createTurns>;

const idOf = ({ companyId }: { companyId: CompanyId }, { key, name }: AttendantFile): string =>
  `${companyId} ${key} ${name}`;

/** Whether the answer belongs to the question that would be asked now. */
function isAbout(
  { asker, lastSeq, queueId }: Asked,
  now: Asker | undefined,
  { ticket, turn }: Held,
): boolean {
  return asker === now && lastSeq === turn.lastSeq && queueId === ticket.queueId;
}

/** A customer whom nothing can be sent to is left to the agents until the next message. */
function isReachable(ticket: TicketRow, destination: Destination, now: Date): boolean {
  if (ticket.connectionId === null || destination.to === null) return false;
  const until = freeTextUntil(ticket);
  return until === null || until > now;
}

/** Clocks of processes differ: a decision is never dated before the message it answers. */
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
 * A new ticket is in its connection's only queue before the attendant has seen it. The attendant has not led it there
 * yet, so it treats the ticket as having no queue.
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
