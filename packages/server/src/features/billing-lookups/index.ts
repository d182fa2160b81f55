import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { BillingSystem, CompanyId, ReplyOf } from "@balcao/contract";
import { billingKeys, billingSystemsOf } from "@balcao/contract";
import { addMilliseconds } from "date-fns/addMilliseconds";
import { z } from "zod";
import { subDays } from "date-fns/subDays";
import { subHours } from "date-fns/subHours";
import { encode } from "uqr";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { GuardedFetch } from "../../platform/http/guarded-fetch.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { Clock } from "../../platform/sources.ts";
import type {
  Afterwards,
  Asker,
  AttendantMessage,
  OutsideAnswer,
  OutsideQuestion,
} from "../attendant/index.ts";
import type { MediaFiles } from "../media/index.ts";
import { AUTOMATIC_MARK } from "../messages/index.ts";
import { readSecretSettings } from "../settings/index.ts";
import type { Outcome, Part } from "./answers.ts";
import { answerOf, lookupTexts } from "./answers.ts";
import { documentIn } from "./documents.ts";
import { openAsaas } from "./systems/asaas.ts";
import type { BillingAccess, FoundCustomer, Unblocked } from "./systems/call.ts";
import { SystemFailed } from "./systems/call.ts";
import { openIxc } from "./systems/ixc.ts";
import { openMkAuth } from "./systems/mk-auth.ts";

export type LookupSettings = {
  /** Time limit of one call of a system. */
  callMs: number;
  /** Time limit of a whole look-up; below that of the attendant's questions. */
  wholeMs: number;
  /** Between two texts. */
  pauseMs: number;
  /** Takes the place of Asaas' own address. */
  asaasUrl: string | null;
};

export const defaultLookupSettings: LookupSettings = {
  ...{ callMs: 10_000, wholeMs: 25_000, pauseMs: 2_000, asaasUrl: null },
};

export type BillingLookupsDeps = {
  db: Database;
  clock: Clock;
  log: Logger;
  seal: Seal;
  fetch: GuardedFetch;
  media: Pick<MediaFiles, "storeFile">;
  settings?: Partial<LookupSettings> | undefined;
};

type Deps = BillingLookupsDeps & { settings: LookupSettings };

/** Look-ups in the billing systems of internet providers (behaviour 7.9, docs/integrations.md). */
export function createBillingLookups(given: BillingLookupsDeps) {
  const deps: Deps = { ...given, settings: { ...defaultLookupSettings, ...given.settings } };
  const asker: Asker = {
    name: "billing",
    takes: ({ kind }) => kind === "billing",
    begin: (ctx, tx, question) => noteWish(deps, ctx, tx, question),
    ask: (question, signal) => answerCustomer(deps, question, signal),
  };
  return {
    /** For the attendant. */
    asker,
    register(routes: Routes): void {
      routes.handle("POST /billingLookups/test", ({ ctx, body }) =>
        testSystem(deps, ctx, body.system),
      );
    },
  };
}

/** What the customer's messages come to. `seq` is that of the message with the number. */
type Wish =
  | { kind: "greet" }
  | { kind: "wrong"; seq: number }
  | { kind: "look up"; seq: number; document: string };

/** The newest valid number counts. A customer who has just chosen the queue is asked for one. */
function wishOf({ facts, isFirst }: OutsideQuestion): Wish {
  const written = facts.messages
    .filter(({ body }) => !body.startsWith(AUTOMATIC_MARK))
    .toReversed();
  for (const { isText, body, seq } of written) {
    const document = isText ? documentIn(body) : null;
    if (document !== null) return { kind: "look up", seq, document };
  }
  const [newest] = written;
  return isFirst || !newest ? { kind: "greet" } : { kind: "wrong", seq: newest.seq };
}

/** Look-ups of a ticket within an hour, and messages that are judged: a customer cannot try numbers without end. */
const LOOKUPS_MAX = 5;
const TRIES_MAX = 10;

/** Counts the message, unless there are too many, or it is counted already. Says that a look-up begins. */
async function noteWish(
  { clock }: Deps,
  { companyId }: Ctx,
  tx: Tx,
  question: OutsideQuestion,
): Promise<AttendantMessage[]> {
  const wish = wishOf(question);
  if (wish.kind === "greet") return [];
  const now = clock.now();
  const isLookup = wish.kind === "look up";
  const values = [companyId, question.ticketId, wish.seq, isLookup, now];
  const limits = [subHours(now, 1), subDays(now, 1), LOOKUPS_MAX, TRIES_MAX];
  const noted = await tx.query(noteStatement, [...values, ...limits]);
  return noted.length > 0 && isLookup ? [literal(lookupTexts.wait)] : [];
}

const stay: Afterwards = { kind: "stay" };

const literal = (text: string): AttendantMessage => ({ kind: "text", text, isLiteral: true });
const say = (sends: readonly AttendantMessage[], next: Afterwards): OutsideAnswer => ({
  ...{ kind: "say", sends, next },
});

