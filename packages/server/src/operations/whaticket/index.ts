import { companyId as companyIdSchema } from "@balcao/contract";
import type { TicketId } from "@balcao/contract";
import { settleTickets } from "../../features/provisioning/index.ts";
import type { MediaFiles } from "../../features/media/index.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { Sources } from "../../platform/sources.ts";
import type { IdMap, Move } from "./bring.ts";
import { readIds } from "./bring.ts";
import { bringMedia } from "./media.ts";
import type { Conversations } from "./messages.ts";
import { bringMessages } from "./messages.ts";
import { bringContacts } from "./people.ts";
import type { CompanyReport, ImportReport, Tally } from "./report.ts";
import { createTally } from "./report.ts";
import { bringRest } from "./rest.ts";
import { bringConnections, bringHelpers, bringQueues, bringTags } from "./channels.ts";
import { bringCompany, bringPlan, bringSettings, bringUsers } from "./setup.ts";
import { openSource } from "./source.ts";
import type { Source } from "./source.ts";
import { openTarget } from "./target.ts";
import type { Target } from "./target.ts";
import { bringTickets } from "./tickets.ts";
import type { SourceRow } from "./values.ts";
import { boolOf } from "./values.ts";

export { describeReport } from "./report.ts";
export type { ImportReport } from "./report.ts";

export type ImportWishes = {
  from: string;
  /** The `public` folder of the other product. */
  media: string | null;
  isDryRun: boolean;
  /** Ids of companies there; null: all. */
  companies: readonly string[] | null;
  /** Before the names of the companies. */
  namePrefix: string;
};

export type ImportDeps = {
  ownerUrl: string;
  db: Database;
  seal: Seal;
  files: Pick<MediaFiles, "storeCustomerFile" | "removeUnused">;
  sources: Sources;
  onProgress(line: string): void;
};

type Wanted = {
  move: Move;
  tally: Tally;
  row: SourceRow;
  state: CompanyReport["state"];
  tickets: Conversations["tickets"];
};

/**
 * Brings companies of a Whaticket database into this installation, beside those that are here. A company is suspended until its
 * conversations are whole. A run that was ended at any moment is finished by the next one; one that is whole is left as it is.
 */
