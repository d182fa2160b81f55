import type {
  InputOf,
  Mail,
  MailId,
  MailKind,
  MailState,
  ResultOf,
  SheetLanguage,
} from "@balcao/contract";
import {
  limits,
  mailStates,
  pageSizes,
  PRODUCT_COLOR,
  PRODUCT_NAME,
  resetCodeAlphabet,
} from "@balcao/contract";
import { addMilliseconds } from "date-fns/addMilliseconds";
import { subDays } from "date-fns/subDays";
import { subHours } from "date-fns/subHours";
import type { SQL } from "drizzle-orm";
import { and, desc, eq, getTableColumns, gt, lt, lte, not, or, sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import {
  columnsOf,
  contains,
  listTotal,
  readPage,
  requireRow,
  toIso,
  toIsoOrNull,
} from "../../platform/db/records.ts";
import { companies, mails, users } from "../../platform/db/schema/index.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Routes } from "../../platform/http/routes.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Clock } from "../../platform/sources.ts";
import type { MailBrand } from "../brands/index.ts";
import type { Delivery, MailAddress, MailServer } from "./smtp.ts";
import { oneLine } from "./smtp.ts";
import type { NewMail } from "./templates.ts";
import { composeMail } from "./templates.ts";

export { mailStops } from "./notices.ts";
export { createSmtpServer } from "./smtp.ts";
export type { MailServer } from "./smtp.ts";
export type { NewMail, Stop } from "./templates.ts";

export type MailsDeps = {
  db: Database;
  clock: Clock;
  wake: Wake;
  log: Logger;
  /** Null: e-mails are held. */
  server: MailServer | null;
  /** How e-mails call an installation without a brand; "" is the product's name. */
  brand: string;
  /** The default brand; null without one. */
  brandOf?: () => Promise<MailBrand | null>;
  lookEveryMs?: number;
};

export type MailsFeature = ReturnType<typeof createMailsFeature>;

/** Wakes the processes that send e-mail. */
const TOPIC = "mails";
const LOOK_EVERY_MS = 30_000;
const AT_ONCE = 4;
const HELD_MAX = 20;

/**
 * E-mail (docs/mail.md). One that is added is a row in the transaction of the change that it tells of, and is sent by any process
 * that works on jobs: never lost, and sent twice only if a process crashes between the mail server's answer and its record.
 */
export function createMailsFeature(deps: MailsDeps) {
  const sending = createSender(deps);
  return {
    /** Has an e-mail sent once the transaction has committed. */
    add: (tx: Tx, mail: NewMail) => addMails(deps, tx, [mail]),

    /** The same for many, with one statement. */
    addAll: (tx: Tx, added: readonly NewMail[]) => addMails(deps, tx, added),

    /** For processes that work on jobs. */
    async start(): Promise<void> {
      await adaptToServer(deps);
      if (deps.server) sending.start();
    },
    stop: () => sending.stop(),

    /** For the job runner. */
    sweep: () => sweepMails(deps),

    register(routes: Routes): void {
      routes.handle("GET /mails", ({ query }) => listMailsAcrossCompanies(deps, query));
      routes.handle("POST /mails/test", ({ ctx, body }) => sendTest(deps, ctx, body.language));
      routes.handle("POST /mails/:mailId/send", ({ params }) =>
        sendAgainAcrossCompanies(deps, params.mailId),
      );
    },
  };
}

type Row = typeof mails.$inferSelect;

async function addMails(deps: MailsDeps, tx: Tx, added: readonly NewMail[]): Promise<void> {
  if (added.length === 0) return;
  const now = deps.clock.now();
  const begun = { state: deps.server ? "waiting" : "held", dueAt: now, createdAt: now } as const;
  const rows = await Promise.all(added.map((mail) => columnsFor(deps, mail)));
  await tx.orm.insert(mails).values(rows.map((row) => ({ ...row, ...begun })));
  deps.wake.notify(tx, TOPIC);
}

async function columnsFor(
  { brand, brandOf }: MailsDeps,
  { companyId, to, language, ...content }: NewMail,
) {
  const reader = { name: oneLine(to.name), address: to.address };
  const own = await brandOf?.();
  const frame = {
    ...{ ...reader, language },
    brand: own?.name ?? (brand === "" ? PRODUCT_NAME : brand),
    color: own?.color ?? PRODUCT_COLOR,
  };
  return { companyId, kind: content.kind, ...reader, ...composeMail(frame, content) };
}

