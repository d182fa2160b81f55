import pg from "pg";
import type { Kind, RowShape } from "./statements-in-source.ts";

/** A column of a statement's row description. */
type Announced = { name: string; dataTypeID: number; tableID: number; columnID: number };

/** Methods of the driver's connection that its types leave out. */
type Wire = pg.Connection & {
  parse(statement: { name: string; text: string; types: number[] }): void;
  describe(what: { type: "S"; name: string }): void;
  sync(): void;
};

type Catalogue = {
  /** Names of the columns that may be null, by table and number. */
  nullable: ReadonlyMap<string, string>;
  types: ReadonlyMap<number, string>;
};

/**
 * Compares a statement's row description by PostgreSQL, without running it, with the row type at the call. Null is checked
 * only for plain columns of tables: PostgreSQL does not report it for expressions and outer joins.
 */
export async function createRowCheck(
  client: pg.Client,
): Promise<(text: string, rows: RowShape | null) => Promise<string[]>> {
  const catalogue = await readCatalogue(client);
  return async (text, rows) => {
    const columns = await announcedBy(client, text);
    if (rows === null) return [];
    const names = new Set(columns.map(({ name }) => name));
    const missing = Object.entries(rows)
      .filter(([field, kinds]) => !names.has(field) && !kinds.includes("undefined"))
      .map(([field]) => `there is no column ${field}`);
    const differing = columns.flatMap((column) => {
      const kinds = rows[column.name];
      if (!kinds) return [`nobody reads the column ${column.name}`];
      return faultsOf(column, kinds, { text, catalogue }).map((fault) => `${column.name} ${fault}`);
    });
    return [...missing, ...differing];
  };
}

async function readCatalogue(client: pg.Client): Promise<Catalogue> {
  const columns = await client.query<{ place: string; name: string }>(
    "select attrelid || ' ' || attnum as place, attname as name from pg_attribute where not attnotnull",
  );
  const types = await client.query<{ id: number; name: string }>(
    "select oid::int as id, typname as name from pg_type",
  );
  return {
    nullable: new Map(columns.rows.map(({ place, name }) => [place, name])),
    types: new Map(types.rows.map(({ id, name }) => [id, name])),
  };
}

function announcedBy(client: pg.Client, text: string): Promise<Announced[]> {
  return new Promise((resolve, reject) => {
    let columns: Announced[] = [];
    const asked = {
      submit(connection: pg.Connection) {
        const wire = connection as Wire;
        wire.parse({ name: "", text, types: [] });
        wire.describe({ type: "S", name: "" });
        wire.sync();
      },
      handleRowDescription(message: { fields: Announced[] }) {
        columns = message.fields;
      },
      handleReadyForQuery: () => resolve(columns),
      handleError: reject,
    };
    client.query(asked);
  });
}

function faultsOf(
  column: Announced,
  kinds: readonly Kind[],
  { text, catalogue }: { text: string; catalogue: Catalogue },
): string[] {
  const { dataTypeID, tableID, columnID } = column;
  const knowsNull = kinds.includes("null") || kinds.includes("anything");
  // `null as x` has no type of its own.
  if (knowsNull && new RegExp(`\\bnull as "?${column.name}\\b`).test(text)) return [];
  const values = kinds.filter((kind) => kind !== "null" && kind !== "undefined");
  const type = catalogue.types.get(dataTypeID) ?? "";
  const faults = values.every((kind) => holds(kind, sampleOf(dataTypeID, type)))
    ? []
    : [`is ${type}, not ${[...new Set(values.map(nameOf))].join(" | ")}`];
  const nullable = catalogue.nullable.get(`${tableID} ${columnID}`);
  const isSafe = nullable === undefined || knowsNull || excludesNull(text, nullable);
  return isSafe ? faults : [...faults, "may be null"];
}

/** Whether the statement's text visibly excludes rows in which the column is null. */
function excludesNull(text: string, column: string): boolean {
  return new RegExp(`\\b${column} (is not null|[<>])|= \\w+\\.${column}\\b`).test(text);
}

/** Sample values in PostgreSQL's text format; samples of other types are numbers, or strings for the driver. */
const written: Record<string, string> = {
  bool: "t",
  bytea: "\\x00",
  date: "2026-01-31",
  timestamp: "2026-01-31 12:00:00",
  timestamptz: "2026-01-31 12:00:00+00",
  json: '{"sample":1}',
  jsonb: '{"sample":1}',
};

/** The kind of value into which the driver parses this type. */
function sampleOf(id: number, type: string): unknown {
  const isList = type.startsWith("_");
  const text = written[isList ? type.slice(1) : type] ?? "1";
  const parse: (text: string) => unknown = pg.types.getTypeParser(id);
  return parse(isList ? `{${JSON.stringify(text)}}` : text);
}

function holds(kind: Kind, value: unknown): boolean {
  if (kind === "anything") return true;
  // PostgreSQL does not describe the fields of JSON; a date cannot be one of them.
  const isJson = typeof value === "object" && value !== null && "sample" in value;
  if (isJson) return kind !== "Date" && kind !== "Buffer";
  if (typeof kind === "object") {
    return Array.isArray(value) && kind.list.every((item) => holds(item, value[0]));
  }
  if (kind === "Date") return value instanceof Date;
  if (kind === "Buffer") return Buffer.isBuffer(value);
  return typeof value === kind;
}

function nameOf(kind: Kind): string {
  return typeof kind === "object" ? `${kind.list.map(nameOf).join(" | ")}[]` : kind;
}
