import type { CompanyId, TicketId } from "@balcao/contract";
import { addMilliseconds } from "date-fns/addMilliseconds";
import { differenceInMilliseconds } from "date-fns/differenceInMilliseconds";
import { isAfter } from "date-fns/isAfter";
import { isEqual } from "date-fns/isEqual";
import { min } from "date-fns/min";
import type { Ctx } from "../../platform/context.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import { hasId } from "../../platform/db/records.ts";
import { queues, users } from "../../platform/db/schema/index.ts";
import { isMediaKey } from "../../platform/media/media-store.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import type { MediaFiles, StoredFile } from "../media/index.ts";
import type { Outgoing, Destination } from "../messages/index.ts";
import type { SendClosingMessage, TicketRow, TicketsFeature } from "../tickets/index.ts";
import { attendantLeads, freeTextUntil } from "../tickets/index.ts";
import { decideWithOutside } from "./decide.ts";
import type {
  AttendantFile,
  AttendantMessage,
  Helper,
  Place,
  TurnFacts,
  TurnPlan,
} from "./facts.ts";
import { filesIn, isSameHelper } from "./facts.ts";
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
  tickets: Pick<TicketsFeature, "assign" | "expire">;
  sendClosingMessage: SendClosingMessage;
  /** Services that answer for helpers; the first that takes one. */
  askers?: readonly Asker[];
  settings: OutsideSettings;
  /** Called after each turn with its delay since it came due. */
  onTurn?: (lateMs: number) => void;
};

/**
 * `absent`: there is nothing to do, or the ticket is locked. `waits`: the customer may not have finished. `asking`: an outside
 * service is asked, or the limit of concurrent questions is reached; the turn goes on later.
 */
export type TurnOutcome = "done" | "absent" | "waits" | "asking";

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

const PAUSES_SECONDS_MAX = 15;

/** Menus send the same files repeatedly, so each is examined once per process. */
const FILES_KEPT = 200;

