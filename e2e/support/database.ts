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

/** Runs one statement as the owner of the product's database; it must change exactly one row. */
async function change(product: Product, statement: string, values: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: await ownerUrl(product.dataDir) });
  await client.connect();
  try {
    const { rowCount } = await client.query(statement, values);
    if (rowCount !== 1) throw new Error(`${rowCount} rows changed by: ${statement}`);
  } finally {
    await client.end();
  }
}

/** What the product does not offer yet is prepared in its database, whose password lies in the data directory. */
async function ownerUrl(dataDir: string): Promise<string> {
  const home = join(dataDir, "postgres");
  const password = (await readFile(join(home, "password"), "utf8")).trim();
  // The fourth line of the server's own file is its port.
  const port = (await readFile(join(home, "cluster", "postmaster.pid"), "utf8")).split("\n")[3];
  return `postgres://balcao_owner:${password}@127.0.0.1:${port}/balcao`;
}