/** The answer to a customer of the queue; what fails is said. Rejects only with the reason of the signal. */
async function answerCustomer(
  deps: Deps,
  question: OutsideQuestion,
  signal: AbortSignal,
): Promise<OutsideAnswer> {
  const { helper, companyId, ticketId } = question;
  if (helper.kind !== "billing") return { kind: "pass" };
  const wish = wishOf(question);
  if (wish.kind === "greet") return say(greetingOf(question), stay);
  const failed = [literal(lookupTexts.error)];
  try {
    const [isNoted] = await deps.db.transaction({ companyId }, (tx) =>
      tx.query(notedStatement, [companyId, ticketId, wish.seq]),
    );
    if (!isNoted) return say(failed, { kind: "handOver", queueId: helper.id });
    if (wish.kind === "wrong") return say([literal(lookupTexts.invalid)], stay);
    const found = await askSystems(deps, { ...question, ...wish }, signal);
    const { parts, isOver } = answerOf(helper.lookup, found);
    const sends = await Promise.all(parts.map((part) => toMessage(deps, companyId, part)));
    return say(sends, isOver ? { kind: "close", isQuiet: true } : stay);
  } catch {
    signal.throwIfAborted();
    // Errors of parsers and pictures may repeat what they were given: they are not logged.
    deps.log.warn({ companyId, ticketId }, "a billing look-up failed");
    return say(failed, stay);
  }
}

/** The queue's own words ask for the number. */
function greetingOf({ helper, facts }: OutsideQuestion): AttendantMessage[] {
  const queue = [...facts.queues, facts.ticketQueue].find((one) => one?.id === helper.id);
  const { greetingMessage = "", file = null } = queue ?? {};
  return [
    { kind: "text", text: greetingMessage === "" ? lookupTexts.ask : greetingMessage },
    ...(file ? [{ kind: "file" as const, file }] : []),
  ];
}

type Lookup = OutsideQuestion & { seq: number; document: string };

/** All systems at the same time: their answers have the order of the systems. */
async function askSystems(deps: Deps, lookup: Lookup, signal: AbortSignal): Promise<Outcome[]> {
  const { companyId, ticketId, helper, document } = lookup;
  if (helper.kind !== "billing") return [];
  const opened = await openSystems(deps, companyId);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(deps.settings.wholeMs)]);

  async function ask(system: BillingSystem, access: BillingAccess): Promise<Outcome | null> {
    const find =
      helper.kind === "billing" && helper.lookup === "bill" ? access.findBill : access.findBlocked;
    if (find === null) return null;
    try {
      const customer = await find(document, limit);
      if (customer === null) return { kind: "unknown" };
      const unblocked = await unblockOnce(deps, lookup, system, customer, limit);
      return { kind: "found", customer, unblocked };
    } catch (error) {
      signal.throwIfAborted();
      const { fault, status } = faultOf(error);
      deps.log.warn({ companyId, ticketId, system, fault, status }, "a billing system failed");
      return { kind: "failed" };
    }
  }

  const asked = billingSystemsOf[helper.lookup].flatMap((system) => {
    const access = opened[system];
    return access ? [ask(system, access)] : [];
  });
  return (await Promise.all(asked)).filter((outcome) => outcome !== null);
}

const stored = z.union([
  z.object({ until: z.number() }),
  z.object({ isDone: z.literal(true), isOnline: z.boolean().nullable() }),
  z.object({ isDone: z.literal(false), words: z.string() }),
]);
const LOOK_MS = 200;
/** It may have worked: a person has to look. */
const unclear: Unblocked = { isDone: false, words: "" };

/**
 * Asks a system to unblock once for a message, whatever is asked again: the claim is stored before the call. Waits for the
 * outcome of another question about the message. One whose process has crashed stays unclear.
 */
async function unblockOnce(
  { db, clock, settings }: Deps,
  { companyId, ticketId, seq }: Lookup,
  system: BillingSystem,
  { unblock }: FoundCustomer,
  signal: AbortSignal,
): Promise<Unblocked | null> {
  const key = [companyId, ticketId, seq, system];
  const run = (statement: typeof claimStatement, ...values: unknown[]) =>
    db.transaction({ companyId }, (tx) =>
      tx.query<{ outcome: unknown }>(statement, [...key, ...values]),
    );
  if (unblock !== null) {
    const until = addMilliseconds(clock.now(), settings.wholeMs).getTime();
    const [claimed] = await run(claimStatement, JSON.stringify({ until }));
    if (claimed) {
      const outcome = await unblock(signal).catch(() => unclear);
      await run(outcomeStatement, JSON.stringify(outcome));
      return outcome;
    }
  }
  for (;;) {
    const [row] = await run(unblockedStatement);
    const known = stored.safeParse(row?.outcome).data;
    if (known === undefined) return null;
    if ("isDone" in known) return known;
    if (clock.now().getTime() >= known.until) return unclear;
    await sleep(LOOK_MS, undefined, { signal });
  }
}