const HOUR_MS = 3_600_000;
/** How long the code of an e-mail is valid. E-mails of other kinds have no end. */
const holdsMs: Partial<Record<MailKind, number>> = {
  "password-reset": limits.resetCodeMinutes * 60_000,
  invitation: limits.invitationHours * HOUR_MS,
};

function isOver({ kind, createdAt }: Pick<Row, "kind" | "createdAt">, at: Date): boolean {
  const forMs = holdsMs[kind];
  return forMs !== undefined && createdAt.getTime() + forMs <= at.getTime();
}

/** The same as a condition. */
const isOverAt = (now: Date): SQL =>
  or(
    ...Object.entries(holdsMs).map(([kind, forMs]) => {
      const isKind = sql`${mails.kind} = ${kind}`;
      return and(isKind, lte(mails.createdAt, addMilliseconds(now, -forMs)));
    }),
  ) ?? sql`false`;

/** E-mails that were held for longer are not sent when there is a mail server at last: they would surprise. */
const HELD_HOURS = 24;

/** At a start: with a mail server what was held lately waits, without one what waits is held. */
async function adaptToServer({ db, clock, server }: MailsDeps): Promise<void> {
  const now = clock.now();
  const isWanted = and(gt(mails.createdAt, subHours(now, HELD_HOURS)), not(isOverAt(now)));
  await db.acrossCompanies(({ orm }) =>
    server
      ? orm
          .update(mails)
          .set({ state: "waiting", dueAt: now })
          .where(and(eq(mails.state, "held"), isWanted))
      : orm.update(mails).set({ state: "held" }).where(eq(mails.state, "waiting")),
  );
}

/** Longer than a mail server may take. An e-mail that is claimed for longer was lost with its process. */
const CLAIM_MS = 5 * 60_000;

function createSender(deps: MailsDeps): DueWorker<Row> {
  const { wake, log, lookEveryMs = LOOK_EVERY_MS } = deps;
  return new DueWorker<Row>({
    name: "mails",
    log,
    lookEveryMs,
    wokenBy: { wake, topic: TOPIC, inMs: 0 },
    look: (limit) => claimDue(deps, limit),
    work: {
      atOnce: AT_ONCE,
      batch: HELD_MAX,
      idOf: ({ id, dueAt }) => `${id} ${dueAt.getTime()}`,
      companyOf: ({ companyId }) => companyId,
      run: async (mail) => {
        await sendClaimed(deps, mail);
      },
      giveBack: (claimed) => giveBack(deps, claimed),
    },
  });
}

async function claimDue({ db, clock }: MailsDeps, limit: number) {
  const now = clock.now();
  const until = addMilliseconds(now, CLAIM_MS);
  return db.acrossCompanies(async (tx) => {
    const due = await tx.query<Row>(claimStatement, [now, limit, until]);
    const [next] = await tx.query<{ at: Date | null }>(nextStatement);
    return { due, nextInMs: next?.at ? next.at.getTime() - now.getTime() : null };
  });
}

async function giveBack({ db, clock }: MailsDeps, claimed: readonly Row[]): Promise<void> {
  const values = [clock.now(), claimed.map(({ id }) => id), claimed.map(({ dueAt }) => dueAt)];
  await db.acrossCompanies((tx) => tx.query(giveBackStatement, values));
}

/** Sends an e-mail under its claim and records the outcome. */
async function sendClaimed(deps: MailsDeps, mail: Row): Promise<void> {
  const over = { isTaken: false, words: "its code has expired", isFinal: true } as const;
  const delivery = isOver(mail, deps.clock.now()) ? over : await deliver(deps, mail);
  const outcome = outcomeOf(mail, delivery, deps.clock.now());
  await record(deps, mail, outcome);
  if (outcome.state !== "failed") return;
  const { id, companyId, kind, tries } = mail;
  deps.log.warn({ mailId: id, companyId, kind, tries }, "an e-mail was given up");
}

