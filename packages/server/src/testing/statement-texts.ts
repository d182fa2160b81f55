import { registerHooks, stripTypeScriptTypes } from "node:module";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import type { SQL } from "drizzle-orm";
import { sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";

// A process of statements-in-source.ts: each piece of code is evaluated in its module, where it sees what is not exported.

type Asked = { file: string; code: string };
type Evaluate = (
  code: string,
  bound: object,
  nothing: SQL,
) => Iterable<SQL | { name: string; text: string }>;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith("?evaluate")) return loaded;
    const { source } = loaded;
    const code = typeof source === "string" ? source : new TextDecoder().decode(source);
    const evaluate = "export const __evaluate = (code, bound, nothing) => eval(code);";
    return { ...loaded, source: `${code}\n${evaluate}` };
  },
});

/** Stands for a value that the statement binds, for anything in it, and for a list of one such value. */
const bound: object = new Proxy(
  {},
  {
    get: (_target, key) => {
      if (key === Symbol.iterator) return () => [bound].values();
      return typeof key === "symbol" || key === "getSQL" ? undefined : bound;
    },
  },
);

const dialect = new PgDialect();
const asked: Asked[] = JSON.parse(await text(process.stdin));
const found: { name: string; text: string }[][] = [];
for (const { file, code } of asked) {
  const module: { __evaluate: Evaluate } = await import(`${pathToFileURL(file).href}?evaluate`);
  const statements = [...module.__evaluate(stripTypeScriptTypes(code), bound, sql``)];
  found.push(
    statements.map((statement) =>
      "text" in statement ? statement : { name: "", text: dialect.sqlToQuery(statement).sql },
    ),
  );
}
process.stdout.write(JSON.stringify(found));
