import { appendFile, cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import pg from "pg";
import { expect, onTestFailed, test, vi } from "vitest";
import { z } from "zod";
import { createDatabase } from "../../database.ts";
import { atEndOfFile } from "../../end-of-file.ts";
import { builtMain } from "./built-product.ts";
import type { Conversation } from "./conversation.ts";
import { converse } from "./conversation.ts";
import { newDirectory, newInstallation, untilQuiet } from "./installation.ts";
import { createClient, signIn } from "./patient-client.ts";

const CUSTOMERS = 6;
/** The conversations go on until both processes are new, and at least so long. */
const MESSAGES_EACH = 60;

/** Additions that a release may make to tables that the version before it uses. */
const migration = `-- locks: messages, tickets and contacts for a moment
alter table messages add column rolling_note text;--> statement-breakpoint
alter table tickets add column rolling_count integer not null default 7;--> statement-breakpoint
alter table contacts add column rolling_at timestamp with time zone default now();--> statement-breakpoint
create table rolling_rows (
  id integer generated always as identity primary key,
  company_id integer not null references companies (id) on delete cascade
);--> statement-breakpoint
select isolate_tenants('rolling_rows');`;

/** The present program with one more migration. Answers the path of its main.js. */
async function nextVersion(main: string): Promise<string> {
  const server = dirname(dirname(main));
  const root = dirname(dirname(server));
  const folder = await newDirectory();
  atEndOfFile(() => rm(folder, { recursive: true, force: true }));
  const copy = join(folder, "packages", "server");
  await mkdir(copy, { recursive: true });
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  for (const name of ["dist", "migrations", "package.json"]) {
    await cp(join(server, name), join(copy, name), { recursive: true });
  }
  await symlink(join(root, "packages", "web"), join(folder, "packages", "web"));
  const journalFile = join(copy, "migrations", "meta", "_journal.json");
  const journal = z
    .looseObject({ entries: z.array(z.looseObject({ when: z.number(), idx: z.number() })) })
    .parse(JSON.parse(await readFile(journalFile, "utf8")));
  const last = journal.entries.at(-1);
  if (!last) throw new Error("there are no migrations");
  const tag = "9999_rolling";
  journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + 1_000, tag });
  await writeFile(journalFile, JSON.stringify(journal));
  await appendFile(join(copy, "migrations", `${tag}.sql`), migration);
  return join(copy, "dist", "main.js");
}

test(
  "two processes that are replaced one after the other, with a migration between, lose and double nothing",
  { timeout: 300_000 },
  async () => {
    const old = await builtMain();
    const next = await nextVersion(old);
    const environment = { DATABASE_URL: await createDatabase() };
    let leftProgram = old;
    let rightProgram = old;
    const left = await newInstallation({ environment, program: () => leftProgram });
    const right = await newInstallation({ environment, program: () => rightProgram });
    onTestFailed(() => void process.stderr.write(`${left.output()}\n${right.output()}`));
    const accounts = left.accounts();
    const [account] = accounts.agents;
    if (!account) throw new Error("the demo has no agents");
    const admin = await signIn(left, accounts.admin);
    const { token } = await createClient(right.url, null).call(
      "POST /auth/login",
      "/auth/login",
      account,
    );
    const agents = [left, right].map(({ url }) => createClient(url, token));
    const [line] = await admin.call("GET /simulator/connections", "/simulator/connections");
    if (!line) throw new Error("the demo has no simulated connection");

    let accepted = 0;
    let isRolled = false;
    /** Slow enough that most messages come while the processes are replaced. */
    const turn = async (): Promise<void> => {
      if (isRolled) return;
      await new Promise((resolve) => setTimeout(resolve, 250));
    };
    const talking: Promise<Conversation[]> = Promise.all(
      Array.from({ length: CUSTOMERS }, (_, index) =>
        converse({
          ...{ customer: admin, agent: agents[index % 2] ?? admin, connectionId: line.id, turn },
          ...{ phone: `55119${55_000_000 + index}`, messages: MESSAGES_EACH, answers: 30 },
          onProgress: () => {
            accepted += 1;
          },
        }),
      ),
    );
    await vi.waitFor(() => expect(accepted).toBeGreaterThan(CUSTOMERS * 5), { timeout: 60_000 });

    // A long report reads what the migration is to change: for a while it does not get its locks.
    const reader = new pg.Client({ connectionString: environment.DATABASE_URL });
    await reader.connect();
    await reader.query("begin");
    await reader.query("select count(*) from messages, tickets");
    rightProgram = next;
    expect(await right.end("SIGTERM")).toBe(0);
    const starting = right.start();
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const before = accepted;
    await vi.waitFor(() => expect(accepted).toBeGreaterThan(before));
    await reader.query("rollback");
    await reader.end();
    await starting;

    // The old process goes on beside the new tables.
    const beside = accepted;
    await vi.waitFor(() => expect(accepted).toBeGreaterThan(beside + CUSTOMERS * 5), {
      timeout: 60_000,
    });
    expect(await left.end("SIGTERM")).toBe(0);
    await expect(left.start()).rejects.toThrow(
      "The database was migrated by a later version of Balcão (migrations that this one does not know: 1).",
    );
    leftProgram = next;
    await left.start();
    const underWay = accepted;
    isRolled = true;
    const conversations = await talking;
    expect(underWay).toBeLessThan(CUSTOMERS * (MESSAGES_EACH + 30));

    await untilQuiet(right);
    for (const { phone, written, answered } of conversations) {
      expect(written).toHaveLength(MESSAGES_EACH);
      const [stored] = await right.query<{ received: string[]; sent: string[]; heard: string[] }>(
        `select array_agg(m.provider_id order by m.seq) filter (where not m.from_me) as received,
                array_agg(m.body order by m.seq) filter (where m.from_me) as sent,
                (select array_agg(s.body order by s.seq) from simulator_messages s
                  where s.phone = $1 and not s.from_customer) as heard
           from messages m join tickets t on t.id = m.ticket_id join contacts c on c.id = t.contact_id
          where c.number = $1`,
        [phone],
      );
      expect(stored, phone).toEqual({ received: written, sent: answered, heard: answered });
    }
  },
);
