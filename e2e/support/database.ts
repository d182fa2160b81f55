import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import type { Account, Product } from "./product.ts";

/** A further admin of the same company, with the same password: one account has one session at a time. */
export async function addAdmin(product: Product, like: Account, email: string): Promise<Account> {
  const name = "Rede simulada";
  await change(
    product,
    `insert into users (company_id, name, email, password_hash, profile, all_ticket)
     select company_id, $1, $2, password_hash, profile, all_ticket from users where email = $3`,
    [name, email, like.email],
  );
  return { name, email, password: like.password };
}

/** A further colleague of the same company and with the same queues and password as `like`. */
export async function addColleague(
  product: Product,
  like: Account,
  { name, email, profile }: { name: string; email: string; profile: "user" | "supervisor" },
): Promise<Account> {
  await change(
    product,
    `insert into users (company_id, name, email, password_hash, profile, all_ticket)
     select company_id, $1, $2, password_hash, $3, all_ticket from users where email = $4`,
    [name, email, profile, like.email],
  );
  await run(
    product,
    `insert into user_queues (company_id, user_id, queue_id)
     select user_queues.company_id, added.id, queue_id from user_queues
     join users known on known.id = user_queues.user_id and known.email = $1
     join users added on added.email = $2`,
    [like.email, email],
  );
  return { name, email, password: like.password };
}

/** From now on the plan of the account's company has this many users. */
export async function limitUsers(product: Product, of: Account, users: number): Promise<void> {
  await change(
    product,
    `update plans set users = $1::int from companies
     join users on users.company_id = companies.id
     where plans.id = companies.plan_id and users.email = $2`,
    [String(users), of.email],
  );
}

/** Makes the last message of a ticket as old as `age` (an interval, as "45 minutes"). */
export async function ageLastMessage(product: Product, uuid: string, age: string): Promise<void> {
  await change(
    product,
    `update tickets set last_message_at = now() - $2::interval,
            waiting_since = case when waiting_since is not null then now() - $2::interval end
      where uuid = $1`,
    [uuid, age],
  );
}

/** A company whose subscription ended at `dueDate` (ISO), with one admin who has the password of `like`. */
export async function addExpiredCompany(
  product: Product,
  like: Account,
  company: { name: string; email: string; dueDate: string },
): Promise<Account> {
  await change(
    product,
    `with company as (
       insert into companies (name, email, plan_id, due_date)
       select $1, $2, plan_id, $3 from companies
       join users on users.company_id = companies.id where users.email = $4
       returning id
     )
     insert into users (company_id, name, email, password_hash, profile)
     select company.id, 'Ana Vencida', $2, password_hash, 'admin'
     from company, users where users.email = $4`,
    [company.name, company.email, company.dueDate, like.email],
  );
  return { name: "Ana Vencida", email: company.email, password: like.password };
}

/** Runs one statement that must change exactly one row. */
async function change(product: Product, statement: string, values: string[]): Promise<void> {
  const rows = await run(product, statement, values);
  if (rows !== 1) throw new Error(`${rows} rows changed by: ${statement}`);
}

/** Runs one statement as the owner of the product's database; answers how many rows it changed. */
async function run(product: Product, statement: string, values: string[]): Promise<number | null> {
  const client = new pg.Client({ connectionString: await ownerUrl(product.dataDir) });
  await client.connect();
  try {
    const { rowCount } = await client.query(statement, values);
    return rowCount;
  } finally {
    await client.end();
  }
}

/** Runs statements of the owner one after the other, in one transaction; each must change something. */
export async function changeMany(
  product: Product,
  changes: readonly { statement: string; values: (string | number)[] }[],
): Promise<void> {
  const client = new pg.Client({ connectionString: await ownerUrl(product.dataDir) });
  await client.connect();
  try {
    await client.query("begin");
    for (const { statement, values } of changes) {
      const { rowCount } = await client.query(statement, values);
      if (rowCount === 0) throw new Error(`nothing changed by: ${statement}`);
    }
    await client.query("commit");
    await client.query("analyze");
  } finally {
    await client.end();
  }
}

/** Prepares data that the product has no call for, in its database, whose password lies in the data directory. */
async function ownerUrl(dataDir: string): Promise<string> {
  const home = join(dataDir, "postgres");
  const password = (await readFile(join(home, "password"), "utf8")).trim();
  // The fourth line of the server's own file is its port.
  const port = (await readFile(join(home, "cluster", "postmaster.pid"), "utf8")).split("\n")[3];
  return `postgres://balcao_owner:${password}@127.0.0.1:${port}/balcao`;
}