async function deliver({ server }: MailsDeps, mail: Row): Promise<Delivery> {
  if (!server) throw new Error("without a mail server nothing is claimed");
  const { id, name, address, subject, text, html, createdAt } = mail;
  const letterId = `balcao.${id}.${createdAt.getTime()}`;
  return server.send({ id: letterId, to: { name, address }, subject, text, html });
}

/** Waits after refusals that may pass: a full mailbox, a server that is away or wants the sender to come again. */
const RETRY_MINUTES = [1, 5, 30, 120, 360];

type Outcome = Pick<Row, "state" | "dueAt" | "fault" | "sentAt">;

/** The state of an e-mail after a try, which `tries` counts. It is given up if the next try would come after its end. */
export function outcomeOf(
  mail: Pick<Row, "kind" | "createdAt" | "tries">,
  delivery: Delivery,
  now: Date,
): Outcome {
  if (delivery.isTaken) return { state: "sent", dueAt: now, fault: null, sentAt: now };
  const minutes = delivery.isFinal ? undefined : RETRY_MINUTES[mail.tries - 1];
  const next = addMilliseconds(now, (minutes ?? 0) * 60_000);
  const isGivenUp = minutes === undefined || isOver(mail, next);
  const state = isGivenUp ? "failed" : "waiting";
  return { state, dueAt: next, fault: delivery.words, sentAt: null };
}

/** Nothing, where the claim was lost meanwhile. */
async function record(
  { db }: MailsDeps,
  { id, dueAt }: Row,
  outcome: Outcome,
): Promise<Row | undefined> {
  const isClaimed = and(eq(mails.id, id), eq(mails.state, "waiting"), eq(mails.dueAt, dueAt));
  const [saved] = await db.acrossCompanies(({ orm }) =>
    orm.update(mails).set(outcome).where(isClaimed).returning(),
  );
  return saved;
}

async function listMailsAcrossCompanies(
  { db, clock, server }: MailsDeps,
  { searchParam, pageNumber, state }: InputOf<"GET /mails">["query"],
): Promise<ResultOf<"GET /mails">> {
  const isFound = or(
    contains(mails.subject, searchParam),
    contains(mails.name, searchParam),
    contains(mails.address, searchParam),
    contains(companies.name, searchParam),
  );
  return db.acrossCompanies(async (tx) => {
    const { rows, ...page } = await readPage(pageNumber, pageSizes.mails, (limit, offset) =>
      tx.orm
        .select({ ...getTableColumns(mails), company: companies.name, total: listTotal })
        .from(mails)
        .innerJoin(companies, eq(companies.id, mails.companyId))
        .where(and(isFound, state && eq(mails.state, state)))
        .orderBy(desc(mails.createdAt), desc(mails.id))
        .limit(limit)
        .offset(offset),
    );
    const counted = await tx.query<{ state: MailState; count: number }>(countsStatement);
    const of = (one: MailState): number => counted.find((row) => row.state === one)?.count ?? 0;
    const byState = Object.fromEntries(mailStates.map((one) => [one, of(one)]));
    const all = counted.reduce((sum, { count }) => sum + count, 0);
    return {
      mails: rows.map((row) => toMail(row, row.company, clock.now())),
      ...page,
      // Every state is in `mailStates`.
      totals: { all, ...byState } as ResultOf<"GET /mails">["totals"],
      server: server && { host: server.host, from: addressText(server.from) },
    };
  });
}

/** Sends at once, and never again: the caller waits for the answer. */
async function sendTest(
  deps: MailsDeps,
  { companyId, actor }: UserCtx,
  language: SheetLanguage,
): Promise<ResultOf<"POST /mails/test">> {
  if (!deps.server) throw new DomainError("ERR_NO_MAIL_SERVER");
  const { db, clock } = deps;
  const now = clock.now();
  const claimed = await db.acrossCompanies(async ({ orm }) => {
    const found = await orm
      .select({ name: users.name, address: users.email })
      .from(users)
      .where(and(eq(users.companyId, companyId), eq(users.id, actor.userId)));
    const to = requireRow(found, "ERR_NO_USER_FOUND");
    const columns = await columnsFor(deps, { companyId, to, language, kind: "test", data: {} });
    const dueAt = addMilliseconds(now, CLAIM_MS);
    const saved = await orm
      .insert(mails)
      .values({ ...columns, state: "waiting", tries: 1, dueAt, createdAt: now })
      .returning();
    return requireRow(saved);
  });
  const delivery = await deliver(deps, claimed);
  const once = delivery.isTaken ? delivery : { ...delivery, isFinal: true };
  const saved = await record(deps, claimed, outcomeOf(claimed, once, clock.now()));
  const mail = await toMailOfCompany(deps, saved ?? claimed);
  return { mail, answer: delivery.words };
}

