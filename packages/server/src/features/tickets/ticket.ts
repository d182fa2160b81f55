import type {
  ConnectionId,
  IntegrationId,
  PromptId,
  QueueId,
  ResolveReasonId,
  TicketChange,
  TicketStatus,
  UserId,
} from "@balcao/contract";
import { DomainError } from "../../platform/context.ts";

/** The fields of a ticket that its states are made of. */
export type TicketState = {
  status: TicketStatus;
  userId: UserId | null;
  queueId: QueueId | null;
  connectionId: ConnectionId | null;
  chatbot: boolean;
  queueOptionId: number | null;
  useIntegration: boolean;
  promptId: PromptId | null;
  integrationId: IntegrationId | null;
};

/**
 * A transition's effect on the attendance (behaviour 2.13). `continue` writes the unfinished one; `begin` opens the
 * next one, and ends one that still awaited its rating; `finish` ends it; `await-rating` ends it as far as people are
 * concerned: it is finished when the customer has answered, or does not. Its user, queue and connection are always
 * those of the ticket, or were when it ended.
 */
export type AttendanceStep = {
  kind: "continue" | "begin" | "finish" | "await-rating";
  userId: UserId | null;
  queueId: QueueId | null;
  connectionId: ConnectionId | null;
  /** The waiting time counts from now. */
  isQueuedNow: boolean;
  /** `now`: service begins, with a fresh rating; `reset`: it has not begun; `keep`: as it was. */
  started: "now" | "reset" | "keep";
  closedBy: UserId | null;
  /** Why it was resolved. */
  reasonId: ResolveReasonId | null;
  /** It begins because a user reopens the resolved ticket. */
  isReopened: boolean;
};

/** A ticket's next state; `attendance` is null where the attendances stay as they are. */
export type Transition = { state: TicketState; attendance: AttendanceStep | null };

/** A change as `PUT /tickets/:ticketId` takes it; what is left out stays. */
export type WantedChange = Partial<TicketChange>;

/** The user who changes a ticket; null: another program of the company. */
export type Changer = { userId: UserId | null; mayAssignOthers: boolean };

/** `unchanged`: the ticket is already so; `taken`: another user was quicker. */
export type Outcome =
  | { result: "changed"; transition: Transition }
  | { result: "unchanged" }
  | { result: "taken" };

/**
 * The ticket after an agent's change (wire-contract 6.1). `lastQueueId` is the queue of the newest attendance, which a
 * reopened ticket returns to. Throws ERR_TICKET_TRANSITION and ERR_NO_PERMISSION.
 */
export function changeTicket(
  ticket: TicketState,
  change: WantedChange,
  by: Changer,
  lastQueueId: QueueId | null,
): Outcome {
  const status = targetStatus(ticket, change);
  switch (status) {
    case "open":
      return openTicket(ticket, change, by, lastQueueId);
    case "pending":
      return changed(ticket, queueTicket(ticket, change));
    case "closed":
      if (ticket.status === "closed") return changed(ticket, keepClosed(ticket, change));
      return changed(ticket, resolveTicket(ticket, by.userId, change.reasonId));
  }
}

/**
 * The given status, or what a transfer means: to a user it is open, to a queue without a user it waits there again
 * (spec 4, "Transfer").
 */
function targetStatus(ticket: TicketState, change: WantedChange): TicketStatus {
  if (change.status !== undefined) return change.status;
  if (change.userId != null) return "open";
  const isOtherQueue = change.queueId != null && change.queueId !== ticket.queueId;
  const isGivenBack = change.queueId != null && change.userId === null;
  return isOtherQueue || isGivenBack ? "pending" : ticket.status;
}

/** Accept, reopen, or give an open ticket to another user. */
function openTicket(
  ticket: TicketState,
  change: WantedChange,
  by: Changer,
  lastQueueId: QueueId | null,
): Outcome {
  const isTransfer = change.status === undefined;
  const userId = wantedUser(ticket, change, by);
  if (ticket.status === "open") {
    const isGivenByItsAgent = ticket.userId === by.userId;
    const isOthers = ticket.userId !== null && ticket.userId !== userId;
    if (isOthers && !isTransfer && !isGivenByItsAgent) return { result: "taken" };
    return changed(ticket, assignTicket(ticket, change, userId));
  }
  if (userId !== by.userId && !isTransfer && !by.mayAssignOthers) {
    throw new DomainError("ERR_NO_PERMISSION");
  }
  if (userId === null) throw new DomainError("ERR_TICKET_TRANSITION");
  const opened = startService(ticket, change, userId);
  if (ticket.status === "pending") return changed(ticket, opened);
  return changed(ticket, reopened(opened, change, lastQueueId));
}

