import type { Tx } from "../../platform/db/database.ts";
import { isUnavailable } from "../../platform/db/database.ts";
import type { OutboundState } from "../../platform/db/schema/messages.ts";
import { inWork } from "../../platform/observing/work.ts";
import type {
  Capabilities,
  ChatProvider,
  ProviderErrorKind,
  ProviderFailure,
  SendOutcome,
} from "../port.ts";
import { LeaseLost } from "../port.ts";
import type {
  ChannelSettings,
  ConnectionDeps,
  DeliveryOutcome,
  Lease,
  OutboundSubject,
} from "./deps.ts";
import { waitAt } from "./deps.ts";
import { heldLease, isLocked, leaseValues, lockedTickets, transactionUnderLease } from "./lease.ts";
import type { StoredCommand } from "./outbound.ts";
import { commandOf } from "./outbound.ts";

export type OutboundRow = OutboundSubject &
  StoredCommand & {
    id: number;
    chatKey: string;
    priority: number;
    dueInMs: number;
  };

/** `isStopped`: the process is closing, and waits for no database that is away. */
type AttemptDeps = Pick<
  ConnectionDeps,
  "db" | "lease" | "handlers" | "settings" | "metrics" | "log"
> & { isStopped: () => boolean };

const RETRY_WAIT_MS = 500;
const HANDLER_ATTEMPTS = 5;

/** Makes one attempt to send a row. Returns the wait before the next one, null when no attempt follows here. */
export async function attemptSend(
  deps: AttemptDeps,
  provider: ChatProvider,
  row: OutboundRow,
): Promise<number | null> {
  const { companyId } = deps.lease;
  const work = { kind: "message", name: `outbound ${row.command}`, companyId } as const;
  return inWork(work, () => attemptOnce(deps, provider, row));
}

async function attemptOnce(
  deps: AttemptDeps,
  provider: ChatProvider,
  row: OutboundRow,
): Promise<number | null> {
  const { db, lease, settings, metrics } = deps;
  const attempt = await db.transaction({ companyId: lease.companyId }, (tx) =>
    claimOutbound(tx, lease, row.id),
  );
  if (attempt === null) return null;
  const outcome = await callProvider(deps, provider, row);
  const { command } = row;
  const { capabilities } = provider;
  const step = afterSend(outcome, { command, number: attempt, capabilities, settings });
  const isRecorded = await recordStep(deps, row, step);
  metrics.outbound(metricOf(step));
  return isRecorded && step.state === "queued" ? step.waitMs : null;
}

async function callProvider(
  { settings, log, lease }: AttemptDeps,
  provider: ChatProvider,
  row: OutboundRow,
): Promise<SendOutcome> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const command = commandOf(row);
    const limitMs = command.body.kind === "media" ? settings.sendFileMs : settings.sendMs;
    const timeout = new Promise<SendOutcome>((resolve) => {
      const failure = { kind: "temporary", code: "timeout" } as const;
      timer = setTimeout(() => resolve({ result: "unknown", failure }), limitMs);
    });
    return await Promise.race([provider.send(command), timeout]);
  } catch (error) {
    const { connectionId } = lease;
    log.error({ err: error, connectionId, messageId: row.messageId }, "a provider's send threw");
    return { result: "unknown", failure: { kind: "temporary" } };
  } finally {
    clearTimeout(timer);
  }
}

/** Records the outcome together with the product's handling of it. False: a report of the network came first. */
async function recordStep(deps: AttemptDeps, row: OutboundRow, step: NextStep): Promise<boolean> {
  const { db, lease, handlers } = deps;
  const { messageId, command, before } = row;
  const subject = { messageId, command, before };
  return retryRecording(deps, (isLastAttempt) =>
    db.transaction({ companyId: lease.companyId }, async (tx) => {
      const isOurs = await recordOutbound(tx, lease, row.id, step);
      const report = reportOf(subject, step);
      // A handler that keeps failing must not block the chat for ever.
      if (isOurs && report && !isLastAttempt) await handlers.sent(tx, lease, report);
      return isOurs;
    }),
  );
}

/**
 * Settles sends that an earlier session left without a known outcome: queued again where a second send is safe,
 * otherwise unconfirmed.
 */
export async function recoverSends(deps: AttemptDeps, provider: ChatProvider): Promise<void> {
  const { db, lease, handlers, settings } = deps;
  const safe = { resends: mayResend(provider.capabilities), withinMs: settings.resendWithinMs };
  await retryRecording(deps, (isLastAttempt) =>
    transactionUnderLease(db, lease, async (tx) => {
      const unconfirmed = await recoverOutbound(tx, lease, safe);
      if (isLastAttempt) return;
      for (const subject of unconfirmed) {
        const failure = { kind: "unconfirmed" } as const;
        await handlers.sent(tx, lease, { ...subject, result: "failed", failure });
      }
    }),
  );
}

