import type { ErrorCode, UserId } from "@balcao/contract";
import { subMinutes } from "date-fns/subMinutes";
import type { Ctx } from "../../platform/context.ts";
import { DomainError, systemCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { isUnavailable } from "../../platform/db/unavailable.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import type { MediaFiles, StoredFile } from "../media/index.ts";
import type { Outgoing } from "../messages/index.ts";
import type { TicketRow, TicketsFeature } from "../tickets/index.ts";
import { lockTicket, pickConnection } from "../tickets/index.ts";
import type { ScheduleEvents } from "./events.ts";
import { afterFailure } from "./retry.ts";
import type { ScheduleRow } from "./schedule.ts";
import type { Claim } from "./sending-repository.ts";
import {
  claimDueAcrossCompanies,
  findConnectedTicket,
  lockClaim,
  noteFailure,
  noteHandedOver,
  returnClaimsAcrossCompanies,
  returnLostAcrossCompanies,
  settleAcrossCompanies,
} from "./sending-repository.ts";

export type SendingDeps = {
  db: Database;
  sources: { clock: Clock; ids: IdSource };
  log: Logger;
  media: Pick<MediaFiles, "describeFile" | "removeUnused">;
  tickets: Pick<TicketsFeature, "findOrCreateClosedTicket">;
  outgoing: Outgoing;
  events: ScheduleEvents;
};

/** Taken and not handed over for so long: whoever took it is no more (behaviour 4). */
const LOST_AFTER_MINUTES = 5;
/** In one round: few enough that a round is short, and that one company does not take all of it. */
const CLAIM = { perCompany: 20, limit: 100 };
const AT_ONCE = 4;

/**
 * Sends what is due (behaviour 4). A schedule is claimed in one transaction (AGENDADA) and becomes a message in another,
 * which stores message, outbound row and the message's id in the schedule together: it is sent once, whatever dies when.
 * The channel's queue has its own tries; what it gives up is given up here too.
 */
export function createScheduleSending(deps: SendingDeps) {
  const { db, media, events, outgoing, log } = deps;
  const { clock, ids } = deps.sources;

  /**
   * One round: what ended, what was lost, what is due. Any process may run it at any time; at the signal it gives back
   * what it has not begun.
   */
  async function round(signal: AbortSignal): Promise<void> {
    const now = clock.now();
    const since = subMinutes(now, LOST_AFTER_MINUTES);
    const claimed = await db.acrossCompanies(async (tx) => {
      tell(tx, await settleAcrossCompanies(tx, now, since));
      tell(tx, await returnLostAcrossCompanies(tx, now, since));
      const rows = await claimDueAcrossCompanies(tx, now, CLAIM);
      tell(tx, rows);
      return rows;
    });
    const waiting = claimed.flatMap(toClaims);
    const work = async (): Promise<void> => {
      while (!signal.aborted) {
        const claim = waiting.shift();
        if (!claim) return;
        await sendIfPossible(claim);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    await giveBack(waiting);
  }

  async function giveBack(claims: readonly Claim[]): Promise<void> {
    if (claims.length === 0) return;
    await db.acrossCompanies(async (tx) =>
      tell(tx, await returnClaimsAcrossCompanies(tx, claims, clock.now())),
    );
  }

  function tell(tx: Tx, rows: readonly ScheduleRow[]): void {
    for (const row of rows) events.saved(tx, row, "update");
  }

  async function sendIfPossible(claim: Claim): Promise<void> {
    try {
      await send(systemCtx(claim.companyId, "schedules", ids.uuid()), claim);
    } catch (error) {
      // The claim stays as it is and is found again, by a later round or another process.
      const { companyId, id } = claim;
      log.warn({ err: error, companyId, scheduleId: id }, "a scheduled message has to wait");
    }
  }

  async function send(ctx: Ctx, claim: Claim): Promise<void> {
    let file: StoredFile | null = null;
    try {
      file = await fileOf(claim);
      await handOver(ctx, claim, file);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      await recordFailure(ctx, claim, codeOf(claim, error));
    } finally {
      // Made for the message; there may be none.
      if (file?.thumbnailKey) await media.removeUnused(claim.companyId, [file.thumbnailKey]);
    }
  }

  async function fileOf({ companyId, fileKey, fileName }: Claim): Promise<StoredFile | null> {
    if (fileKey === null) return null;
    const file = await media.describeFile(companyId, fileKey, fileName ?? fileKey);
    if (!file) throw new DomainError("ERR_FILE_MISSING");
    return file;
  }

  async function handOver(ctx: Ctx, claim: Claim, file: StoredFile | null): Promise<void> {
    await db.transaction(ctx, async (tx) => {
      const schedule = await lockClaim(ctx, tx, claim);
      if (!schedule) return; // people have changed it: it is no longer for now
      const ticket = await ticketFor(ctx, tx, schedule);
      const sent = await outgoing.send(ctx, tx, ticket, {
        text: schedule.body,
        ...(file ? { file } : {}),
        ...writerOf(schedule),
      });
      if (!sent) throw new Error("a message without client id cannot be a repetition");
      const { messageId, ticketId } = sent.message;
      const handedOver = { messageId, ticketId, now: clock.now() };
      const row = await noteHandedOver(ctx, tx, schedule.id, handedOver);
      if (row) events.saved(tx, row, "update");
    });
  }

  /** The contact's newest ticket while its connection is connected, else the one on the connection that sends then. */
  async function ticketFor(ctx: Ctx, tx: Tx, schedule: ScheduleRow): Promise<TicketRow> {
    const { contactId, userId } = schedule;
    const newest = await findConnectedTicket(ctx, tx, contactId);
    const ticket = newest === null ? undefined : await lockTicket(ctx, tx, newest);
    if (ticket) return ticket;
    const connectionId = await pickConnection(ctx, tx, userId);
    return deps.tickets.findOrCreateClosedTicket(ctx, tx, contactId, connectionId);
  }

  async function recordFailure(ctx: Ctx, claim: Claim, code: ErrorCode): Promise<void> {
    await db.transaction(ctx, async (tx) => {
      const schedule = await lockClaim(ctx, tx, claim);
      if (!schedule) return;
      const now = clock.now();
      const next = afterFailure(schedule, code, now);
      const row = await noteFailure(ctx, tx, schedule.id, next, now);
      if (row) events.saved(tx, row, "update");
    });
  }

  /** Why it was not sent, for people. What is no refusal is a fault of ours, and logged. */
  function codeOf({ companyId, id }: Claim, error: unknown): ErrorCode {
    if (error instanceof DomainError) return error.code;
    log.error({ err: error, companyId, scheduleId: id }, "a scheduled message was not handed over");
    return "ERR_SENDING_WAPP_MSG";
  }

  return { round };
}

function toClaims({ companyId, id, lockedAt, fileKey, fileName }: ScheduleRow): Claim[] {
  return lockedAt === null ? [] : [{ companyId, id, lockedAt, fileKey, fileName }];
}

function writerOf({ userId, userName }: ScheduleRow): { writer?: { id: UserId; name: string } } {
  return userId === null ? {} : { writer: { id: userId, name: userName ?? "" } };
}
