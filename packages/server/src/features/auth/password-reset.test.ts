import type { ReplyOf } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { pino } from "pino";
import { systemSources } from "../../platform/sources.ts";
import type { TestApp } from "../../testing/app.ts";
import { quietLog, testApp } from "../../testing/app.ts";
import type { GivenCompany, GivenUser } from "../../testing/given.ts";
import { PASSWORD } from "../../testing/given.ts";
import { createMailsFeature } from "../mails/index.ts";
import { findAccount } from "../users/index.ts";
import { inviteUser, sweepPasswordResets } from "./password-reset.ts";

const NEW_PASSWORD = "Girafa-lilas-27";
const MINUTE_MS = 60_000;

let app: TestApp;
let company: GivenCompany;
beforeAll(async () => {
  // E-mails are held: the tests read them as a super user does.
  app = await testApp({
    environment: { BALCAO_PUBLIC_URL: "https://inbox.example", BALCAO_TRUST_PROXY: "on" },
  });
  company = await app.given.company();
});

/** Requests of an address of its own each: the limits are not these tests' subject. */
let addresses = 0;
const fromElsewhere = () => {
  addresses += 1;
  return from(`203.0.113.${addresses}`);
};
function from(address: string) {
  return async (path: string, body?: unknown) => {
    const reply = await fetch(`${app.url}/api${path}`, {
      method: "POST",
      headers: {
        "x-forwarded-for": address,
        ...(body ? { "content-type": "application/json" } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return {
      status: reply.status,
      headers: reply.headers,
      body: (await reply.json()) as Record<string, unknown>,
    };
  };
}

const forget = (email: string, more: object = {}) =>
  fromElsewhere()("/forgetpassword", { email, ...more });
const reset = (email: string, token: string, password = NEW_PASSWORD) =>
  fromElsewhere()("/resetpasswords", { email, token, password });
const signIn = (email: string, password: string) =>
  app.anonymous.post("/auth/login", { email, password });

async function mailsTo(email: string): Promise<ReplyOf<"GET /mails">["mails"]> {
  const provider = await app.given.admin({ company, super: true });
  const { body } = await app.as(provider).get<ReplyOf<"GET /mails">>(`/mails?searchParam=${email}`);
  return body.mails;
}

/** The code of the newest e-mail to this user. */
async function codeOf({ email }: Pick<GivenUser, "email">): Promise<string> {
  const [mail] = await mailsTo(email);
  return codeIn(mail?.text);
}

function codeIn(text = ""): string {
  const [code] = /\b[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}\b/.exec(text) ?? [];
  if (code === undefined) throw new Error(`no code in: ${text}`);
  return code;
}

/** A user who has asked for a code. */
async function asking(): Promise<GivenUser & { code: string }> {
  const user = await app.given.agent({ company });
  expect(await forget(user.email)).toMatchObject({ status: 200 });
  return { ...user, code: await codeOf(user) };
}

const wrong = (code: string): string => code.replace(/.$/, (end) => (end === "A" ? "B" : "A"));

describe("asking for a code", () => {
  test("a user gets an e-mail in the chosen language, with a code that holds for half an hour", async () => {
    const user = await app.given.agent({ company, name: "Marina Prado" });
    const asked = Date.now();
    const reply = await forget(` ${user.email.toUpperCase()} `, { language: "es" });
    expect(reply).toMatchObject({ status: 200, body: { message: "E-mail enviado com sucesso" } });
    const until = Date.parse(String(reply.body["validUntil"]));
    expect((until - asked) / MINUTE_MS).toBeCloseTo(30, 0);
    const [mail, ...others] = await mailsTo(user.email);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({
      ...{ kind: "password-reset", name: "Marina Prado", address: user.email, state: "held" },
      ...{ subject: "Restablecer la contraseña - Balcão", company: { id: company.id } },
    });
    expect(mail?.text).toContain(company.name);
    expect(mail?.text).toContain(
      `https://inbox.example/forgetpsw?email=${encodeURIComponent(user.email)}`,
    );
  });

  test("an unknown e-mail is told in the body, as clients of the family read it", async () => {
    expect(await forget("ninguem@empresa.example")).toMatchObject({
      status: 200,
      body: { status: 404, message: "Email não encontrado" },
    });
    expect(await mailsTo("ninguem@empresa.example")).toEqual([]);
  });

  test("the code is stored as a hash that takes long to guess", async () => {
    const { id, code } = await asking();
    const [row] = await app.database.db.acrossCompanies((tx) =>
      tx.query<{ codeHash: string }>(sql`
        select code_hash as "codeHash" from password_resets where user_id = ${id}`),
    );
    expect(row?.codeHash).toMatch(/^\$argon2id\$/);
    expect(row?.codeHash).not.toContain(code.replace("-", ""));
  });

  test("a user of a company that is suspended may set a new password, and still cannot sign in", async () => {
    const suspended = await app.given.company();
    const user = await app.given.admin({ company: suspended });
    await app.database.db.acrossCompanies((tx) =>
      tx.query(sql`update companies set status = false where id = ${suspended.id}`),
    );
    await forget(user.email);
    expect(await reset(user.email, await codeOf(user))).toMatchObject({ status: 200 });
    expect(await signIn(user.email, NEW_PASSWORD)).toMatchObject({
      status: 400,
      body: { code: "ERR_COMPANY_DISABLED" },
    });
  });
});

describe("setting a new password", () => {
  test("the code sets it once, however it is typed; all sessions of the user end", async () => {
    const user = await asking();
    const { ending } = await app.live(user);
    const typed = ` ${user.code.toLowerCase().replace("-", " ")} `;
    expect(await reset(user.email, typed)).toMatchObject({
      status: 200,
      body: { message: "Senha redefinida com sucesso" },
    });
    expect(await app.as(user).get("/auth/me")).toMatchObject({
      status: 403,
      body: { code: "ERR_TOKEN_EXPIRED" },
    });
    await expect.poll(ending).not.toBeNull();
    expect(await signIn(user.email, PASSWORD)).toMatchObject({ status: 401 });
    expect(await signIn(user.email, NEW_PASSWORD)).toMatchObject({ status: 200 });
    expect(await reset(user.email, user.code)).toMatchObject({
      status: 404,
      body: { code: "ERR_RESET_CODE_OVER", error: "Verifique o Token informado" },
    });
  });

  test("the calls of the family's clients do the same, with everything in the address", async () => {
    const user = await app.given.agent({ company });
    const call = fromElsewhere();
    expect(await call(`/forgetpassword/${encodeURIComponent(user.email)}`)).toMatchObject({
      status: 200,
      body: { message: "E-mail enviado com sucesso" },
    });
    expect(await call("/forgetpassword/ninguem@empresa.example")).toMatchObject({
      status: 200,
      body: { status: 404, message: "Email não encontrado" },
    });
    const path = (code: string) =>
      `/resetpasswords/${user.email}/${code}/${encodeURIComponent("Lilás/100%-Zebra")}`;
    expect(await call(path("AAAA-AAAA"))).toMatchObject({
      status: 404,
      body: { error: "Verifique o Token informado", code: "ERR_RESET_CODE_WRONG" },
    });
    expect(await call(path(await codeOf(user)))).toMatchObject({ status: 200 });
    expect(await signIn(user.email, "Lilás/100%-Zebra")).toMatchObject({ status: 200 });
  });

  test("a code is void after five wrong tries, each of which is told", async () => {
    const { email, code } = await asking();
    for (const triesLeft of [4, 3, 2, 1]) {
      expect(await reset(email, wrong(code))).toMatchObject({
        status: 404,
        body: { code: "ERR_RESET_CODE_WRONG", data: { triesLeft } },
      });
    }
    const over = { status: 404, body: { code: "ERR_RESET_CODE_OVER" } };
    expect(await reset(email, wrong(code))).toMatchObject(over);
    expect(await reset(email, code)).toMatchObject(over);
    expect(await signIn(email, PASSWORD)).toMatchObject({ status: 200 });
  });

  test("of many tries at the same moment no more than five are checked", async () => {
    const { email, code } = await asking();
    const tries = await Promise.all(Array.from({ length: 12 }, () => reset(email, wrong(code))));
    const wrongs = tries.filter(({ body }) => body["code"] === "ERR_RESET_CODE_WRONG");
    expect(wrongs.length).toBeLessThan(5);
    expect(await reset(email, code)).toMatchObject({ status: 404 });
  });

  test("two requests with the right code at the same moment set one password", async () => {
    const { email, code } = await asking();
    const replies = await Promise.all([
      reset(email, code, "Primeira-senha-1"),
      reset(email, code, "Segunda-senha-2"),
    ]);
    expect(replies.map(({ status }) => String(status)).sort()).toEqual(["200", "404"]);
  });

  test("a new code replaces the one before, with tries of its own", async () => {
    const user = await asking();
    await reset(user.email, wrong(user.code));
    await forget(user.email);
    expect(await reset(user.email, user.code)).toMatchObject({
      status: 404,
      body: { code: "ERR_RESET_CODE_WRONG", data: { triesLeft: 4 } },
    });
    expect(await reset(user.email, await codeOf(user))).toMatchObject({ status: 200 });
  });

  test("a code is of one user, and void once the user has another password or e-mail", async () => {
    const over = { status: 404 };
    const [one, other] = [await asking(), await asking()];
    expect(await reset(other.email, one.code)).toMatchObject(over);
    expect(await reset("ninguem@empresa.example", one.code)).toMatchObject({
      status: 404,
      body: { code: "ERR_RESET_CODE_OVER" },
    });
    const admin = app.as(await app.given.admin({ company }));
    await admin.put(`/users/${one.id}`, { password: "outra-senha-27" });
    expect(await reset(one.email, one.code)).toMatchObject(over);
    await admin.put(`/users/${other.id}`, { email: `novo-${other.email}` });
    expect(await reset(`novo-${other.email}`, other.code)).toMatchObject(over);
  });

  test.each([
    ["no digit", "Girafa-lilas", "ERR_PASSWORD_WEAK"],
    ["no capital", "girafa-lilas-27", "ERR_PASSWORD_WEAK"],
    ["no small letter", "GIRAFA-LILAS-27", "ERR_PASSWORD_WEAK"],
    ["seven characters", "Girafa7", "ERR_PASSWORD_WEAK"],
    ["a common one", "Senha@123", "ERR_PASSWORD_EASY"],
    ["the user's name", "MariaSouza27", "ERR_PASSWORD_EASY"],
  ])("a password with %s is refused, which is no wrong try", async (_what, password, refusal) => {
    const user = await app.given.agent({ company, name: "MariaSouza27" });
    await forget(user.email);
    const code = await codeOf(user);
    for (let round = 0; round < 6; round += 1) {
      expect(await reset(user.email, code, password)).toMatchObject({
        status: 400,
        body: { code: refusal },
      });
    }
    expect(await reset(user.email, code)).toMatchObject({ status: 200 });
  });

  test("the company's own minimum length counts", async () => {
    const strict = await app.given.company({ settings: { passwordMinLength: "12" } });
    const user = await app.given.agent({ company: strict });
    await forget(user.email);
    expect(await reset(user.email, await codeOf(user), "Girafa-27")).toMatchObject({
      status: 400,
      body: { code: "ERR_PASSWORD_SHORT", data: { min: 12 } },
    });
  });

  test("somebody who was locked out by wrong passwords signs in with the new one at once", async () => {
    const user = await asking();
    for (let round = 0; round < 11; round += 1) await signIn(user.email, "errada");
    expect(await signIn(user.email, PASSWORD)).toMatchObject({ status: 429 });
    await reset(user.email, user.code);
    expect(await signIn(user.email, NEW_PASSWORD)).toMatchObject({ status: 200 });
  });
});

describe("limits", () => {
  test("an e-mail gets three codes within an hour, whether somebody has it or not", async () => {
    const { email } = await app.given.agent({ company });
    for (const address of [email, "desconhecido@empresa.example"]) {
      for (let round = 0; round < 3; round += 1) {
        expect(await forget(address)).toMatchObject({ status: 200 });
      }
      const refused = await forget(address);
      expect(refused).toMatchObject({ status: 429, body: { code: "ERR_TOO_MANY_REQUESTS" } });
      const { retryAfterSeconds } = refused.body["data"] as { retryAfterSeconds: number };
      expect(retryAfterSeconds).toBeGreaterThan(59 * 60);
      expect(refused.headers.get("retry-after")).toBe(String(retryAfterSeconds));
    }
    expect(await mailsTo(email)).toHaveLength(3);
  });

  test("an address asks for thirty codes, and tries thirty, then one every two minutes", async () => {
    const call = from("198.51.100.7");
    for (let round = 0; round < 30; round += 1) {
      expect((await call("/forgetpassword", { email: `x${round}@y.example` })).status).toBe(200);
    }
    const refused = await call("/forgetpassword", { email: "x@y.example" });
    expect(refused).toMatchObject({ status: 429 });
    const token = { token: "AAAAAAAA", password: NEW_PASSWORD };
    for (let round = 0; round < 30; round += 1) {
      expect((await call("/resetpasswords", { email: "x@y.example", ...token })).status).toBe(404);
    }
    expect((await call("/resetpasswords", { email: "x@y.example", ...token })).status).toBe(429);
    expect((await fromElsewhere()("/forgetpassword", { email: "z@y.example" })).status).toBe(200);
  });
});

test("a code that has expired is over, and the job deletes it", async () => {
  const late = await testApp();
  const user = await late.given.agent();
  const root = await late.given.admin({ super: true });
  await late.anonymous.post("/forgetpassword", { email: user.email });
  const { body } = await late.as(root).get<ReplyOf<"GET /mails">>("/mails");
  const token = codeIn(body.mails[0]?.text);
  const { db } = late.database;
  const count = async () =>
    (await db.acrossCompanies((tx) => tx.query(sql`select from password_resets`))).length;
  late.clock.advance(30 * MINUTE_MS - 5_000);
  await sweepPasswordResets({ db, clock: late.clock });
  expect(await count()).toBe(1);
  late.clock.advance(5_001);
  const given = { email: user.email, token, password: NEW_PASSWORD };
  expect(await late.anonymous.post("/resetpasswords", given)).toMatchObject({
    status: 404,
    body: { code: "ERR_RESET_CODE_OVER" },
  });
  await sweepPasswordResets({ db, clock: late.clock });
  expect(await count()).toBe(0);
});

test("an invitation has a code of three days, with which the user sets the first password", async () => {
  const user = await app.given.agent({ company, name: "Nova Pessoa" });
  const { db } = app.database;
  const silence = {
    ...{ notify: () => undefined, send: () => undefined, on: () => () => undefined },
    ...{ ready: async () => undefined, close: async () => undefined },
  };
  const mails = createMailsFeature({
    ...{ db, clock: app.clock, wake: silence, log: quietLog(), brand: "", server: null },
  });
  const deps = {
    clock: app.clock,
    random: systemSources.random,
    mails,
    publicUrl: "https://inbox.example",
  };
  await db.acrossCompanies(async (tx) => {
    const account = await findAccount(tx, company.id, user.id);
    await inviteUser(deps, tx, account!, "pt");
  });
  const [mail] = await mailsTo(user.email);
  expect(mail).toMatchObject({ kind: "invitation", subject: "Seu acesso ao Balcão" });
  expect(mail?.text).toContain(
    `https://inbox.example/forgetpsw?email=${encodeURIComponent(user.email)}`,
  );
  const [row] = await db.acrossCompanies((tx) =>
    tx.query<{ hours: number }>(sql`
      select round(extract(epoch from expires_at - created_at) / 3600)::int as hours from password_resets where user_id = ${user.id}`),
  );
  expect(row?.hours).toBe(72);
  expect(await reset(user.email, codeIn(mail?.text))).toMatchObject({ status: 200 });
  expect(await signIn(user.email, NEW_PASSWORD)).toMatchObject({ status: 200 });
});

test("neither codes nor passwords nor e-mails stand in the log", async () => {
  const lines: string[] = [];
  const log = pino({ level: "trace" }, { write: (line: string) => lines.push(line) });
  const logged = await testApp({ log });
  const user = await logged.given.agent();
  const root = await logged.given.admin({ super: true });
  const { post } = logged.anonymous;
  expect(await post(`/forgetpassword/${user.email}`)).toMatchObject({ status: 200 });
  const { body } = await logged.as(root).get<ReplyOf<"GET /mails">>("/mails");
  const code = codeIn(body.mails[0]?.text);
  await post(`/resetpasswords/${user.email}/${wrong(code)}/${NEW_PASSWORD}`);
  await post(`/resetpasswords/${user.email}/${code}/${"x".repeat(600)}`);
  await post("/resetpasswords", { email: user.email, token: 7, password: NEW_PASSWORD });
  expect(await post(`/resetpasswords/${user.email}/${code}/${NEW_PASSWORD}`)).toMatchObject({
    status: 200,
  });
  const written = lines.join("\n");
  expect(written).toContain("/api/resetpasswords/:email/:token/:password");
  expect(written).toContain("a password was set by a code");
  for (const secret of [user.email, code, wrong(code), NEW_PASSWORD])
    expect(written).not.toContain(secret);
});