/**
 * Retries until the work succeeds, because the send has happened: a few times on the work's own errors, without limit
 * while the database is away, unless the process stops.
 */
async function retryRecording<T>(
  { lease, log, isStopped }: AttemptDeps,
  work: (isLastAttempt: boolean) => Promise<T>,
): Promise<T> {
  for (let attempts = 1; ;) {
    try {
      return await work(attempts > HANDLER_ATTEMPTS);
    } catch (error) {
      if (error instanceof LeaseLost || attempts > HANDLER_ATTEMPTS) throw error;
      if (!isUnavailable(error)) attempts += 1;
      else if (isStopped()) throw error;
      log.warn({ err: error, connectionId: lease.connectionId }, "an outcome is not recorded yet");
      await new Promise((resolve) => setTimeout(resolve, RETRY_WAIT_MS));
    }
  }
}

/** The next state of an outbound row after a send. */
type NextStep =
  | { state: "sent"; result: "written" | "accepted" }
  /** A change that the network has accepted: no further report follows. */
  | { state: "done"; result: "accepted" }
  /** Sent again later, with the same id; `isCounted` is false when the attempt never started. */
  | { state: "queued"; waitMs: number; isCounted: boolean; failure: ProviderFailure }
  /** Ended: refused for good, or with an unknown outcome. */
  | { state: "failed" | "unconfirmed"; failure: ProviderFailure };

type Attempt = {
  command: OutboundSubject["command"];
  /** Attempts started, this one included. */
  number: number;
  capabilities: Capabilities;
  settings: ChannelSettings;
};

/** The meaning of each refusal: `wait` for a session (the attempt never started), send `again` later, or `final`. */
const refusals: Record<ProviderErrorKind, "wait" | "again" | "final"> = {
  "not-connected": "wait",
  "logged-out": "wait",
  "lease-lost": "wait",
  temporary: "again",
  "rate-limited": "again",
  "recipient-unchecked": "again",
  "recipient-unknown": "final",
  "bad-request": "final",
  auth: "final",
  banned: "final",
  restricted: "final",
  "window-closed": "final",
  unsupported: "final",
  "media-missing": "final",
  "media-too-big": "final",
  unconfirmed: "final",
};

/** Decides the next step from the outcome of one send (channels.md, "Sending exactly once"). */
export function afterSend(outcome: SendOutcome, attempt: Attempt): NextStep {
  if (outcome.result === "refused") return afterRefusal(outcome.failure, attempt);
  if (outcome.result === "unknown") return afterUnknown(outcome.failure, attempt);
  if (outcome.result === "accepted" && attempt.command !== "message") {
    return { state: "done", result: outcome.result };
  }
  return { state: "sent", result: outcome.result };
}

function afterRefusal(failure: ProviderFailure, attempt: Attempt): NextStep {
  const { outboundRetriesMs } = attempt.settings;
  const meaning = refusals[failure.kind];
  if (meaning === "wait") {
    return { state: "queued", waitMs: waitAt(outboundRetriesMs, 0), isCounted: false, failure };
  }
  if (meaning === "final" || attempt.number > outboundRetriesMs.length) {
    return { state: "failed", failure };
  }
  const waitMs = failure.retryAfterMs ?? waitAt(outboundRetriesMs, attempt.number - 1);
  return { state: "queued", waitMs, isCounted: true, failure };
}

function afterUnknown(failure: ProviderFailure, attempt: Attempt): NextStep {
  // A channel reports `unconfirmed` itself when another attempt cannot find out either.
  if (failure.kind === "unconfirmed" || attempt.number > mayResend(attempt.capabilities)) {
    return { state: "unconfirmed", failure: { ...failure, kind: "unconfirmed" } };
  }
  const waitMs = waitAt(attempt.settings.outboundRetriesMs, attempt.number - 1);
  return { state: "queued", waitMs, isCounted: true, failure };
}

/** How often a message with an unknown outcome may be sent again. */
function mayResend(capabilities: Capabilities): number {
  return capabilities.clientMessageId ? capabilities.resends : 0;
}

/** The outcome that is reported to the product; null while the send will be retried. */
function reportOf(subject: OutboundSubject, step: NextStep): DeliveryOutcome | null {
  if (step.state === "queued") return null;
  if (step.state === "sent" || step.state === "done") return { ...subject, result: step.result };
  return { ...subject, result: "failed", failure: step.failure };
}

function metricOf(step: NextStep): "sent" | "retried" | "failed" {
  if (step.state === "sent" || step.state === "done") return "sent";
  return step.state === "queued" ? "retried" : "failed";
}

