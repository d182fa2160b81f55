import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { migrationsFolder } from "./installation.ts";

/** From this migration on the first line says what is locked, for how long. */
const FIRST_WITH_LOCKS = 59;

/** Tables with so many rows that a scan of them is noticed. */
const large = new Set([
  ...["messages", "message_media", "message_reactions", "tickets", "attendances"],
  ...["attendance_changes", "contacts", "contact_addresses", "campaign_recipients", "files"],
]);

type Form = { fault: string; of: "large" | "any"; matches: RegExp };

const table = String.raw`(?:if exists )?(?:only )?(?:"?public"?\.)?"?(?<table>\w+)"?`;
const alter = String.raw`^alter table ${table}\b.*?\b`;
const forms: readonly Form[] = [
  {
    fault: "fails when there are rows",
    of: "any",
    matches: new RegExp(
      String.raw`${alter}add column (?:(?!\bdefault\b|\bgenerated\b).)*?\bnot null(?!.*\b(?:default|generated)\b)`,
    ),
  },
  {
    fault: "rewrites the table",
    of: "any",
    matches: new RegExp(
      String.raw`${alter}(?:alter column "?\w+"? (?:set data )?type|add column .*\b(?:stored|gen_random_uuid\(\)|random\(\)|clock_timestamp\(\)|generated \w+( \w+)? as identity))`,
    ),
  },
  {
    fault: "the version before cannot do without it",
    of: "any",
    matches: new RegExp(String.raw`${alter}(?:drop column|rename)`),
  },
  {
    fault: "the version before cannot do without it",
    of: "any",
    matches: new RegExp(`^drop table ${table}`),
  },
  {
    fault: "reads the whole table",
    of: "large",
    matches: new RegExp(
      String.raw`${alter}(?:alter column "?\w+"? set not null|add constraint (?!.*\bnot valid\b))`,
    ),
  },
  {
    fault: "nobody writes meanwhile",
    of: "large",
    matches: new RegExp(
      String.raw`^create (?:unique )?index (?!concurrently).*? on (?:only )?${table}`,
    ),
  },
  {
    fault: "changes many rows",
    of: "large",
    matches: new RegExp(`^(?:update|delete from|with .* update) ${table}`),
  },
];

/** What a migration does to tables that existed before it, in a way that its first line has to explain. */
function dangersOf(sql: string): { table: string; fault: string }[] {
  const statements = sql
    .replaceAll(/--(?!>).*$/gm, "")
    .split(/--> statement-breakpoint|;(?=\s|$)/)
    .map((statement) => statement.replaceAll(/\s+/g, " ").trim().toLowerCase());
  const creates = new RegExp(`^create table (?:if not exists )?${table}`);
  const created = new Set(
    statements.map((statement) => creates.exec(statement)?.groups?.["table"]),
  );
  return statements.flatMap((statement) =>
    forms.flatMap(({ fault, of, matches }) => {
      const name = matches.exec(statement)?.groups?.["table"];
      if (name === undefined || created.has(name)) return [];
      return of === "large" && !large.has(name) ? [] : [{ table: name, fault }];
    }),
  );
}

/** What is missing in the first line of a migration. */
function faultsOf(sql: string): string[] {
  const [first = ""] = sql.split("\n");
  const said = /^-- locks: (?<text>\S.{6,})$/.exec(first)?.groups?.["text"];
  if (said === undefined) return ["the first line is not `-- locks: …`"];
  return dangersOf(sql)
    .filter((danger) => !new RegExp(String.raw`\b${danger.table}\b.*\bbecause\b`).test(said))
    .map((danger) => `${danger.table}: ${danger.fault}; the first line says no "because"`);
}

test.each([
  ['alter table "tickets" add column "a" text', []],
  ["alter table tickets add column a int default 7 not null", []],
  ["alter table tickets add column a int not null default 7", []],
  ['ALTER TABLE "plans" ADD COLUMN "a" text NOT NULL', ["fails when there are rows"]],
  ["alter table plans\n  alter column a set data type bigint", ["rewrites the table"]],
  ["alter table plans add column a uuid default gen_random_uuid()", ["rewrites the table"]],
  [
    "alter table plans add column a text generated always as (lower(name)) stored",
    ["rewrites the table"],
  ],
  ["alter table plans drop column a", ["the version before cannot do without it"]],
  ["alter table plans rename column a to b", ["the version before cannot do without it"]],
  ["drop table if exists plans cascade", ["the version before cannot do without it"]],
  ["alter table messages alter column body set not null", ["reads the whole table"]],
  ["alter table messages add constraint a check (ack > 0)", ["reads the whole table"]],
  ["alter table messages add constraint a check (ack > 0) not valid", []],
  ['create index "a" on "messages" using btree ("b")', ["nobody writes meanwhile"]],
  ['create index "a" on "plans" using btree ("b")', []],
  ["update public.contacts set name = ''", ["changes many rows"]],
  ["create table messages (a int); create index a on messages (a)", []],
  ["-- drop table plans\nselect 1", []],
])("the dangers of %j are seen", (sql, faults) => {
  expect(dangersOf(sql).map(({ fault }) => fault)).toEqual(faults);
});

test("a migration that locks long, or breaks the version before, gives its reason", () => {
  const drop = "alter table plans drop column a";
  expect(faultsOf(drop)).toEqual(["the first line is not `-- locks: …`"]);
  expect(faultsOf(`-- locks: plans for a moment\n${drop}`)).toHaveLength(1);
  expect(faultsOf(`-- locks: plans for a moment, because 1.1 did not read it\n${drop}`)).toEqual(
    [],
  );
});

test("each migration says in its first line what it locks", () => {
  const names = readdirSync(migrationsFolder).filter((name) => name.endsWith(".sql"));
  const checked = names.filter((name) => Number.parseInt(name, 10) >= FIRST_WITH_LOCKS);
  expect(checked.length).toBeGreaterThan(0);
  const faults = checked.flatMap((name) =>
    faultsOf(readFileSync(join(migrationsFolder, name), "utf8")).map(
      (fault) => `${name}: ${fault}`,
    ),
  );
  expect(faults).toEqual([]);
});
