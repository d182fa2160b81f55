import type { CompanyId, CompanyUseRow } from "@balcao/contract";
import { companyId } from "@balcao/contract";
import type { ChannelHandlers } from "../../channels/runtime/index.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type {
  CompanyShares,
  CompanyUse,
  WaitingCompany,
} from "../../platform/jobs/company-shares.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Clock } from "../../platform/sources.ts";

export type CompanyUsesDeps = {
  db: Database;
  clock: Clock;
  log: Logger;
  shares: Pick<CompanyShares, "takeUse" | "present" | "useOf">;
  everyMs?: number;
};

/** A crash loses the counts of at most this time. */
const WRITE_EVERY_MS = 15_000;
const SPAN_HOURS = { hour: 1, day: 24 };
/** Rows of the page. */
const MOST = 100;

/** The use of each company, written in portions and read by super users (docs/fair-share.md). */
export function createCompanyUsesFeature(deps: CompanyUsesDeps) {
  const { log } = deps;
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  function write(): Promise<void> {
    writing = writing.then(() =>
      writeUses(deps).catch((error: unknown) =>
        log.warn({ err: error }, "what companies used is written later"),
      ),
    );
    return writing;
  }

  return {
    register(routes: Routes): void {
      routes.handle("GET /operation/usage", async ({ query }) => {
        await write();
        return readUses(deps, query.span);
      });
    },

    start(): void {
      timer = setInterval(() => void write(), deps.everyMs ?? WRITE_EVERY_MS);
      timer.unref();
    },

    /** Writes the last counts. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await write();
    },
  };
}

/** The channel's handlers, with their messages counted for the company once they are stored. */
export function countTraffic(
  { useOf }: Pick<CompanyShares, "useOf">,
  { receive, sent }: Pick<ChannelHandlers, "receive" | "sent">,
): Pick<ChannelHandlers, "receive" | "sent"> {
  return {
    async receive(tx, connection, event) {
      await receive(tx, connection, event);
      if (event.type !== "message") return;
      tx.onCommit(() => {
        useOf(connection.companyId).inbound += 1;
      });
    },
    async sent(tx, connection, outcome) {
      await sent(tx, connection, outcome);
      if (outcome.result === "failed") return;
      tx.onCommit(() => {
        useOf(connection.companyId).outbound += 1;
      });
    },
  };
}

/**
 * Adds the counts to the present span of five minutes, and deletes spans older than two days. Counts that cannot be written
 * are kept for the next time.
 */
async function writeUses({ db, clock, shares }: CompanyUsesDeps): Promise<void> {
  const taken = shares.takeUse();
  if (taken.size === 0) return;
  const entries = [...taken];
  const column = (of: (use: CompanyUse) => number) => entries.map(([, use]) => Math.round(of(use)));
  try {
    await db.acrossCompanies((tx) =>
      tx.query(addUses, [
        clock.now(),
        entries.map(([id]) => id),
        column((use) => use.calls),
        column((use) => use.refused),
        column((use) => use.searches),
        column((use) => use.databaseMs),
        column((use) => use.waitedMs),
        column((use) => use.inbound),
        column((use) => use.outbound),
      ]),
    );
  } catch (error) {
    for (const [id, use] of entries) {
      const kept = shares.useOf(id);
      for (const key of Object.keys(use) as (keyof CompanyUse)[]) kept[key] += use[key];
    }
    throw error;
  }
}

const spanOf = (moment: string) => `date_bin('5 minutes', ${moment}, 'epoch'::timestamptz)`;

/** In the order of the companies, so that two processes that write do not lock each other. */
const addUses = {
  name: "company-uses.add",
  text: `with old as (delete from company_uses where at < $1::timestamptz - interval '2 days')
         insert into company_uses as u (company_id, at, calls, refused, searches, database_ms, waited_ms, inbound, outbound)
         select used.id, ${spanOf("$1::timestamptz")}, used.calls, used.refused, used.searches, used.database_ms, used.waited_ms,
                used.inbound, used.outbound
           from unnest($2::int[], $3::int[], $4::int[], $5::int[], $6::bigint[], $7::bigint[], $8::int[], $9::int[])
                as used (id, calls, refused, searches, database_ms, waited_ms, inbound, outbound)
           join companies c on c.id = used.id
          order by used.id
         on conflict (company_id, at) do update
            set calls = u.calls + excluded.calls, refused = u.refused + excluded.refused,
                searches = u.searches + excluded.searches, database_ms = u.database_ms + excluded.database_ms,
                waited_ms = u.waited_ms + excluded.waited_ms, inbound = u.inbound + excluded.inbound,
                outbound = u.outbound + excluded.outbound`,
};

type Uses = { companies: CompanyUseRow[]; totalDatabaseMs: number; waiting: Named[] };
type Named = WaitingCompany & { name: string };

async function readUses(
  { db, clock, shares }: CompanyUsesDeps,
  span: keyof typeof SPAN_HOURS,
): Promise<Uses> {
  const present = shares.present().filter(({ waiting }) => waiting > 0);
  return db.acrossCompanies(async (tx) => {
    const companies = await tx.query<CompanyUseRow & { total: number }>(listUses, [
      ...[clock.now(), MOST, SPAN_HOURS[span]],
    ]);
    return {
      companies,
      totalDatabaseMs: companies[0]?.total ?? 0,
      waiting: await named(tx, present),
    };
  });
}

const since = "($1::timestamptz - make_interval(hours => $3::int))";
/** The files' sizes stand in their own table; only the files of the companies shown are added up. */
const listUses = {
  name: "company-uses.list",
  text: `select u.company_id as "companyId", c.name, u.calls, u.refused, u.searches, u.database_ms as "databaseMs",
                u.waited_ms as "waitedMs", u.inbound, u.outbound, u.total,
                coalesce((select sum(f.bytes) from files f where f.company_id = u.company_id and f.created_at >= ${since}), 0)::bigint
                  as "mediaBytes"
           from (select company_id, sum(calls)::bigint as calls, sum(refused)::bigint as refused,
                        sum(searches)::bigint as searches, sum(database_ms)::bigint as database_ms,
                        sum(waited_ms)::bigint as waited_ms, sum(inbound)::bigint as inbound,
                        sum(outbound)::bigint as outbound, sum(sum(database_ms)) over ()::bigint as total
                   from company_uses where at >= ${spanOf(since)}
                  group by company_id order by sum(database_ms) desc, company_id limit $2) u
           join companies c on c.id = u.company_id
          order by u.database_ms desc, u.company_id`,
};

async function named(tx: Tx, present: readonly WaitingCompany[]): Promise<Named[]> {
  if (present.length === 0) return [];
  const rows = await tx.query<{ id: CompanyId; name: string }>(nameCompanies, [
    present.map((one) => one.companyId),
  ]);
  const names = new Map(rows.map(({ id, name }) => [companyId.parse(id), name]));
  return present
    .map((one) => ({
      ...one,
      oldestMs: Math.round(one.oldestMs),
      name: names.get(one.companyId) ?? "",
    }))
    .toSorted((a, b) => b.waiting - a.waiting);
}

const nameCompanies = {
  name: "company-uses.names",
  text: `select id, name from companies where id = any ($1::int[])`,
};