/** Without a user in the change: the caller who accepts; an open ticket that only moves keeps its user. */
function wantedUser(ticket: TicketState, change: WantedChange, by: Changer): UserId | null {
  const isAccept = change.status === "open";
  if (change.userId !== undefined) return change.userId ?? (isAccept ? by.userId : null);
  return isAccept ? by.userId : ticket.userId;
}

/** pending → open */
function startService(ticket: TicketState, change: WantedChange, userId: UserId): Transition {
  const state: TicketState = {
    ...withCommonFields(ticket, change),
    status: "open",
    userId,
    queueId: queueAfter(ticket, change),
    chatbot: change.chatbot ?? false,
    queueOptionId: null,
  };
  return {
    state,
    attendance: step("continue", state, {
      started: "now",
      isQueuedNow: isOtherQueue(ticket, state),
    }),
  };
}

/** closed → open: the same queue again, in a new attendance. */
function reopened(
  opened: Transition,
  change: WantedChange,
  lastQueueId: QueueId | null,
): Transition {
  const queueId = change.queueId === undefined ? lastQueueId : change.queueId;
  const state: TicketState = { ...opened.state, queueId };
  const begun = step("begin", state, { started: "now", isQueuedNow: true });
  return { state, attendance: { ...begun, isReopened: true } };
}

/** An open ticket gets another user, queue or connection; it stays open. */
function assignTicket(
  ticket: TicketState,
  change: WantedChange,
  userId: UserId | null,
): Transition {
  const state: TicketState = {
    ...withCommonFields(ticket, change),
    userId,
    queueId: queueAfter(ticket, change),
    chatbot: change.chatbot ?? ticket.chatbot,
  };
  const started = ticket.userId === null && userId !== null ? "now" : "keep";
  return {
    state,
    attendance: step("continue", state, { started, isQueuedNow: isOtherQueue(ticket, state) }),
  };
}

/** Return, or transfer to a queue: the ticket waits without a user. */
function queueTicket(ticket: TicketState, change: WantedChange): Transition {
  // A closed ticket waits again only when its customer writes or a user transfers it to a queue.
  if (ticket.status === "closed" && change.queueId == null) {
    throw new DomainError("ERR_TICKET_TRANSITION");
  }
  const state: TicketState = {
    ...withCommonFields(ticket, change),
    status: "pending",
    userId: null,
    queueId: queueAfter(ticket, change),
    chatbot: change.chatbot ?? ticket.chatbot,
  };
  const wasPending = ticket.status === "pending";
  const isReopened = ticket.status === "closed";
  const attendance = step(isReopened ? "begin" : "continue", state, {
    started: wasPending ? "keep" : "reset",
    isQueuedNow: !wasPending || isOtherQueue(ticket, state),
  });
  return { state, attendance: { ...attendance, isReopened } };
}

/** open or pending → closed. The attendance keeps user and queue. */
function resolveTicket(
  ticket: TicketState,
  closedBy: UserId | null,
  reasonId: ResolveReasonId | null = null,
): Transition {
  const finish = step("finish", ticket, { started: "keep", isQueuedNow: false });
  return {
    state: {
      ...ticket,
      status: "closed",
      userId: null,
      queueId: null,
      ...withoutBot,
    },
    attendance: { ...finish, closedBy, reasonId },
  };
}

/** The same resolved ticket, whose customer has been asked for a rating: its attendance awaits the answer (behaviour 2.8). */
export function awaitRating({ state, attendance }: Transition): Transition {
  return { state, attendance: attendance && { ...attendance, kind: "await-rating" } };
}

/** open → closed by itself: the customer has not answered for too long (behaviour 2.10). */
export function expires(ticket: TicketState): Transition {
  return resolveTicket(ticket, null);
}

/** pending → open: the queue gives it to a user, who has not acted yet (ADR 34). */
export function assigned(ticket: TicketState, userId: UserId): Transition {
  return startService(ticket, {}, userId);
}

/** A ticket that waits in no queue has waited too long and goes to this one; nobody has acted (behaviour 2.11). */
export function waitsInQueue(ticket: TicketState, queueId: QueueId): Transition {
  const state: TicketState = { ...ticket, queueId, chatbot: false, queueOptionId: null };
  return { state, attendance: step("continue", state, { started: "keep", isQueuedNow: true }) };
}

