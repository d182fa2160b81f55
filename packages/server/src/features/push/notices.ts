import type { CompanyId, PushNoticeKind, UserId } from "@balcao/contract";
import { addMilliseconds } from "date-fns/addMilliseconds";
import type { Ctx } from "../../platform/context.ts";
import { actingUser } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { holds } from "../../platform/db/records.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Clock } from "../../platform/sources.ts";

/** Wakes the processes that send. */
export const PUSH_TOPIC = "push";
/** Tells all processes that a company has a subscription more. */
const SUBSCRIBERS_TOPIC = "push-subscribers";

export type NoticesDeps = {
  db: Database;
  clock: Clock;
  wake: Wake;
  log: Logger;
  domainEvents: DomainEvents;
  settings: NoticeSettings;
};

export type NoticeSettings = {
  /** A page that is open reads a message within this time: then nothing is sent. */
  graceMs: number;
  /** Between two messages about the same thing. */
  apartMs: number;
};

export const defaultNoticeSettings: NoticeSettings = { graceMs: 2_000, apartMs: 20_000 };

/**
 * The companies in which anybody gets push messages. All others pay nothing for them: no statement is made. News of other
 * processes come at once; one that was lost is made good by the next reading.
 */
export function createSubscribers({ db, wake, log }: Pick<NoticesDeps, "db" | "wake" | "log">) {
  let companies: ReadonlySet<CompanyId> = new Set();
  let changes = 0;
  let timer: NodeJS.Timeout | undefined;
  let stopListening = (): void => undefined;

  async function read(): Promise<void> {
    try {
      // A reading that had begun before a change may be without it.
      for (let seen = -1; seen !== changes;) {
        seen = changes;
        type Row = { companyId: CompanyId };
        const rows = await db.readAcrossCompanies<Row>(companiesStatement, []);
        if (seen === changes) companies = new Set(rows.map(({ companyId }) => companyId));
      }
    } catch (error) {
      log.warn({ err: error }, "the subscribers of push messages could not be read");
    }
  }

  return {
    has: (companyId: CompanyId) => companies.has(companyId),
    /** A subscription was added: this process knows at once, the others in a moment. */
    added(tx: Tx, companyId: CompanyId): void {
      tx.onCommit(() => {
        changes += 1;
        companies = new Set([...companies, companyId]);
      });
      wake.notify(tx, SUBSCRIBERS_TOPIC);
    },
    async start(): Promise<void> {
      stopListening = wake.on(SUBSCRIBERS_TOPIC, () => {
        changes += 1;
        void read();
      });
      timer = setInterval(() => void read(), READ_EVERY_MS).unref();
      await read();
    },
    stop(): void {
      stopListening();
      clearInterval(timer);
    },
  };
}

const READ_EVERY_MS = 10 * 60_000;

export type Subscribers = ReturnType<typeof createSubscribers>;

type Subject = { kind: PushNoticeKind; targetId: number };

/** The notifications about one thing have one tag, whatever is new about it. */
export function tagOf({ kind, targetId }: Subject): string {
  const isTicket = kind === "assigned" || kind === "message" || kind === "waiting";
  return `${isTicket ? "ticket" : kind}-${targetId}`;
}

/**
 * Queues a notice in the transaction of the change that it tells of, for each of these users who has a subscription. Who wants
 * it, and who may know, is decided when it is sent.
 */