export async function importWhaticket(
  deps: ImportDeps,
  wishes: ImportWishes,
): Promise<ImportReport> {
  const began = performance.now();
  const startedAt = deps.sources.clock.now().toISOString();
  const source = await openSource(wishes.from);
  try {
    const target = await openTarget(deps.ownerUrl, wishes.isDryRun);
    try {
      const whole = createTally();
      const companies = await prepare({ deps, wishes, source, target, whole });
      const going = new Map(
        companies.filter(({ state }) => state !== "known").map((one) => [one.move.from, one]),
      );
      const speed = await bringConversations({ deps, wishes, source, target }, going);
      return {
        ...{ source: source.id, isDryRun: wishes.isDryRun, startedAt, messagesPerSecond: speed },
        seconds: Math.round((performance.now() - began) / 100) / 10,
        companies: companies.map(reportOf),
        ...{ problems: whole.problems, unread: await source.unread() },
      };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

type Run = { deps: ImportDeps; wishes: ImportWishes; source: Source; target: Target };

function reportOf({ move, tally, row, state }: Wanted): CompanyReport {
  const isThere = move.companyId > 0;
  return {
    ...{
      sourceId: move.from,
      name: row["name"] ?? "",
      newId: isThere ? move.companyId : null,
      newName: move.name,
    },
    ...{ state, counts: tally.counts, problems: tally.problems },
  };
}

/** Companies with what they are set up with, and their people. */
async function prepare({
  deps,
  wishes,
  source,
  target,
  whole,
}: Run & { whole: Tally }): Promise<Wanted[]> {
  const all = await source.companies();
  const chosen = all.filter((row) => wishes.companies?.includes(row["id"] ?? "") ?? true);
  for (const id of wishes.companies ?? []) {
    if (!all.some((row) => row["id"] === id)) whole.problem("company", "companyMissing", id);
  }
  const plans = new Map((await source.shared("plans")).map((row) => [row["id"], row]));
  const prepared: Wanted[] = [];
  for (const row of chosen) {
    const tally = createTally();
    const planId = await bringPlan(target, tally, plans.get(row["planId"]));
    const company = await bringCompany({ source, target, tally }, row, {
      prefix: wishes.namePrefix,
      planId,
    });
    const kinds = await readIds(target, source, company.id);
    const ids = (kind: string): IdMap => {
      const map = kinds.get(kind) ?? new Map<string, number>();
      kinds.set(kind, map);
      return map;
    };
    const move: Move = {
      ...{ source, target, tally, ids, sources: deps.sources, seal: deps.seal },
      ...{ from: row["id"] ?? "", companyId: company.id, name: company.name },
    };
    const isWhole = ids("company-done").size > 0;
    const state = wishes.isDryRun ? "dry" : "imported";
    const wanted: Wanted = {
      move,
      tally,
      row,
      state: isWhole ? "known" : state,
      tickets: new Map(),
    };
    prepared.push(wanted);
    if (isWhole) continue;
    deps.onProgress(`company ${move.from} "${company.name}": people and tickets`);
    await bringSettings(move);
    await bringQueues(move);
    await bringHelpers(move);
    await bringConnections(move);
    await bringUsers(move);
    await bringTags(move);
    await bringContacts(move);
    wanted.tickets = await bringTickets(move);
  }
  return prepared;
}

/** Messages, what is made of them, and files. Answers the messages a second. */
async function bringConversations(
  { deps, wishes, source, target }: Run,
  companies: ReadonlyMap<string, Wanted>,
): Promise<number | null> {
  if (companies.size === 0) return null;
  const began = performance.now();
  let messages = 0;
  await bringMessages({ source, target }, companies, (done) => {
    messages = done;
    deps.onProgress(`${done} messages`);
  });
  const seconds = (performance.now() - began) / 1_000;
  for (const { move, row } of companies.values()) {
    deps.onProgress(`company ${move.from}: what belongs to its tickets`);
    await bringRest(move);
    await settle(deps, move);
    await open(move, row);
  }
  const media = {
    source,
    db: deps.db,
    files: deps.files,
    folder: wishes.media,
    isDry: wishes.isDryRun,
  };
  await bringMedia(media, companies, (done) => deps.onProgress(`${done} files`));
  for (const { move } of companies.values()) await note(move, "company-done");
  return messages === 0 ? null : Math.round(messages / seconds);
}

const SETTLED_AT_ONCE = 500;

/** Last messages, unread counts, waits and answer times of the company's tickets. */
async function settle({ db }: ImportDeps, { target, companyId, ids }: Move): Promise<void> {
  if (target.isDry || ids("company-open").size > 0) return;
  const tickets = [...new Set(ids("ticket").values())] as TicketId[];
  for (let at = 0; at < tickets.length; at += SETTLED_AT_ONCE) {
    const part = tickets.slice(at, at + SETTLED_AT_ONCE);
    await db.acrossCompanies((tx) => settleTickets(tx, companyIdSchema.parse(companyId), part));
  }
}

/** Lets the company's users in, unless it was suspended there. */
async function open(move: Move, row: SourceRow): Promise<void> {
  if (move.ids("company-open").size > 0) return;
  const isActive = boolOf(row["status"], true);
  await move.target.transaction(async (load) => {
    await load.query("update companies set status = $2, suspension_reason = '' where id = $1", [
      move.companyId,
      isActive,
    ]);
    await load.add("import_ids", [noteOf(move, "company-open")]);
  });
}

async function note(move: Move, kind: string): Promise<void> {
  await move.target.transaction((load) => load.add("import_ids", [noteOf(move, kind)]));
}

const noteOf = ({ companyId, source, from }: Move, kind: string) => ({
  ...{ company_id: companyId, source: source.id, kind, source_id: from, new_id: companyId },
});
