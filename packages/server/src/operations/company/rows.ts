import { getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type pg from "pg";
import type { ForeignKeys } from "../../platform/db/references.ts";
import {
  companyTables,
  foreignKeysStatement,
  referringColumns,
  tablesOf,
} from "../../platform/db/references.ts";
import * as schema from "../../platform/db/schema/index.ts";
import type { Fields, Place } from "./tables.ts";
import { leftBehind, tableRules } from "./tables.ts";

/** A column as the database's catalogue describes it. */
type Column = {
  name: string;
  type: string;
  isIdentity: boolean;
  isGenerated: boolean;
  isNullable: boolean;
  /** The table whose id it holds, by a foreign key. */
  target: string | null;
};

export type TravellingTable = {
  name: string;
  companyColumn: string;
  /** The columns of the archive, in its order. */
  columns: readonly Column[];
  /** Those of the new place, in another number: what does not travel may be set there. */
  arriving: readonly Column[];
  /** Rows are in this order, so that most of those that refer to another row of the table come after it. */
  order: readonly string[];
};

const everyTable = (channelTables: readonly PgTable[]): PgTable[] => [
  ...new Set([...tablesOf(schema), ...channelTables]),
];

/** The tables of a company's archive, each after those that it refers to. */
export async function travellingTables(
  client: pg.ClientBase,
  channelTables: readonly PgTable[],
): Promise<TravellingTable[]> {
  const columns = await catalogue(client);
  const references = new Map(
    referringColumns(everyTable(channelTables)).map(({ table, column, reference }) => [
      `${getTableName(table)}.${column.name}`,
      reference.to as string,
    ]),
  );
  const travelling = (name: string, companyColumn: string): TravellingTable => {
    const without = new Set(tableRules[name]?.without);
    const arriving = (columns.get(name) ?? [])
      .filter(({ isGenerated }) => !isGenerated)
      .map((column) => ({
        ...column,
        target: column.target ?? references.get(`${name}.${column.name}`) ?? null,
      }));
    const key = name === "messages" ? ["id"] : [];
    const identities = arriving.filter(({ isIdentity }) => isIdentity).map((one) => one.name);
    return {
      ...{ name, companyColumn, arriving },
      columns: arriving.filter((column) => !without.has(column.name)),
      order: key.length > 0 ? key : identities,
    };
  };
  const { rows } = await client.query<ForeignKeys>(foreignKeysStatement.text);
  // Announcements belong to the provider, whose company they name in another column.
  const ofCompany = companyTables(rows, channelTables)
    .toReversed()
    .map(({ table, companyColumn }) => ({ name: getTableName(table), column: companyColumn.name }))
    .filter(({ name, column }) => column === "company_id" && !(name in leftBehind));
  return [
    travelling("companies", "id"),
    ...ofCompany.map(({ name, column }) => travelling(name, column)),
  ];
}

async function catalogue(client: pg.ClientBase): Promise<Map<string, Column[]>> {
  const { rows } = await client.query<Column & { table: string }>(`
    select c.relname as table, a.attname as name, t.typname as type, a.attidentity <> '' as "isIdentity",
           a.attgenerated <> '' as "isGenerated", not a.attnotnull as "isNullable",
           (select min(k.confrelid::regclass::text) from pg_constraint k
             where k.contype = 'f' and k.conrelid = c.oid and k.conkey[cardinality(k.conkey)] = a.attnum
               and k.confrelid <> 'files'::regclass and k.confrelid <> 'companies'::regclass
               and (select attname from pg_attribute
                     where attrelid = k.confrelid and attnum = k.confkey[cardinality(k.confkey)]) = 'id') as target
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
    order by c.relname, a.attnum`);
  return Map.groupBy(rows, ({ table }) => table);
}

/** Old ids of one table, ascending, and the new ones in the same order. */
class Space {
  readonly #collected: number[] = [];
  #old: Float64Array = new Float64Array();
  #fresh: Float64Array = new Float64Array();

  add(id: number): void {
    this.#collected.push(id);
  }

  /** The ids that are needed. */
  close(): number {
    this.#old = Float64Array.from(this.#collected).sort();
    return this.#old.length;
  }

  assign(fresh: Float64Array): void {
    this.#fresh = fresh;
  }

  /** The new id of an old one, or with `floor` of the next smaller one that is there. */
  find(old: number, { floor }: { floor: boolean }): number | null {
    let [low, high] = [0, this.#old.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#old[middle] ?? 0) <= old) low = middle + 1;
      else high = middle;
    }
    const at = low - 1;
    if (at < 0 || (!floor && this.#old[at] !== old)) return null;
    return this.#fresh[at] ?? null;
  }
}

/** All old ids of an archive with their new ones. */
export class Numbers {
  readonly #spaces = new Map<string, Space>();
  readonly #salt: Uint8Array;

  /** `salt`: 8 bytes, another one for each import. */
  constructor(salt: Uint8Array) {
    this.#salt = salt;
  }

  collect(space: string, id: number): void {
    let found = this.#spaces.get(space);
    if (!found) this.#spaces.set(space, (found = new Space()));
    found.add(id);
  }

  /** Takes new ids from the sequences of the tables. */
  async assign(client: pg.ClientBase): Promise<void> {
    for (const [name, space] of this.#spaces) {
      const [table, column = "id"] = name.split(".");
      const { rows } = await client.query<{ id: string }>(
        `select nextval(pg_get_serial_sequence($1, $2))::text as id from generate_series(1, $3)`,
        [table, column, space.close()],
      );
      space.assign(Float64Array.from(rows, ({ id }) => Number(id)).sort());
    }
  }

  /** `space` names a table, or several to look in (`a|b`); with `<` at its end the next smaller id will do. */
  find(space: string, old: number): number | null {
    const floor = space.endsWith("<");
    for (const name of space.replace("<", "").split("|")) {
      const fresh = this.#spaces.get(name)?.find(old, { floor });
      if (fresh !== undefined && fresh !== null) return fresh;
    }
    return null;
  }

  /** Changes the random part of a UUID: the same one becomes the same one, and its moment and version stay. */
  uuid(old: string): string {
    const bytes = Buffer.from(old.replaceAll("-", ""), "hex");
    for (let at = 9; at < 16; at += 1) bytes[at] = (bytes[at] ?? 0) ^ (this.#salt[at - 8] ?? 0);
    const hex = bytes.toString("hex");
    return [
      ...[hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)],
      hex.slice(20),
    ].join("-");
  }
}

const NULL = "\\N";

/** The text of a field as COPY writes it. */
export function unescapeField(raw: string): string | null {
  if (raw === NULL) return null;
  if (!raw.includes("\\")) return raw;
  return raw.replace(/\\(.)/gs, (_all, letter: string) => unescaped[letter] ?? letter);
}

function escapeField(value: string | null): string {
  if (value === null) return NULL;
  return value.replace(/[\\\n\r\t]/g, (letter) => escaped[letter] ?? letter);
}

const unescaped: Record<string, string> = {
  ...{ n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v" },
};
const escaped: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

export type MappedRow = {
  fields: string[];
  /** The row's id in the archive. */
  key: string;
  /** The rows of the same table that it refers to, by their ids in the archive. */
  self: readonly { column: string; old: string }[];
};

type Mapper = (raw: string) => string | null;

/** The id spaces that a table's rows add to. */
const spaceOf = (table: string, column: string): string =>
  column === "id" ? table : `${table}.${column}`;

/** Makes the rows of a table those of another company. */
export class RowMapper {
  readonly #table: TravellingTable;
  readonly #place: Place;
  readonly #mappers: readonly { at: number; map: Mapper; isNullable: boolean }[];
  readonly #places: ReadonlyMap<string, number>;
  readonly #self: readonly { at: number; column: string }[];
  readonly #keyAt: number;
  #fields: string[] = [];
  readonly #access: Fields;

  constructor(table: TravellingTable, archived: readonly string[], numbers: Numbers, place: Place) {
    this.#table = table;
    this.#place = place;
    this.#places = new Map(table.arriving.map(({ name }, at) => [name, at]));
    this.#mappers = table.arriving.flatMap((column, at) => {
      const map = mapperOf(table, column, numbers, place);
      return map ? [{ at, map, isNullable: column.isNullable }] : [];
    });
    this.#self = table.arriving.flatMap(({ name, target }, at) =>
      target === table.name && name !== "id" ? [{ at, column: name }] : [],
    );
    this.#keyAt = this.#places.get("id") ?? -1;
    this.#archived = archived.map((name) => this.#places.get(name) ?? -1);
    this.#access = {
      get: (column) => unescapeField(this.#fields[this.#at(column)] ?? NULL),
      set: (column, value) => {
        this.#fields[this.#at(column)] = escapeField(value);
        this.#set.add(column);
      },
    };
    this.#set = new Set(archived);
  }

  readonly #archived: readonly number[];
  readonly #set: Set<string>;

  #at(column: string): number {
    const at = this.#places.get(column);
    if (at === undefined) throw new Error(`${this.#table.name} has no column ${column}`);
    return at;
  }

  /** The columns that rows have: those of the archive, and those that the new place has set. */
  get columns(): string[] {
    return this.#table.arriving.map(({ name }) => name).filter((name) => this.#set.has(name));
  }

  /** Null for a row that cannot be without what is gone. */
  map(line: string): MappedRow | null {
    const given = line.split("\t");
    this.#fields = Array.from({ length: this.#table.arriving.length }, () => NULL);
    for (const [from, to] of this.#archived.entries()) {
      if (to >= 0) this.#fields[to] = given[from] ?? NULL;
    }
    const key = this.#keyAt >= 0 ? (this.#fields[this.#keyAt] ?? "") : "";
    const self = this.#self.flatMap(({ at, column }) => {
      const old = this.#fields[at] ?? NULL;
      return old === NULL ? [] : [{ column, old }];
    });
    for (const { at, map, isNullable } of this.#mappers) {
      const raw = this.#fields[at] ?? NULL;
      if (raw === NULL) continue;
      const mapped = map(raw);
      if (mapped === null && !isNullable) return null;
      this.#fields[at] = mapped ?? NULL;
    }
    tableRules[this.#table.name]?.arrive?.(this.#access, this.#place);
    return { fields: this.#fields, key, self };
  }

  /** The line of a row for COPY into `columns`. */
  lineOf(fields: readonly string[]): string {
    return `${this.columns.map((name) => fields[this.#at(name)] ?? NULL).join("\t")}\n`;
  }

  get companyId(): number {
    return this.#place.companyId;
  }

  valueOf(fields: readonly string[], column: string): string {
    return fields[this.#at(column)] ?? NULL;
  }

  /** Clears a column of a row and returns its value. */
  take(fields: string[], column: string): string {
    const at = this.#at(column);
    const value = fields[at] ?? NULL;
    fields[at] = NULL;
    return value;
  }
}

function mapperOf(
  table: TravellingTable,
  { name, type, isIdentity, target, isNullable }: Column,
  numbers: Numbers,
  { companyId }: Place,
): Mapper | null {
  if (name === table.companyColumn) return () => String(companyId);
  if (type === "uuid") return (raw) => numbers.uuid(raw);
  const own = isIdentity ? spaceOf(table.name, name) : target && idsOf(target);
  const space = tableRules[table.name]?.ids?.[name] ?? own;
  if (space === null) return null;
  const whenGone = space.endsWith("<") && !isNullable ? "0" : null;
  return (raw) => {
    const fresh = numbers.find(space, Number(raw));
    return fresh === null ? whenGone : String(fresh);
  };
}

const idsOf = (table: string): string => tableRules[table]?.ids?.["id"] ?? table;

/** Notes the ids of a table's rows. */
export function collector(
  table: TravellingTable,
  archived: readonly string[],
  numbers: Numbers,
): (line: string) => void {
  const places = table.arriving
    .filter(({ isIdentity }) => isIdentity)
    .map(({ name }) => ({ at: archived.indexOf(name), space: spaceOf(table.name, name) }));
  if (places.length === 0) return () => undefined;
  return (line) => {
    const fields = line.split("\t");
    for (const { at, space } of places) numbers.collect(space, Number(fields[at]));
  };
}

/** The lines of COPY's text form, which has no line break within a row. */
export const linesOf = (content: Buffer): string[] =>
  content.length === 0 ? [] : content.toString("utf8").replace(/\n$/, "").split("\n");
