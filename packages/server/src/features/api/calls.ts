import type { ApiCall, ApiTokenId, InputOf, ResultOf } from "@balcao/contract";
import type { ProgramCall, UserCtx } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { toIso } from "../../platform/db/records.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Clock } from "../../platform/sources.ts";

export type CallLog = {
  /** Notes a call; it is written with others a moment later, so that no caller waits for it. */
  note(call: ProgramCall): void;
  /** Resolves when everything that was noted here is written. */
  flush(): Promise<void>;
};

type LogDeps = { db: Database; clock: Clock; log: Logger };

const WRITE_AFTER_MS = 500;
/** Calls that wait to be written. Beyond it the newest are lost; a database that is away must not fill the memory. */
const HELD_MAX = 10_000;
/** Refusals for too many calls are noted once in this time for each token. */
const QUIET_MS = 60_000;
const PAGE = 50;

type Noted = ProgramCall & { at: Date };

/** The log of other programs' calls, and the last use of their tokens. */
export function createCallLog({ db, clock, log }: LogDeps): CallLog {
  let held: Noted[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const refusedAt = new Map<string, number>();

  function isRepeatedRefusal({ ctx, code }: ProgramCall, now: Date): boolean {
    if (code !== "ERR_TOO_MANY_REQUESTS") return false;
    const { id, connectionId } = ctx.token;
    const key = `${id} ${connectionId}`;
    const last = refusedAt.get(key);
    if (last !== undefined && now.getTime() - last < QUIET_MS) return true;
    if (refusedAt.size >= HELD_MAX) refusedAt.clear();
    refusedAt.set(key, now.getTime());
    return false;
  }

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const calls = held;
    held = [];
    if (calls.length === 0) return;
    try {
      await db.acrossCompanies(async (tx) => {
        await tx.query(insertStatement, [
          JSON.stringify(calls.map((call, place) => ({ ...toStored(call), place }))),
        ]);
        await tx.query(touchStatement, [JSON.stringify(lastUses(calls))]);
      });
    } catch (error) {
      log.warn({ err: error, calls: calls.length }, "calls of other programs were not noted");
    }
  }

  const flush = (): Promise<void> => (writing = writing.then(write));

  return {
    note(call) {
      const at = clock.now();
      if (held.length >= HELD_MAX || isRepeatedRefusal(call, at)) return;
      held.push({ ...call, at });
      timer ??= setTimeout(() => void flush(), WRITE_AFTER_MS).unref();
    },
    flush,
  };
}

const toStored = ({ ctx, call, status, tookMs, code, at }: Noted) => ({
  ...{ company: ctx.companyId, token: ctx.token.id, connection: ctx.token.connectionId },
  ...{ name: ctx.token.name, call, status, took: tookMs, code, request: ctx.requestId, at },
});

/** The last of each token. */
function lastUses(calls: readonly Noted[]) {
  const last = new Map<
    ApiTokenId,
    { id: ApiTokenId; company: number; at: Date; address: string }
  >();
  for (const { ctx, at, address } of calls) {
    const { id } = ctx.token;
    if (id !== null) last.set(id, { id, company: ctx.companyId, at, address });
  }
  return [...last.values()];
}

/** The company's calls, the newest first. */
export async function listCalls(
  { db, calls }: { db: Database; calls: Pick<CallLog, "flush"> },
  ctx: UserCtx,
  { apiTokenId, connectionId, failed, before }: InputOf<"GET /api-calls">["query"],
): Promise<ResultOf<"GET /api-calls">> {
  await calls.flush();
  const values = [
    ...[ctx.companyId, apiTokenId ?? null, connectionId ?? null, failed],
    ...[before ?? null, PAGE + 1],
  ];
  const rows = await db.read<CallRow>(ctx, listStatement, values);
  return { calls: rows.slice(0, PAGE).map(toApiCall), hasMore: rows.length > PAGE };
}

type CallRow = Omit<ApiCall, "createdAt"> & { createdAt: Date };

const toApiCall = ({ createdAt, ...row }: CallRow): ApiCall => ({
  ...{ ...row, createdAt: toIso(createdAt) },
});

const KEPT_DAYS = 30;
const KEPT_CALLS = 100_000;

/** Deletes old calls, those beyond the number that a company keeps, and replies that are no longer repeated. */
export async function sweepCallsAcrossCompanies(db: Database): Promise<void> {
  await db.acrossCompanies(async (tx) => {
    await tx.query(sweepOldStatement, [KEPT_DAYS]);
    await tx.query(sweepManyStatement, [KEPT_CALLS]);
    await tx.query(sweepRepeatsStatement, []);
  });
}

// By hand: calls of several companies in one round trip. A company or connection may be gone by now.
const insertStatement = {
  name: "api.note-calls",
  text: `
insert into api_calls (company_id, token_id, connection_id, token_name, call, status, took_ms, code, request_id, created_at)
select n.company, n.token, n.connection, n.name, n.call, n.status, n.took, n.code, n.request, n.at
from jsonb_to_recordset($1::jsonb) as n(company int, token int, connection int, name text, call text, status smallint,
  took int, code text, request text, at timestamptz, place int)
join companies c on c.id = n.company
order by n.place`,
};

const touchStatement = {
  name: "api.touch-tokens",
  text: `
update api_tokens t set last_used_at = n.at, last_used_from = n.address
from jsonb_to_recordset($1::jsonb) as n(id int, company int, at timestamptz, address text)
where t.company_id = n.company and t.id = n.id
  and (t.last_used_at is null or t.last_used_at < n.at - interval '1 minute')`,
};

const listStatement = {
  name: "api.calls",
  text: `
select c.id::float8 as id, t.id as "tokenId", c.connection_id as "connectionId", c.token_name as "tokenName", c.call,
  c.status, c.took_ms as "tookMs", c.code, c.request_id as "requestId", c.created_at as "createdAt"
from api_calls c
left join api_tokens t on t.company_id = c.company_id and t.id = c.token_id
where c.company_id = $1 and ($2::int is null or c.token_id = $2) and ($3::int is null or c.connection_id = $3)
  and (not $4::bool or c.status >= 400) and ($5::bigint is null or c.id < $5)
order by c.id desc nulls last
limit $6`,
};

const sweepOldStatement = {
  name: "api.sweep-calls",
  text: `delete from api_calls where created_at < now() - make_interval(days => $1)`,
};

const sweepManyStatement = {
  name: "api.sweep-many-calls",
  text: `
delete from api_calls a using (
  select c.id as company_id, (
    select o.id from api_calls o where o.company_id = c.id order by o.id desc nulls last offset $1 limit 1) as last_id
  from companies c
) beyond
where a.company_id = beyond.company_id and a.id <= beyond.last_id`,
};

const sweepRepeatsStatement = {
  name: "api.sweep-repeats",
  text: `delete from api_repeats where created_at < now() - interval '1 day'`,
};