const QR_PIXELS = 512;

async function toMessage(
  { media, settings: { pauseMs } }: Deps,
  companyId: CompanyId,
  part: Part,
): Promise<AttendantMessage> {
  if (part.kind === "text") return { ...literal(part.text), pauseMs };
  const content = Readable.from([await qrPicture(part.code)]);
  const file = await media.storeFile(companyId, { name: "pix.png", content }, { accept: "image" });
  return {
    kind: "file",
    file: { key: file.key, name: file.name },
    stored: file,
    pauseMs,
  };
}

/** A PNG of black and white squares. */
async function qrPicture(code: string): Promise<Uint8Array> {
  const { data, size } = encode(code, { ecc: "M", border: 4 });
  const pixels = Uint8Array.from(data.flat(), (isDark) => (isDark ? 0 : 255));
  const { default: sharp } = await import("sharp");
  const raw = { width: size, height: size, channels: 1 } as const;
  const side = Math.ceil(QR_PIXELS / size) * size;
  return sharp(pixels, { raw }).resize(side, side, { kernel: "nearest" }).png().toBuffer();
}

/** The systems whose settings are complete. */
async function openSystems(
  { db, seal, fetch, settings }: Deps,
  companyId: CompanyId,
): Promise<Partial<Record<BillingSystem, BillingAccess>>> {
  const keys = Object.values(billingKeys).flat();
  const of = await db.transaction({ companyId }, (tx) =>
    readSecretSettings(seal, tx, { companyId }, keys),
  );
  const has = (system: BillingSystem): boolean =>
    billingKeys[system].every((key) => of[key] !== "");
  const reach = { fetch, callMs: settings.callMs };
  const mkAuth = {
    url: of.ipmkauth,
    clientId: of.clientidmkauth,
    clientSecret: of.clientsecretmkauth,
  };
  return {
    ...(has("mk-auth") && { "mk-auth": openMkAuth(reach, mkAuth) }),
    ...(has("asaas") && { asaas: openAsaas(reach, { token: of.asaas, url: settings.asaasUrl }) }),
    ...(has("ixc") && { ixc: openIxc(reach, { url: of.ipixc, token: of.tokenixc }) }),
  };
}

/** Asks a system once; what goes wrong is the reply. */
async function testSystem(
  deps: Deps,
  { companyId }: UserCtx,
  system: BillingSystem,
): Promise<ReplyOf<"POST /billingLookups/test">> {
  const { [system]: access } = await openSystems(deps, companyId);
  if (!access) return { isOk: false, fault: "access", status: null };
  try {
    await access.check(AbortSignal.timeout(deps.settings.callMs));
    return { isOk: true, fault: null, status: null };
  } catch (error) {
    return { isOk: false, ...faultOf(error) };
  }
}

/** Without words: those of an error may repeat a customer's number. */
function faultOf(error: unknown): Pick<SystemFailed, "fault" | "status"> {
  if (error instanceof SystemFailed) return { fault: error.fault, status: error.status };
  const isTime = error instanceof Error && error.name === "TimeoutError";
  return { fault: isTime ? "no-answer" : "unreachable", status: null };
}

const noteStatement = {
  name: "billing-lookups.note",
  text: `
with old as (delete from billing_lookups where company_id = $1 and ticket_id = $2 and at < $7),
recent as (
  select count(*) as tries, count(*) filter (where is_lookup) as lookups
  from billing_lookups where company_id = $1 and ticket_id = $2 and at > $6
)
insert into billing_lookups (company_id, ticket_id, seq, is_lookup, at)
select $1, $2, $3, $4, $5 from recent where tries < $9 and (lookups < $8 or not $4)
on conflict do nothing
returning seq`,
};

const notedStatement = {
  name: "billing-lookups.noted",
  text: `select seq from billing_lookups where company_id = $1 and ticket_id = $2 and seq = $3`,
};

const claimStatement = {
  name: "billing-lookups.claim",
  text: `
update billing_lookups set unblocks = unblocks || jsonb_build_object($4::text, $5::jsonb)
where company_id = $1 and ticket_id = $2 and seq = $3 and not unblocks ? $4
returning unblocks -> $4 as outcome`,
};

const outcomeStatement = {
  name: "billing-lookups.outcome",
  text: `
update billing_lookups set unblocks = unblocks || jsonb_build_object($4::text, $5::jsonb)
where company_id = $1 and ticket_id = $2 and seq = $3
returning unblocks -> $4 as outcome`,
};

const unblockedStatement = {
  name: "billing-lookups.unblocked",
  text: `
select unblocks -> $4 as outcome from billing_lookups
where company_id = $1 and ticket_id = $2 and seq = $3`,
};
