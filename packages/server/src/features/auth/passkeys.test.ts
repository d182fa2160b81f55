import { limits } from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { FastifyRequest } from "fastify";
import { expect, test } from "vitest";
import { siteOf } from "./passkeys.ts";
import type { Browser, PasskeyAnswer } from "./testing/browser.ts";
import { browserOf, createPasskey } from "./testing/browser.ts";
import { PASSWORD, signInApp } from "./testing/sign-in-app.ts";

const host = "balcao.example";
const origin = `https://${host}`;
const app = await signInApp({ publicUrl: origin });

type Passkey = ReturnType<typeof createPasskey>;
const rows = <Row>(statement: ReturnType<typeof sql>) =>
  app.db.acrossCompanies((tx) => tx.query<Row & Record<string, unknown>>(statement));
type Asked = { step: string; challenge: string };

async function asked(browser: Browser, call: string, how = {}): Promise<Asked> {
  const { status, body } = await browser.send(call, how);
  expect(status).toBe(200);
  const { challenge } = body["options"] as { challenge: string };
  return { step: String(body["step"]), challenge };
}

/** A user with a passkey in the account, signed in to one browser. */
async function withPasskey(register: Partial<PasskeyAnswer> = {}) {
  const user = await app.given.user(await app.given.company());
  const browser = browserOf(app);
  const credentials = { email: user.email, password: PASSWORD };
  const token = String(
    (await browser.send("POST /auth/login", { body: credentials })).body["token"],
  );
  const body = { password: PASSWORD };
  const { step, challenge } = await asked(browser, "POST /auth/passkeys/options", { token, body });
  const passkey = createPasskey();
  const credential = passkey.register({ challenge, origin, host, ...register });
  const added = { step, name: "Notebook", credential };
  const reply = await browser.send("POST /auth/passkeys", { token, body: added });
  return { user, browser, token, passkey, reply, added };
}

async function assertion(browser: Browser, passkey: Passkey, how: Partial<PasskeyAnswer> = {}) {
  const { step, challenge } = await asked(browser, "POST /auth/passkey/options");
  return { step, credential: passkey.assert({ challenge, origin, host, counter: 1, ...how }) };
}

const signIn = (browser: Browser, body: unknown) => browser.send("POST /auth/passkey", { body });

test("a passkey is added after the password, named, and signs in without password and code", async () => {
  const { user, browser, token, passkey, reply, added } = await withPasskey();
  expect(reply).toMatchObject({ status: 201, body: { name: "Notebook", usedAt: null } });
  const again = await browser.send("POST /auth/passkeys", { token, body: added });
  expect(again.body).toMatchObject({ code: "ERR_CHALLENGE_OVER" });
  const wrong = { token, body: { password: "errada" } };
  expect((await browser.send("POST /auth/passkeys/options", wrong)).body).toMatchObject({
    code: "ERR_PASSWORD_WRONG",
  });
  const elsewhere = browserOf(app);
  const entered = await signIn(elsewhere, await assertion(elsewhere, passkey));
  expect(entered).toMatchObject({ status: 200, body: { user: { id: user.id } } });
  const own = { token: String(entered.body["token"]) };
  const { passkeys } = (await elsewhere.send("GET /auth/security", own)).body;
  const [{ id = 0 } = {}] = passkeys as { id?: number }[];
  const named = { ...own, body: { name: "Celular" } };
  expect((await elsewhere.send(`PUT /auth/passkeys/${id}`, named)).body["name"]).toBe("Celular");
  const gone = { ...own, body: { password: PASSWORD } };
  expect((await elsewhere.send(`POST /auth/passkeys/${id}/remove`, gone)).status).toBe(200);
  expect(await signIn(elsewhere, await assertion(elsewhere, passkey))).toMatchObject({
    body: { code: "ERR_PASSKEY_REFUSED" },
  });
});

test.each<[what: string, how: Partial<PasskeyAnswer>]>([
  ["of another origin", { origin: "https://balcao.example.evil.example" }],
  ["of another host", { host: "evil.example" }],
  ["that does not check the user", { isVerified: false }],
  ["for another challenge", { challenge: "b3RoZXI" }],
])("a passkey %s is neither added nor signs in", async (_what, how) => {
  expect((await withPasskey(how)).reply.body).toMatchObject({ code: "ERR_PASSKEY_REFUSED" });
  const { passkey } = await withPasskey();
  const browser = browserOf(app);
  const refused = await signIn(browser, await assertion(browser, passkey, how));
  expect(refused).toMatchObject({ status: 400, body: { code: "ERR_PASSKEY_REFUSED" } });
  expect(browser.cookies.has("jrt")).toBe(false);
});