const readQueued = {
  name: "outbound-read",
  text: `select id, message_id as "messageId", chat_key as "chatKey", to_kind as "toKind", to_value as "toValue",
                provider_id as "providerId", command, body, quote, before, priority,
                greatest(0, extract(epoch from due_at - now()) * 1000)::int as "dueInMs"
           from outbound
          where company_id = $1 and connection_id = $2 and state = 'queued' and priority < $3
          order by priority, id limit $4`,
};
const claimRow = {
  name: "outbound-claim",
  text: `with ${heldLease}, claimed as (
           update outbound set state = 'sending', attempt = attempt + 1, fence = $4, attempted_at = now()
            where company_id = $1 and id = $5 and state = 'queued' and exists (select 1 from held)
           returning attempt
         )
         select (select count(*) from held) as held, (select attempt from claimed) as attempt`,
};
const recordOutcome = {
  name: "outbound-record",
  text: `with ${heldLease}, ${lockedTickets("o.id = $5")}, recorded as (
           update outbound
              set state = $6, error_code = $7, due_at = now() + $8::int * interval '1 ms',
                  attempt = attempt - $9::int
            where company_id = $1 and id = $5 and state = 'sending' and fence = $4
              and exists (select 1 from held) and ${isLocked}
           returning 1
         )
         select (select count(*) from held) as held, (select count(*) from recorded) as recorded`,
};
const recoverRows = {
  name: "outbound-recover",
  text: `with ${heldLease}, ${lockedTickets("o.connection_id = $2 and o.state = 'sending'")}, judged as (
           select id, state as was,
                  attempt <= $5::int and attempted_at > now() - $6::int * interval '1 ms' as "isSafe",
                  attempted_at <= now() - $6::int * interval '1 ms' as "isOld"
             from outbound
            where company_id = $1 and connection_id = $2 and state in ('sending', 'sent')
              and exists (select 1 from held) and ${isLocked}
         )
         update outbound o
            set state = case when "isSafe" then 'queued' else 'unconfirmed' end, due_at = now()
           from judged
          where o.company_id = $1 and o.id = judged.id and o.state = was and ("isSafe" or was = 'sending' or "isOld")
         returning o.message_id as "messageId", o.command, o.before, o.state, was`,
};
const hurryQueued = {
  name: "outbound-hurry",
  text: `with ${heldLease}
         update outbound set due_at = now()
          where company_id = $1 and connection_id = $2 and state = 'queued' and due_at > now()
            and error_code = 'not-connected' and exists (select 1 from held)`,
};

/** Queued rows of the connection that are more urgent than `below`: the most urgent first, then the oldest. */
export async function readQueuedRows(
  tx: Tx,
  lease: Lease,
  { below, limit }: { below: number; limit: number },
): Promise<OutboundRow[]> {
  return tx.query<OutboundRow>(readQueued, [lease.companyId, lease.connectionId, below, limit]);
}

/** `queued → sending`. Returns the attempt's number, null when the row is no longer queued. */
async function claimOutbound(tx: Tx, lease: Lease, id: number): Promise<number | null> {
  const [answer] = await tx.query<{ held: number; attempt: number | null }>(claimRow, [
    ...leaseValues(lease),
    id,
  ]);
  if (answer?.held !== 1) throw new LeaseLost();
  return answer.attempt;
}

/** Records the step after our claim. False: a report of the network came first and has ended the row. */
async function recordOutbound(tx: Tx, lease: Lease, id: number, step: NextStep): Promise<boolean> {
  const isQueued = step.state === "queued";
  const [answer] = await tx.query<{ held: number; recorded: number }>(recordOutcome, [
    ...leaseValues(lease),
    id,
    step.state,
    "failure" in step ? step.failure.kind : null,
    isQueued ? step.waitMs : 0,
    isQueued && !step.isCounted ? 1 : 0,
  ]);
  if (answer?.held !== 1) throw new LeaseLost();
  return answer.recorded === 1;
}

/**
 * At a new session: sends without a known outcome return to the queue, with their ids, where that is safe; otherwise
 * they become unconfirmed. Rows that only waited for a session become due. Returns those that became unconfirmed during
 * a send; the others had reached the network and only lack an ack.
 */
async function recoverOutbound(
  tx: Tx,
  lease: Lease,
  safe: { resends: number; withinMs: number },
): Promise<OutboundSubject[]> {
  const rows = await tx.query<OutboundSubject & { state: OutboundState; was: OutboundState }>(
    recoverRows,
    [...leaseValues(lease), safe.resends, safe.withinMs],
  );
  await tx.query(hurryQueued, leaseValues(lease));
  return rows
    .filter(({ state, was }) => state === "unconfirmed" && was === "sending")
    .map(({ messageId, command, before }) => ({ messageId, command, before }));
}