async function sendAgainAcrossCompanies(deps: MailsDeps, id: MailId): Promise<Mail> {
  const { db, clock, server, wake } = deps;
  const now = clock.now();
  const row = await db.acrossCompanies(async (tx) => {
    const locked = await tx.orm.select().from(mails).where(eq(mails.id, id)).for("update");
    const mail = requireRow(locked, "ERR_NO_MAIL_FOUND");
    if (!server) throw new DomainError("ERR_NO_MAIL_SERVER");
    if (isOver(mail, now)) throw new DomainError("ERR_MAIL_OVER");
    if (mail.state === "sent" || mail.state === "waiting") return mail;
    wake.notify(tx, TOPIC);
    const saved = await tx.orm
      .update(mails)
      .set({ state: "waiting", tries: 0, dueAt: now })
      .where(eq(mails.id, id))
      .returning();
    return requireRow(saved);
  });
  return toMailOfCompany(deps, row);
}

async function toMailOfCompany({ db, clock }: MailsDeps, row: Row): Promise<Mail> {
  const found = await db.acrossCompanies(({ orm }) =>
    orm.select({ name: companies.name }).from(companies).where(eq(companies.id, row.companyId)),
  );
  return toMail(row, requireRow(found).name, clock.now());
}

function toMail(row: Row, companyName: string, now: Date): Mail {
  const { id, companyId, kind, name, address, subject, text, state, tries, fault } = row;
  return {
    ...{ id, kind, name, address, subject, text, state, tries, fault },
    company: { id: companyId, name: companyName },
    maySend: (state === "failed" || state === "held") && !isOver(row, now),
    sentAt: toIsoOrNull(row.sentAt),
    createdAt: toIso(row.createdAt),
  };
}

const addressText = ({ name, address }: MailAddress): string =>
  name === "" ? address : `${name} <${address}>`;

const KEPT_DAYS = 30;
const one = `[${resetCodeAlphabet}]`;
const SHOWN_CODE = `${one}{${limits.resetCodeLength / 2}}-${one}{${limits.resetCodeLength / 2}}`;
const BLANK_CODE = "••••-••••";

/** Deletes old e-mails, and takes codes that are void out of the others. */
async function sweepMails({ db, clock }: MailsDeps): Promise<void> {
  const now = clock.now();
  const without = (text: typeof mails.text | typeof mails.html) =>
    sql`regexp_replace(${text}, ${SHOWN_CODE}, ${BLANK_CODE}, 'g')`;
  await db.acrossCompanies(async ({ orm }) => {
    await orm.delete(mails).where(lt(mails.createdAt, subDays(now, KEPT_DAYS)));
    await orm
      .update(mails)
      .set({ text: without(mails.text), html: without(mails.html) })
      .where(and(isOverAt(now), sql`${mails.text} ~ ${SHOWN_CODE}`));
  });
}

const claimStatement = {
  name: "mails.claim",
  text: `
with due as materialized (
  select id from mails where state = 'waiting' and due_at <= $1
  order by due_at, id limit $2 for update skip locked
)
update mails set due_at = $3, tries = tries + 1
from due where mails.id = due.id
returning ${columnsOf(mails, "mails")}`,
};

const nextStatement = {
  name: "mails.next",
  text: "select min(due_at) as at from mails where state = 'waiting'",
};

const giveBackStatement = {
  name: "mails.give-back",
  text: `
update mails set due_at = $1, tries = tries - 1
from unnest($2::int[], $3::timestamptz[]) as claim (claimed_id, claimed_at)
where mails.id = claimed_id and state = 'waiting' and due_at = claimed_at`,
};

const countsStatement = {
  name: "mails.counts",
  text: "select state, count(*)::int as count from mails group by state",
};