test("an answer counts once, in the browser that asked, within five minutes, and with a higher count", async () => {
  const { passkey } = await withPasskey();
  const browser = browserOf(app);
  const first = await assertion(browser, passkey, { counter: 5 });
  const over = { body: { code: "ERR_CHALLENGE_OVER" } };
  const refused = { body: { code: "ERR_PASSKEY_REFUSED" } };
  expect(await signIn(browserOf(app), first)).toMatchObject(over);
  const used = await assertion(browser, passkey, { counter: 5 });
  expect((await signIn(browser, used)).status).toBe(200);
  expect(await signIn(browser, used)).toMatchObject(over);
  // The old answer to a new question.
  const { step } = await asked(browser, "POST /auth/passkey/options");
  expect(await signIn(browser, { ...used, step })).toMatchObject(refused);
  const copied = await assertion(browser, passkey, { counter: 5 });
  expect(await signIn(browser, copied)).toMatchObject(refused);
  const late = await assertion(browser, passkey, { counter: 6 });
  app.clock.advance(5 * 60_000);
  expect(await signIn(browser, late)).toMatchObject(over);
});

test("a passkey belongs to one account and one host, and an account has no more than its limit", async () => {
  const { user, browser, token, passkey } = await withPasskey();
  const credentials = { email: user.email, password: PASSWORD };
  const { step, challenge } = await asked(browser, "POST /auth/passkeys/options", {
    ...{ token, body: credentials },
  });
  const colleague = await app.given.user(user.companyId);
  const signedIn = await browser.send("POST /auth/login", {
    body: { email: colleague.email, password: PASSWORD },
  });
  const theirs = { token: String(signedIn.body["token"]) };
  const credential = createPasskey().register({ challenge, origin, host });
  const added = { ...theirs, body: { step, name: "Alheia", credential } };
  expect((await browser.send("POST /auth/passkeys", added)).body).toMatchObject({
    code: "ERR_CHALLENGE_OVER",
  });
  const [stored] = await rows<{ id: number }>(
    sql`select id from passkeys where user_id = ${user.id}`,
  );
  for (const attempt of [
    browser.send(`PUT /auth/passkeys/${stored?.id}`, { ...theirs, body: { name: "Roubada" } }),
    browser.send(`POST /auth/passkeys/${stored?.id}/remove`, { ...theirs, body: credentials }),
  ]) {
    expect((await attempt).body).toMatchObject({ code: "ERR_NO_PASSKEY_FOUND" });
  }
  await rows(sql`update passkeys set host = 'old.example' where user_id = ${user.id}`);
  const elsewhere = browserOf(app);
  expect(await signIn(elsewhere, await assertion(elsewhere, passkey))).toMatchObject({
    body: { code: "ERR_PASSKEY_REFUSED" },
  });
  await rows(sql`
    insert into passkeys (company_id, user_id, credential_id, public_bytes, counter, transports, host, name, created_at)
    select ${user.companyId}, ${user.id}, ${`${user.id}-`} || n, '', 0, '{}', ${host}, 'Muitas', now()
    from generate_series(2, ${limits.passkeysPerUser}) n`);
  const full = await browser.send("POST /auth/passkeys/options", { token, body: credentials });
  expect(full.body).toMatchObject({ code: "ERR_PASSKEY_LIMIT" });
});

test("an address begins thirty sign-ins with passkeys at once, then one every ten seconds", async () => {
  await rows(sql`delete from login_attempts where subject like 'passkey:%'`);
  const begin = async () => (await browserOf(app).send("POST /auth/passkey/options")).status;
  const statuses = await Promise.all(Array.from({ length: 32 }, begin));
  expect(statuses.filter((status) => status === 200)).toHaveLength(30);
  expect(await begin()).toBe(429);
  app.clock.advance(10_000);
  expect(await begin()).toBe(200);
});

test.each([
  ["http://localhost:3000", "localhost", { host: "localhost", origin: "http://localhost:3000" }],
  [undefined, "localhost:3000", { host: "localhost", origin: "http://localhost:3000" }],
  [undefined, "inbox.example", { host: "inbox.example", origin: "https://inbox.example" }],
  [
    "https://inbox.example/",
    "evil.example",
    { host: "inbox.example", origin: "https://inbox.example" },
  ],
  ["http://inbox.example", "inbox.example", null],
  [undefined, "192.168.0.7:3000", null],
  [undefined, "[::1]:3000", null],
])("passkeys at %s, asked for at %s, belong to %o", (publicUrl, asked, site) => {
  expect(siteOf({ host: asked } as FastifyRequest, publicUrl)).toEqual(site);
});