export function subscribeNotices(deps: NoticesDeps, subscribers: Subscribers): void {
  const { domainEvents } = deps;

  async function tell(ctx: Ctx, tx: Tx, to: Readers, subject: Subject): Promise<void> {
    if (!subscribers.has(ctx.companyId)) return;
    const now = deps.clock.now();
    const statement =
      to === "responsible"
        ? responsibleStatement
        : "userIds" in to
          ? usersStatement
          : queueStatement;
    const added = await tx.query<{ id: number }>(statement, [
      ...[ctx.companyId, tagOf(subject), subject.kind, subject.targetId],
      ...[addMilliseconds(now, deps.settings.graceMs), now, deps.settings.apartMs],
      ...valuesOf(to),
    ]);
    if (added.length > 0) deps.wake.notify(tx, PUSH_TOPIC);
  }

  domainEvents.on("message.stored", async (ctx, tx, { ticket, arrival, isHistory }) => {
    if (!arrival || isHistory || arrival.rating !== null) return;
    if (ticket.status === "open" && ticket.userId !== null) {
      const subject = { kind: "message", targetId: ticket.id } as const;
      await tell(ctx, tx, { userIds: [ticket.userId] }, subject);
      return;
    }
    // A called attendant says that the ticket waits when its turn is over.
    const begins = arrival.before?.status !== "pending" && !arrival.callsAttendant;
    if (ticket.status !== "pending" || ticket.chatbot || !begins) return;
    await tell(ctx, tx, ticket, { kind: "waiting", targetId: ticket.id });
  });
  domainEvents.on("ticket.waits", async (ctx, tx, { ticket }) => {
    if (ticket.status !== "pending" || ticket.chatbot) return;
    await tell(ctx, tx, ticket, { kind: "waiting", targetId: ticket.id });
  });
  domainEvents.on("ticket.changed", async (ctx, tx, { before, after }) => {
    const { id, userId, status } = after;
    const isNew = before.userId !== userId || before.status !== "open";
    if (status !== "open" || userId === null || !isNew || actingUser(ctx) === userId) return;
    await tell(ctx, tx, { userIds: [userId] }, { kind: "assigned", targetId: id });
  });
  domainEvents.on("note.mentioned", (ctx, tx, { noteId, userIds }) =>
    tell(ctx, tx, { userIds }, { kind: "mention", targetId: noteId }),
  );
  domainEvents.on("chat.written", (ctx, tx, { chatId, userIds }) =>
    tell(ctx, tx, { userIds }, { kind: "chat", targetId: chatId }),
  );
  domainEvents.on("connection.lost", (ctx, tx, { connectionId }) =>
    tell(ctx, tx, "responsible", { kind: "connection", targetId: connectionId }),
  );
}

/** Users by their ids, those of a ticket's queue, or those who answer for connections. */
type Readers = { userIds: readonly UserId[] } | { queueId: number | null } | "responsible";

function valuesOf(to: Readers): unknown[] {
  if (to === "responsible") return [];
  return "userIds" in to ? [[...to.userIds]] : [to.queueId];
}

const companiesStatement = {
  name: "push.subscribed-companies-across-companies",
  text: `select distinct company_id as "companyId" from push_subscriptions`,
};

/** In the order of users, so that two transactions never wait for each other. One that waits already keeps its time. */
const addTo = (readers: string): string => `
insert into push_notices (company_id, user_id, subject, kind, target_id, due_at, created_at)
select u.company_id, u.id, $2, $3, $4, $5, $6
from users u
where u.company_id = $1 and u.deleted_at is null and ${readers}
  and exists (select from push_subscriptions s where s.company_id = u.company_id and s.user_id = u.id)
order by u.id
on conflict (company_id, user_id, subject) do update set
  kind = excluded.kind, version = push_notices.version + 1, tries = 0, left_for = null,
  due_at = coalesce(push_notices.due_at,
    greatest(excluded.due_at, push_notices.told_at + $7::int * interval '1 ms'))
returning id`;

const usersStatement = { name: "push.add-for-users", text: addTo("u.id = any($8::int[])") };
const responsibleStatement = {
  name: "push.add-for-responsible",
  text: addTo(holds("u", "connections:manage")),
};
const queueStatement = {
  name: "push.add-for-queue",
  text: addTo(`case when $8::int is null then u.all_ticket = 'enabled'
    else exists (select from user_queues q
      where q.company_id = u.company_id and q.user_id = u.id and q.queue_id = $8) end`),
};
