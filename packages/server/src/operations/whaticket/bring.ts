import type { CompanyId, WhaticketRowKind } from "@balcao/contract";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { Sources } from "../../platform/sources.ts";
import type { Tally } from "./report.ts";
import type { Source } from "./source.ts";
import type { Load, NewRow, Target } from "./target.ts";

/** The ids there and here of one kind of rows. */
export type IdMap = Map<string, number>;

/** One company on its way from the source into this installation. */
export type Move = {
  source: Source;
  target: Target;
  sources: Sources;
  seal: Seal;
  tally: Tally;
  /** The company's id there and here. */
  from: string;
  companyId: CompanyId;
  name: string;
  ids(kind: string): IdMap;
};

/** A row that is to be made of a row of the source; several may become one. */
export type Item = { id: string; more?: readonly string[]; values: NewRow };

const BATCH = 2_000;

/** The ids that earlier runs have noted, of rows that are still there. */
export async function readIds(
  target: Target,
  source: Source,
  companyId: CompanyId,
): Promise<Map<string, IdMap>> {
  const kinds = new Map<string, IdMap>();
  if (companyId < 0) return kinds;
  const rows = await target.read<{ kind: string; id: string; newId: number }>(
    `select kind, source_id as id, new_id as "newId" from import_ids where company_id = $1 and source = $2`,
    [companyId, source.id],
  );
  for (const { kind, id, newId } of rows) {
    const ids = kinds.get(kind) ?? new Map<string, number>();
    kinds.set(kind, ids.set(id, newId));
  }
  return kinds;
}

/**
 * Adds rows of one kind with new ids, and notes which id there became which here in the same transaction. A batch that the
 * database refuses is tried in halves, so that one bad row is left out alone.
 */
export async function bring(
  move: Move,
  kind: WhaticketRowKind,
  table: string,
  items: readonly Item[],
): Promise<IdMap> {
  const { target, tally } = move;
  const ids = move.ids(kind);
  const missing = items.filter(({ id }) => !ids.has(id));
  tally.count(kind, {
    known: items.length - missing.length,
    read: items.reduce((sum, { more = [] }) => sum + 1 + more.length, 0),
    merged: items.reduce((sum, { more = [] }) => sum + more.length, 0),
  });
  for (let at = 0; at < missing.length; at += BATCH) {
    const batch = missing.slice(at, at + BATCH);
    const newIds = await target.reserve(table, batch.length);
    const rows = batch.map((item, index) => ({ item, newId: newIds[index] ?? 0 }));
    await halved(
      rows,
      async (part) => {
        await target.transaction((load) => addNoted(move, load, { kind, table }, part));
        for (const { item, newId } of part) {
          for (const id of [item.id, ...(item.more ?? [])]) ids.set(id, newId);
        }
        tally.count(kind, { added: part.length });
      },
      ({ item }, error) => leave(move, kind, item.id, error),
    );
  }
  return ids;
}

type Numbered = { item: Item; newId: number };

async function addNoted(
  { companyId, source }: Move,
  load: Load,
  { kind, table }: { kind: string; table: string },
  rows: readonly Numbered[],
): Promise<void> {
  await load.insert(
    table,
    rows.map(({ item, newId }) => ({ id: newId, company_id: companyId, ...item.values })),
  );
  await load.add(
    "import_ids",
    rows.flatMap(({ item, newId }) =>
      [item.id, ...(item.more ?? [])].map((id) => ({
        ...{ company_id: companyId, source: source.id, kind, source_id: id, new_id: newId },
      })),
    ),
  );
}

/** Rows without an id of their own, such as members of a list: those that are there already are left as they are. */
export async function add(
  move: Move,
  kind: WhaticketRowKind,
  table: string,
  rows: readonly NewRow[],
): Promise<void> {
  const { target, tally, companyId } = move;
  tally.count(kind, { read: rows.length });
  for (let at = 0; at < rows.length; at += BATCH) {
    const batch = rows.slice(at, at + BATCH).map((row) => ({ company_id: companyId, ...row }));
    await halved(
      batch,
      async (part) => {
        const added = (await target.transaction((load) => load.add(table, part))) ?? part.length;
        tally.count(kind, { added, known: part.length - added });
      },
      (row, error) => leave(move, kind, JSON.stringify(row).slice(0, 80), error),
    );
  }
}

export function leave(
  { tally }: Pick<Move, "tally">,
  kind: WhaticketRowKind,
  row: string,
  error: unknown,
): void {
  const message = error instanceof Error ? error.message : String(error);
  tally.problem(kind, "refused", row, { reason: message.split("\n", 1)[0] ?? "" });
  tally.count(kind, { left: 1 });
}

/** Works on rows together; when that fails, on halves of them, down to single rows. A lost connection ends the import. */
export async function halved<Row>(
  rows: readonly Row[],
  work: (part: readonly Row[]) => Promise<void>,
  refuse: (row: Row, error: unknown) => void,
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  try {
    await work(rows);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (rows.length === 1) return refuse(first, error);
    const middle = Math.ceil(rows.length / 2);
    await halved(rows.slice(0, middle), work, refuse);
    await halved(rows.slice(middle), work, refuse);
  }
}

/** Data (22), a broken rule or a taken key (23), a trigger (P0); not a lost connection or a full disk. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return /^(22|23|P0)/.test(code);
}

/** A name that no other one has, with a number behind it where needed. */
export function distinct(name: string, taken: Set<string>, max = 200): string {
  let free = name.slice(0, max);
  for (let n = 2; taken.has(free.toLowerCase()); n += 1) free = `${name.slice(0, max - 6)} (${n})`;
  taken.add(free.toLowerCase());
  return free;
}

/** The ids here of the two rows that a pair refers to; none when one is missing. */
export function pairOf(
  one: IdMap,
  oneId: string | null | undefined,
  other: IdMap,
  otherId: string | null | undefined,
): [number, number][] {
  const [left, right] = [one.get(oneId ?? ""), other.get(otherId ?? "")];
  return left === undefined || right === undefined ? [] : [[left, right]];
}
