import { hash, verify } from "@node-rs/argon2";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import type { Database } from "../../platform/db/database.ts";
import { systemSources } from "../../platform/sources.ts";
import { quietLog } from "../../testing/app.ts";
import { testDatabase } from "../../testing/database.ts";
import { generatePassword } from "./first-start.ts";
import type { ChannelHistory, ProvisioningDeps } from "./index.ts";
import { createProvisioning } from "./index.ts";

const now = new Date("2026-11-18T14:30:00.000Z");

function provisioningOn(db: Database, changes: Partial<ProvisioningDeps> = {}) {
  return createProvisioning({
    db,
    sources: { ...systemSources, clock: { now: () => now } },
    hashPassword: (password) => hash(password, { memoryCost: 1_024, timeCost: 1 }),
    seedChannel: () => Promise.resolve({ number: "5511900000000" }),
    files: { storeCustomerFile: () => Promise.reject(new Error("there is no disk")) },
    log: quietLog(),
    ...changes,
  });
}

async function countRows(db: Database) {
  const [counts] = await db.acrossCompanies((tx) =>
    tx.query<{ companies: number; users: number; messages: number }>(
      sql`select (select count(*) from companies) as companies, (select count(*) from users) as users,
                 (select count(*) from messages) as messages`,
    ),
  );
  return counts;
}

function storedUsers(db: Database) {
  return db.acrossCompanies((tx) =>
    tx.query<{ email: string; company: string; profile: string; super: boolean; hash: string }>(
      sql`select u.email, c.name as company, u.profile, u.super, u.password_hash as hash
          from users u join companies c on c.id = u.company_id order by u.id`,
    ),
  );
}

test("a second start on the same database reports nothing and changes nothing", async () => {
  const { db } = await testDatabase();
  const first = await provisioningOn(db).firstStart({ demo: true });
  expect(first?.accounts).toHaveLength(5);
  const before = await countRows(db);
  expect(before).toMatchObject({ companies: 2, users: 5 });

  expect(await provisioningOn(db).firstStart({ demo: true })).toBeNull();
  expect(await countRows(db)).toEqual(before);
});

test("exactly one of several processes that start together provisions, and the others report no accounts", async () => {
  const { db } = await testDatabase();
  // Every process has looked and found nothing before any of them may go on.
  let arrived = 0;
  const all = Promise.withResolvers<void>();
  const start = () => {
    let hashed = false;
    const hashPassword = async (password: string) => {
      if (!hashed) arrived += 1;
      hashed = true;
      if (arrived === 3) all.resolve();
      await all.promise;
      return `hash of ${password}`;
    };
    return provisioningOn(db, { hashPassword }).firstStart({ demo: true });
  };
  const reports = await Promise.all([start(), start(), start()]);
  expect(reports.filter((report) => report !== null)).toHaveLength(1);
  expect(await countRows(db)).toMatchObject({ companies: 2, users: 5 });
});

test("every reported password opens its account", async () => {
  const { db } = await testDatabase();
  const report = await provisioningOn(db).firstStart({ demo: true });
  const users = await storedUsers(db);
  expect(report?.accounts.map(({ company, role, email }) => [company, role, email])).toEqual([
    ["Balcão", "super", "super@balcao.local"],
    ["Boutique Aurora", "admin", "renata@aurora.local"],
    ["Boutique Aurora", "agent", "marina@aurora.local"],
    ["Boutique Aurora", "agent", "caio@aurora.local"],
    ["Boutique Aurora", "agent", "beatriz@aurora.local"],
  ]);
  expect(users.map(({ company, email }) => [company, email])).toEqual(
    report?.accounts.map(({ company, email }) => [company, email]),
  );
  const passwords = report?.accounts.map(({ password }) => password ?? "") ?? [];
  const opened = await Promise.all(
    users.map((user, index) => verify(user.hash, passwords[index] ?? "")),
  );
  expect(opened).toEqual([true, true, true, true, true]);
  expect(new Set(passwords).size).toBe(5);
  expect(users.map((user) => [user.super, user.profile])).toEqual([
    [true, "admin"],
    [false, "admin"],
    [false, "user"],
    [false, "user"],
    [false, "user"],
  ]);
});

test("the operator's own address and password are used and the password is not repeated; without the demo there is only the provider", async () => {
  const { db } = await testDatabase();
  const report = await provisioningOn(db).firstStart({
    demo: false,
    adminEmail: "Dona@Provedor.example",
    adminPassword: "uma frase bem longa",
  });
  expect(report).toEqual({
    accounts: [
      {
        company: "Balcão",
        name: "Administrador",
        role: "super",
        email: "dona@provedor.example",
        password: null,
      },
    ],
  });
  const [user, ...others] = await storedUsers(db);
  expect(others).toEqual([]);
  expect(await verify(user?.hash ?? "", "uma frase bem longa")).toBe(true);
});

test("due dates are the end of the day in the company's zone, and every company has all settings", async () => {
  const { db } = await testDatabase();
  await provisioningOn(db).firstStart({ demo: true });
  const companies = await db.acrossCompanies((tx) =>
    tx.query<{ name: string; due: Date; plan: string; settings: number }>(
      sql`select c.name, c.due_date as due, p.name as plan,
                 (select count(*) from settings s where s.company_id = c.id) as settings
          from companies c join plans p on p.id = c.plan_id order by c.id`,
    ),
  );
  expect(companies).toEqual([
    { name: "Balcão", due: new Date("2100-01-01T02:59:59.999Z"), plan: "Provedor", settings: 25 },
    {
      name: "Boutique Aurora",
      due: new Date("2026-12-19T02:59:59.999Z"),
      plan: "Completo",
      settings: 25,
    },
  ]);
});

test("when the channel cannot be seeded no row stays, and the next start begins again", async () => {
  const { db } = await testDatabase();
  const failing = provisioningOn(db, {
    seedChannel: () => Promise.reject(new Error("no simulated network")),
  });
  await expect(failing.firstStart({ demo: true })).rejects.toThrow("no simulated network");
  expect(await countRows(db)).toEqual({ companies: 0, users: 0, messages: 0 });

  const seeded: ChannelHistory[] = [];
  const working = provisioningOn(db, {
    seedChannel: (_tx, history) => {
      seeded.push(history);
      return Promise.resolve({ number: "5511900000000" });
    },
  });
  expect(await working.firstStart({ demo: true })).not.toBeNull();
  expect(seeded).toHaveLength(1);
});

test("a generated password is readable, long enough, and has upper case, lower case and digits", () => {
  const passwords = Array.from({ length: 500 }, () => generatePassword(systemSources.random));
  const shape = /^[A-HJKMNP-Z][a-hjkmnp-z]{4}-[a-hjkmnp-z]{5}-[2-9]{2}[a-hjkmnp-z]{3}$/;
  expect(passwords.filter((password) => !shape.test(password))).toEqual([]);
  expect(new Set(passwords).size).toBe(passwords.length);
});

test("every character of the alphabets can occur, the first and the last included", () => {
  const always = (pick: (max: number) => number) =>
    generatePassword({ hex: () => "", integer: (min, max) => min + pick(max - min) });
  expect(always(() => 0)).toBe("Aaaaa-aaaaa-22aaa");
  expect(always((count) => count - 1)).toBe("Zzzzz-zzzzz-99zzz");
});