/** Takes the turns of the automatic attendant, one ticket at a time. */
export function createTurns(deps: TurnDeps) {
  const { db, clock, ids, log, media, outgoing, domainEvents, onTurn, settings } = deps;
  const { tickets, sendClosingMessage } = deps;
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
    const plan = await decide();
    if ("ask" in plan) return holdToAsk(ctx, tx, plan.ask, held);
    const unknownFiles = filesIn(plan.sends).filter((file) => !files.has(idOf(ctx, file)));
    if (unknownFiles.length > 0) return { unknownFiles };

    const place = placeAfter(ticket, turn, plan);
    const helper = fieldsOf(plan.helper);
    const isLed = !isSamePlace(ticket, place) || !isSameHelper(plan.helper, helperOf(ticket, turn));
    const { attendanceId, lastSeq, destination } = turn;
    const after = await saveTurn(ctx, tx, {
      ...{ ticketId: ticket.id, attendanceId, lastSeq, now },
      transition: isLed ? attendantLeads(ticket, { ...place, ...helper }, plan.isQueuedNow) : null,
      usedChatbot: plan.usedChatbot,
      memory: plan.memory,
    });
    if (isLed) await domainEvents.publish(tx, ctx, "ticket.changed", { before: ticket, after });
    const answeredTicket = await sendAll(ctx, tx, after, plan.sends, {
      destination,
      decidedAt: now,
    });
    if (plan.note) {
      await domainEvents.publish(tx, ctx, "ticket.noted", { ticket: answeredTicket, ...plan.note });
    }
    const hasEnded = await end(ctx, tx, answeredTicket, plan);
    const waits = after.status === "pending" && after.queueId !== null && !after.chatbot;
    if (waits && !hasEnded)
      await domainEvents.publish(tx, ctx, "ticket.waits", { ticket: answeredTicket });
    const dueAt = answered?.dueAt ?? turn.dueAt;
    tx.onCommit(() => onTurn?.(differenceInMilliseconds(clock.now(), dueAt)));
    return "done";

    async function decide(): Promise<TurnPlan | { ask: Helper }> {
      if (!isReachable(ticket, turn.destination, now)) return doingNothing(ticket, turn);
      const answer = answered && isAbout(answered, held) ? answered.answer : null;
      return decideWithOutside(facts, {
        isAskable: (one) => outside.askerOf(one) !== undefined,
        answered: answered &&
          answer && {
            helper: answered.question.helper,
            answer: await checkedAnswer(ctx, tx, answer),
          },
      });
    }
  }

  /** Whether the ticket waits for nobody any more. */
  async function end(ctx: Ctx, tx: Tx, ticket: TicketRow, { ends }: TurnPlan): Promise<boolean> {
    switch (ends?.kind) {
      case undefined:
        return false;
      case "assigned":
        await tickets.assign(ctx, tx, ticket, ends.userId);
        return true;
      case "closed":
        if (!ends.isQuiet) await sendClosingMessage(ctx, tx, ticket, 0);
        await tickets.expire(ctx, tx, ticket);
        return true;
    }
  }

  async function holdToAsk(
    ctx: Ctx,
    tx: Tx,
    helper: Helper,
    { ticket, turn, now }: Held,
  ): Promise<TurnOutcome | { asked: Asked }> {
    const asker = outside.askerOf(helper);
    if (!asker) return "absent";
    const quietAt = quietFrom(helper, turn.facts.messages, settings.agentQuiet);
    if (quietAt !== null && isAfter(quietAt, now)) {
      await holdTurn(ctx, tx, ticket.id, quietAt);
      return "waits";
    }
    const hasRoom = outside.hasRoom();
    const waitMs = hasRoom ? settings.askLimitMs + HOLD_MARGIN_MS : NO_ROOM_WAIT_MS;
    const heldUntil = addMilliseconds(now, waitMs);
    await holdTurn(ctx, tx, ticket.id, heldUntil);
    if (!hasRoom) return "asking";
    const { attendanceId, lastSeq, dueAt } = turn;
    const question = {
      ...{ companyId: ctx.companyId, ticketId: ticket.id, attendanceId, helper },
      isFirst: !isSameHelper(helper, helperOf(ticket, turn)),
      facts: factsOf(ticket, turn, now),
    };
    const sends = (await asker.begin?.(ctx, tx, question)) ?? [];
    await sendAll(ctx, tx, ticket, sends, { destination: turn.destination, decidedAt: now });
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
    let delaySeconds = 0;
    for (const message of sends) {
      const content = contentOf(ctx, message);
      if (!content) continue;
      // What people write later waits for it, so that all pauses together are short.
      delaySeconds = Math.min(delaySeconds + (message.pauseMs ?? 0) / 1_000, PAUSES_SECONDS_MAX);
      const sent = await outgoing.send(ctx, tx, current, {
        ...{ ...content, isAutomatic: true, delaySeconds, ...how },
      });
      if (sent) current = sent.ticket;
    }
    return current;
  }

  /** Null for a deleted file. */
  function contentOf(
    ctx: Ctx,
    message: AttendantMessage,
  ): { text: string; isLiteral: boolean } | { file: StoredFile } | null {
    if (message.kind === "text") {
      return { text: message.text, isLiteral: message.isLiteral ?? false };
    }
    const file = message.stored ?? files.get(idOf(ctx, message.file));
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

/** When the customer has probably finished writing; null: it does not matter, because only language models read it as a whole. */
function quietFrom(
  { kind }: Helper,
  messages: TurnFacts["messages"],
  { afterMs, longestMs }: OutsideSettings["agentQuiet"],
): Date | null {
  const [first, last] = [messages.at(0), messages.at(-1)];
  if (kind !== "prompt" || !first || !last) return null;
  return min([addMilliseconds(last.at, afterMs), addMilliseconds(first.at, longestMs)]);
}

/** Whether the answer belongs to the question that would be asked now. */
function isAbout({ lastSeq, queueId }: Asked, { ticket, turn }: Held): boolean {
  return lastSeq === turn.lastSeq && queueId === ticket.queueId;
}

/** Queue and user of a hand-over are the company's, and stay until the commit. */
async function checkedAnswer(ctx: Ctx, tx: Tx, answer: OutsideAnswer): Promise<OutsideAnswer> {
  if (answer.kind !== "say" || answer.next.kind !== "handOver") return answer;
  const { queueId, userId } = answer.next;
  const hasQueue = await isHeld(ctx, tx, queues, queueId);
  const hasUser = hasQueue && (await isHeld(ctx, tx, users, userId));
  const next = {
    ...answer.next,
    queueId: hasQueue ? queueId : null,
    userId: hasUser ? (userId ?? null) : null,
  };
  return { ...answer, next };
}

async function isHeld(
  ctx: Ctx,
  tx: Tx,
  table: typeof queues | typeof users,
  id: number | null | undefined,
): Promise<boolean> {
  if (id == null) return false;
  const found = await tx.orm
    .select({ id: table.id })
    .from(table)
    .where(hasId(ctx, table, id))
    .for("key share");
  return found.length > 0;
}

/** The helper that has the ticket; null as well where the company's plan has no such helper any more. */
function helperOf(ticket: TicketRow, { facts }: StoredTurn): Helper | null {
  return ticket.useIntegration ? facts.helper : null;
}

function fieldsOf(helper: Helper | null) {
  return {
    useIntegration: helper !== null,
    promptId: helper?.kind === "prompt" ? helper.id : null,
    integrationId: helper?.kind === "integration" ? helper.id : null,
  };
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
  const { disableBot, helper, ...facts } = turn.facts;
  const { status, userId, isGroup } = ticket;
  return {
    ...facts,
    now,
    ticket: { ...placeBefore(ticket, turn), status, userId, isGroup, disableBot, helper },
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
  const { memory, helper } = turn.facts;
  const place = placeBefore(ticket, turn);
  return { place, isQueuedNow: false, usedChatbot: false, memory, sends: [], helper, ends: null };
}

function isSamePlace(one: Place, other: Place): boolean {
  return (
    one.queueId === other.queueId &&
    one.chatbot === other.chatbot &&
    one.queueOptionId === other.queueOptionId
  );
}
