import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import type { MappedRow, RowMapper, TravellingTable } from "./rows.ts";
import { linesOf } from "./rows.ts";

/** Rows that one statement writes: a portion is in memory, and its foreign keys are checked together. */
const PORTION = 20_000;

/** The numbers of rows that came, and of those that could not be without something that is gone. */
export type LoadReport = { rows: Record<string, number>; dropped: Record<string, number> };

type Later = { id: string; column: string; value: string };

/** The rows of one table after the other, which arrive in parts. */
export class Loading {
  readonly #client: pg.Client;
  readonly #start: (name: string) => { table: TravellingTable; mapper: RowMapper } | null;
  #now: { name: string; loader: Loader | null } = { name: "", loader: null };

  constructor(
    client: pg.Client,
    start: (name: string) => { table: TravellingTable; mapper: RowMapper } | null,
  ) {
    this.#client = client;
    this.#start = start;
  }

  async add(
    name: string,
    content: Buffer,
    report: LoadReport,
    onProgress?: (what: string) => void,
  ): Promise<void> {
    if (this.#now.name !== name) {
      await this.end(report);
      onProgress?.(name);
      const started = this.#start(name);
      this.#now = { name, loader: started && new Loader(this.#client, started) };
    }
    await this.#now.loader?.add(content);
  }

  async end(report: LoadReport): Promise<void> {
    const { name, loader } = this.#now;
    this.#now = { name: "", loader: null };
    if (!loader) return;
    const { rows, dropped } = await loader.end();
    if (rows > 0) report.rows[name] = rows;
    if (dropped > 0) report.dropped[name] = dropped;
  }
}

/**
 * Writes the rows of a table in portions, through a temporary table, because COPY cannot write where row-level security is. A
 * reference to a row of a later portion is set at the end.
 */
class Loader {
  readonly #client: pg.Client;
  readonly #table: TravellingTable;
  readonly #mapper: RowMapper;
  readonly #later: Later[] = [];
  #portion: MappedRow[] = [];
  #rows = 0;
  #dropped = 0;

  constructor(client: pg.Client, of: { table: TravellingTable; mapper: RowMapper }) {
    this.#client = client;
    this.#table = of.table;
    this.#mapper = of.mapper;
  }

  async add(content: Buffer): Promise<void> {
    for (const line of linesOf(content)) {
      const row = this.#mapper.map(line);
      if (row) {
        this.#portion.push(row);
        this.#rows += 1;
      } else {
        this.#dropped += 1;
      }
      if (this.#portion.length >= PORTION) await this.#flush();
    }
  }

  async #flush(): Promise<void> {
    const [client, mapper, portion] = [this.#client, this.#mapper, this.#portion];
    const last = portion.at(-1)?.key ?? "";
    for (const { fields, self } of portion) {
      for (const { column, old } of self) {
        if (!isAfter(old, last)) continue;
        const id = mapper.valueOf(fields, "id");
        this.#later.push({ id, column, value: mapper.take(fields, column) });
      }
    }
    const name = pg.escapeIdentifier(this.#table.name);
    const columns = mapper.columns.map((one) => pg.escapeIdentifier(one)).join(", ");
    await client.query(
      `create temporary table arriving on commit drop as select ${columns} from ${name} with no data`,
    );
    const lines = portion.map(({ fields }) => mapper.lineOf(fields));
    await pipeline(lines, client.query(copyFrom(`copy arriving (${columns}) from stdin`)));
    await client.query(
      `insert into ${name} (${columns}) overriding system value select ${columns} from arriving`,
    );
    await client.query("drop table arriving");
    this.#portion = [];
  }

  async end(): Promise<{ rows: number; dropped: number }> {
    if (this.#portion.length > 0) await this.#flush();
    const { name, companyColumn, arriving } = this.#table;
    const type = arriving.find((one) => one.name === "id")?.type ?? "int4";
    for (const [column, group] of Map.groupBy(this.#later, (one) => one.column)) {
      await this.#client.query(
        `update ${pg.escapeIdentifier(name)} its set ${pg.escapeIdentifier(column)} = ref.value
         from unnest($1::${type}[], $2::${type}[]) as ref (id, value)
         where its.${companyColumn} = $3 and its.id = ref.id`,
        [group.map(({ id }) => id), group.map(({ value }) => value), this.#mapper.companyId],
      );
    }
    return { rows: this.#rows, dropped: this.#dropped };
  }
}

/** Whether the key of a row is behind another one in the order of the archive. */
const isAfter = (one: string, other: string): boolean =>
  /^\d+$/.test(one) ? Number(one) > Number(other) : one > other;