/** A closed ticket has no user and no queue to change; it may still move to another connection. */
function keepClosed(ticket: TicketState, change: WantedChange): Transition {
  const state: TicketState = { ...ticket, connectionId: change.whatsappId ?? ticket.connectionId };
  return { state, attendance: null };
}

/** closed → pending: nobody's, in the connection's only queue or in none (behaviour 1.6, wire-contract 6.6). */
export function customerWroteAgain(ticket: TicketState, onlyQueueId: QueueId | null): Transition {
  const state: TicketState = {
    ...ticket,
    status: "pending",
    userId: null,
    queueId: onlyQueueId,
    ...withoutBot,
  };
  return { state, attendance: step("begin", state, { started: "reset", isQueuedNow: true }) };
}

/** open or pending → pending without connection: it cannot be answered until a user gives it another one. */
export function losesConnection(ticket: TicketState): Transition {
  const wasOpen = ticket.status === "open";
  const state: TicketState = {
    ...ticket,
    status: "pending",
    userId: null,
    connectionId: null,
    ...withoutBot,
  };
  return {
    state,
    attendance: step("continue", state, {
      started: wasOpen ? "reset" : "keep",
      isQueuedNow: wasOpen,
    }),
  };
}

/**
 * The automatic attendant leads a waiting ticket on, with or without an AI agent or integration that answers; whoever serves
 * it does not change. `isQueuedNow`: it has been given a queue, where its waiting time counts from now.
 */
export function attendantLeads(
  ticket: TicketState,
  place: Omit<TicketState, "status" | "userId" | "connectionId">,
  isQueuedNow: boolean,
): Transition {
  if (ticket.status !== "pending" || ticket.userId !== null) {
    throw new DomainError("ERR_TICKET_TRANSITION");
  }
  const state: TicketState = { ...ticket, ...place };
  return { state, attendance: step("continue", state, { started: "keep", isQueuedNow }) };
}

/** A closed ticket of the same contact on another connection goes on where a moved one was. */
export function continueOn(closed: TicketState, moved: TicketState): Transition {
  const { status, userId, queueId } = moved;
  const state: TicketState = { ...closed, status, userId, queueId, ...withoutBot };
  const started = status === "open" ? "now" : "reset";
  return { state, attendance: step("begin", state, { started, isQueuedNow: true }) };
}

/** closed → open: the company writes first; the ticket may have no history yet (wire-contract 6.2). */
export function openAnew(
  closed: TicketState,
  holder: Pick<TicketState, "userId" | "queueId" | "connectionId">,
): Transition {
  const state: TicketState = { ...closed, status: "open", ...holder, ...withoutBot };
  return { state, attendance: step("begin", state, { started: "now", isQueuedNow: true }) };
}

const withoutBot = {
  chatbot: false,
  queueOptionId: null,
  useIntegration: false,
  promptId: null,
  integrationId: null,
};

/** Connection, AI agent and integration. */
function withCommonFields(ticket: TicketState, change: WantedChange): TicketState {
  const { useIntegration } = change;
  return {
    ...ticket,
    connectionId: change.whatsappId ?? ticket.connectionId,
    useIntegration: useIntegration === undefined ? ticket.useIntegration : useIntegration === true,
    promptId: change.promptId === undefined ? ticket.promptId : change.promptId,
    integrationId: change.integrationId === undefined ? ticket.integrationId : change.integrationId,
  };
}

function queueAfter(ticket: TicketState, change: WantedChange): QueueId | null {
  return change.queueId === undefined ? ticket.queueId : change.queueId;
}

function isOtherQueue(before: TicketState, after: TicketState): boolean {
  return after.queueId !== null && after.queueId !== before.queueId;
}

function step(
  kind: AttendanceStep["kind"],
  { userId, queueId, connectionId }: TicketState,
  rest: Pick<AttendanceStep, "isQueuedNow" | "started">,
): AttendanceStep {
  const usual = { closedBy: null, reasonId: null, isReopened: false };
  return { kind, userId, queueId, connectionId, ...usual, ...rest };
}

function changed(before: TicketState, transition: Transition): Outcome {
  const { state } = transition;
  const isSame =
    before.status === state.status &&
    before.userId === state.userId &&
    before.queueId === state.queueId &&
    before.connectionId === state.connectionId &&
    before.chatbot === state.chatbot &&
    before.queueOptionId === state.queueOptionId &&
    before.useIntegration === state.useIntegration &&
    before.promptId === state.promptId &&
    before.integrationId === state.integrationId;
  return isSame ? { result: "unchanged" } : { result: "changed", transition };
}
