import type { Endpoint } from "@balcao/contract";
import { endpoints } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { expect, test, vi } from "vitest";
import { readWish } from "../../operations/company/command.ts";
import { systemSources } from "../../platform/sources.ts";
import type { NewMail } from "../mails/index.ts";
import { resetSignInAcrossCompanies } from "./index.ts";
import type { Body, Browser } from "./testing/browser.ts";
import { browserOf } from "./testing/browser.ts";
import type { GivenUser } from "./testing/sign-in-app.ts";
import { PASSWORD, signInApp } from "./testing/sign-in-app.ts";

const mailed: NewMail[] = [];
const app = await signInApp({ publicUrl: "https://balcao.example", mailed, distributed: true });
/** A second process of the installation. */
const other = await signInApp({ database: app.database, distributed: true });
const MINUTE_MS = 60_000;

const newBrowser = () => browserOf(app);
const signIn = (browser: Browser, { email }: GivenUser, at = app) =>
  browser.send("POST /auth/login", { body: { email, password: PASSWORD }, at });
const tokenOf = ({ body }: { body: Body }) => String(body["token"]);
const codeOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: app.clock.now().getTime(),
  });
/** The next code of an app is another one. */
const nextCode = () => app.clock.advance(30_000);
const change = (statement: ReturnType<typeof sql>) =>
  app.db.acrossCompanies((tx) => tx.query(statement));
const set = (user: GivenUser, key: string, value: string) =>
  change(sql`insert into settings (company_id, key, value) values (${user.companyId}, ${key}, ${value})
    on conflict (company_id, key) do update set value = excluded.value`);

const givePasskey = ({ id, companyId }: GivenUser) =>
  change(sql`
    insert into passkeys (company_id, user_id, credential_id, public_bytes, counter, transports, host, name, created_at)
    values (${companyId}, ${id}, ${`key-${id}`}, '', 0, '{}', 'balcao.example', 'Celular', now())`);

async function newUser(profile: "user" | "admin" = "user"): Promise<GivenUser> {
  return app.given.user(await app.given.company(), { profile });
}

/** A user with a second factor, signed in to one browser. */
async function withFactor(user?: GivenUser) {
  const person = user ?? (await newUser());
  const browser = newBrowser();
  const token = tokenOf(await signIn(browser, person));
  const started = await browser.send("POST /auth/factor", { token, body: { password: PASSWORD } });
  const secret = String(started.body["secret"]);
  const body = { code: codeOf(secret) };
  const confirmed = await browser.send("POST /auth/factor/confirm", { token, body });
  expect(confirmed.status).toBe(200);
  nextCode();
  const recoveryCodes = confirmed.body["recoveryCodes"] as string[];
  return { user: person, browser, token, secret, recoveryCodes };
}

/** Sends the password and returns the step that asks for a code. */
async function challenged(browser: Browser, user: GivenUser): Promise<string> {
  const asked = await signIn(browser, user);
  expect(asked).toMatchObject({ status: 401, body: { code: "ERR_SECOND_FACTOR" } });
  return asked.body.data.challenge;
}

const answer = (browser: Browser, body: Record<string, unknown>, at = app) =>
  browser.send("POST /auth/second-factor", { body, at });
const refusal = (code: string) => ({ body: { code } });

test("a factor counts after its first code, which the password came before; then a sign-in needs one", async () => {
  const user = await newUser();
  const browser = newBrowser();
  const token = tokenOf(await signIn(browser, user));
  const start = (password: string) =>
    browser.send("POST /auth/factor", { token, body: { password } });
  expect(await start("errada")).toMatchObject(refusal("ERR_PASSWORD_WRONG"));
  const { secret, uri } = (await start(PASSWORD)).body;
  expect(uri).toContain("otpauth://totp/");
  expect((await signIn(newBrowser(), user)).status).toBe(200);
  const again = tokenOf(await signIn(browser, user));
  const confirm = (code: string) =>
    browser.send("POST /auth/factor/confirm", { token: again, body: { code } });
  expect(await confirm("000000")).toMatchObject(refusal("ERR_FACTOR_WRONG"));
  const { recoveryCodes } = (await confirm(codeOf(String(secret)))).body;
  expect(new Set(recoveryCodes as string[]).size).toBe(10);
  expect(await confirm(codeOf(String(secret)))).toMatchObject(refusal("ERR_FACTOR_ON"));
  nextCode();
  const elsewhere = newBrowser();
  const challenge = await challenged(elsewhere, user);
  expect(elsewhere.cookies.has("jrt")).toBe(false);
  const entered = await answer(elsewhere, { challenge, code: codeOf(String(secret)) });
  expect(entered).toMatchObject({ status: 200, body: { user: { id: user.id } } });
  const security = await elsewhere.send("GET /auth/security", { token: tokenOf(entered) });
  expect(security.body).toMatchObject({ codesLeft: 10, isDemanded: false, offersPasskeys: true });
});

type Set = Awaited<ReturnType<typeof withFactor>>;
type Attack = (given: Set, browser: Browser) => Promise<{ body: Body }>;
test.each<[what: string, code: string, attack: Attack]>([
  [
    "a code that was used before",
    "ERR_FACTOR_WRONG",
    async ({ user, secret }, browser) => {
      const code = codeOf(secret);
      const first = await answer(browser, { challenge: await challenged(browser, user), code });
      expect(first.status).toBe(200);
      return answer(browser, { challenge: await challenged(browser, user), code });
    },
  ],
  [
    "a recovery code that was used before",
    "ERR_FACTOR_WRONG",
    async ({ user, recoveryCodes }, browser) => {
      const [recoveryCode] = recoveryCodes;
      const challenge = await challenged(browser, user);
      expect((await answer(browser, { challenge, recoveryCode })).status).toBe(200);
      return answer(browser, { challenge: await challenged(browser, user), recoveryCode });
    },
  ],
  [
    "the recovery code of another account",
    "ERR_FACTOR_WRONG",
    async ({ user }, browser) => {
      const { recoveryCodes } = await withFactor();
      const [recoveryCode] = recoveryCodes;
      return answer(browser, { challenge: await challenged(browser, user), recoveryCode });
    },
  ],
  [
    "a recovery code from before new ones",
    "ERR_FACTOR_WRONG",
    async ({ user, recoveryCodes, ...own }, browser) => {
      const renew = (password: string) =>
        own.browser.send("POST /auth/recovery-codes", { token: own.token, body: { password } });
      expect(await renew("errada")).toMatchObject(refusal("ERR_PASSWORD_WRONG"));
      expect((await renew(PASSWORD)).status).toBe(200);
      const [recoveryCode] = recoveryCodes;
      return answer(browser, { challenge: await challenged(browser, user), recoveryCode });
    },
  ],
  [
    "a step before a newer one of the browser",
    "ERR_CHALLENGE_OVER",
    async ({ user, secret }, browser) => {
      const challenge = await challenged(browser, user);
      await challenged(browser, user);
      return answer(browser, { challenge, code: codeOf(secret) });
    },
  ],
  [
    "the step of a passkey",
    "ERR_CHALLENGE_OVER",
    async ({ secret }, browser) => {
      const { step } = (await browser.send("POST /auth/passkey/options")).body;
      return answer(browser, { challenge: step, code: codeOf(secret) });
    },
  ],
  [
    "the step of another browser",
    "ERR_CHALLENGE_OVER",
    async ({ user, secret }, browser) => {
      const challenge = await challenged(browser, user);
      return answer(newBrowser(), { challenge, code: codeOf(secret) });
    },
  ],
  [
    "a step that has been answered",
    "ERR_CHALLENGE_OVER",
    async ({ user, secret }, browser) => {
      const challenge = await challenged(browser, user);
      expect((await answer(browser, { challenge, code: codeOf(secret) })).status).toBe(200);
      nextCode();
      return answer(browser, { challenge, code: codeOf(secret) });
    },
  ],
  [
    "a step of more than five minutes ago",
    "ERR_CHALLENGE_OVER",
    async ({ user, secret }, browser) => {
      const challenge = await challenged(browser, user);
      app.clock.advance(5 * MINUTE_MS);
      return answer(browser, { challenge, code: codeOf(secret) });
    },
  ],
  [
    "the code of another account",
    "ERR_FACTOR_WRONG",
    async ({ user }, browser) => {
      const { secret } = await withFactor();
      return answer(browser, { challenge: await challenged(browser, user), code: codeOf(secret) });
    },
  ],
  [
    "a step before the password was changed",
    "ERR_CHALLENGE_OVER",
    async ({ user, secret }, browser) => {
      const challenge = await challenged(browser, user);
      await change(sql`update users set password_hash = 'other' where id = ${user.id}`);
      return answer(browser, { challenge, code: codeOf(secret) });
    },
  ],
  [
    "a step of a user who was removed since",
    "ERR_CHALLENGE_OVER",
    async ({ user, secret }, browser) => {
      const challenge = await challenged(browser, user);
      await change(sql`update users set deleted_at = now() where id = ${user.id}`);
      return answer(browser, { challenge, code: codeOf(secret) });
    },
  ],
])("%s is refused", async (_what, code, attack) => {
  const given = await withFactor();
  expect(await attack(given, newBrowser())).toMatchObject(refusal(code));
});

test("five wrong codes, through whichever process, delay the next, and another browser of the user is not delayed", async () => {
  const { user, browser, secret } = await withFactor();
  const stranger = newBrowser();
  const challenge = await challenged(stranger, user);
  for (let round = 0; round < 5; round += 1) {
    const at = round % 2 === 0 ? app : other;
    const reply = await answer(stranger, { challenge, code: `00000${round}` }, at);
    expect(reply).toMatchObject(refusal("ERR_FACTOR_WRONG"));
  }
  for (const at of [app, other]) {
    const late = await answer(stranger, { challenge, code: codeOf(secret) }, at);
    expect(late).toMatchObject({ status: 429, body: { code: "ERR_TOO_MANY_REQUESTS" } });
  }
  const own = await challenged(browser, user);
  expect((await answer(browser, { challenge: own, code: codeOf(secret) })).status).toBe(200);
});

test("wrong first codes of a new factor, and steps of a known password, are delayed too", async () => {
  const user = await newUser();
  const browser = newBrowser();
  const token = tokenOf(await signIn(browser, user));
  const { secret } = (
    await browser.send("POST /auth/factor", { token, body: { password: PASSWORD } })
  ).body;
  const confirm = (code: string) =>
    browser.send("POST /auth/factor/confirm", { token, body: { code } });
  for (let round = 0; round < 5; round += 1) {
    expect(await confirm(`00000${round}`)).toMatchObject(refusal("ERR_FACTOR_WRONG"));
  }
  const late = { status: 429, body: { code: "ERR_TOO_MANY_REQUESTS" } };
  expect(await confirm(codeOf(String(secret)))).toMatchObject(late);
  app.clock.advance(MINUTE_MS);
  expect((await confirm(codeOf(String(secret)))).status).toBe(200);
  await change(sql`
    insert into login_attempts (subject, window_start, failures)
    values (${`factor-step:${user.id}`}, ${app.clock.now()}, 30)`);
  expect(await signIn(newBrowser(), user)).toMatchObject(late);
});

test("a company that demands a factor lets a user without one set it up and do nothing else", async () => {
  const user = await newUser();
  const before = newBrowser();
  await signIn(before, user);
  await set(user, "secondFactor", "required");
  // A session of before ends at its renewal.
  expect((await before.send("POST /auth/refresh_token")).status).toBe(401);
  const browser = newBrowser();
  const asked = await signIn(browser, user);
  expect(asked).toMatchObject({ status: 401, body: { code: "ERR_FACTOR_SETUP" } });
  const token = asked.body.data.setUpToken;
  for (const call of ["GET /auth/me", "GET /settings", "GET /auth/sessions", "DELETE /support"]) {
    expect([call, await browser.send(call, { token })]).toMatchObject([call, { status: 403 }]);
  }
  expect((await app.live(token)).ending()).toBe("ERR_NO_PERMISSION");
  const open = Object.entries<Endpoint>(endpoints).filter(([, call]) => call.openToSetUp);
  expect(open.map(([name]) => name).sort()).toEqual([
    "GET /auth/security",
    "POST /auth/factor",
    "POST /auth/factor/confirm",
  ]);
  const { secret } = (await browser.send("POST /auth/factor", { token, body: {} })).body;
  const body = { code: codeOf(String(secret)) };
  const done = await browser.send("POST /auth/factor/confirm", { token, body });
  const session = done.body["session"] as { token: string };
  expect((await browser.send("GET /auth/me", { token: session.token })).status).toBe(200);
  const off = { token: session.token, body: { password: PASSWORD } };
  expect(await browser.send("POST /auth/factor/remove", off)).toMatchObject(
    refusal("ERR_FACTOR_DEMANDED"),
  );
});

test("where a factor is demanded, the password alone makes none beside a passkey", async () => {
  const user = await newUser();
  await set(user, "secondFactor", "required");
  const browser = newBrowser();
  const early = (await signIn(browser, user)).body.data.setUpToken;
  const { secret } = (await browser.send("POST /auth/factor", { token: early, body: {} })).body;
  await givePasskey(user);
  expect(await signIn(newBrowser(), user)).toMatchObject({
    ...{ status: 401, body: { code: "ERR_PASSKEY_NEEDED" } },
  });
  const needed = refusal("ERR_PASSKEY_NEEDED");
  expect(await browser.send("POST /auth/factor", { token: early, body: {} })).toMatchObject(needed);
  const body = { code: codeOf(String(secret)) };
  expect(await browser.send("POST /auth/factor/confirm", { token: early, body })).toMatchObject(
    needed,
  );
});

test("a factor that was sealed with another secret is a wrong code, and its recovery codes are good", async () => {
  const { user, secret, recoveryCodes } = await withFactor();
  await change(
    sql`update user_factors set secret = secret || '\\x00'::bytea where user_id = ${user.id}`,
  );
  const browser = newBrowser();
  const challenge = await challenged(browser, user);
  expect(await answer(browser, { challenge, code: codeOf(secret) })).toMatchObject(
    refusal("ERR_FACTOR_WRONG"),
  );
  const [recoveryCode] = recoveryCodes;
  expect((await answer(browser, { challenge, recoveryCode })).status).toBe(200);
});

test("refusals beyond sixty are written down twice a minute, and a hundred sessions are open at most", async () => {
  const { user } = await withFactor();
  await set(user, "severalSessions", "enabled");
  const now = app.clock.now();
  await change(sql`
    insert into login_attempts (subject, window_start, failures) values (${`refusals:${user.id}`}, ${now}, 60)
    on conflict (subject) do update set window_start = excluded.window_start, failures = 60`);
  await challenged(newBrowser(), user);
  const noted = await app.db.acrossCompanies((tx) =>
    tx.query(sql`select 1 from sign_ins where user_id = ${user.id} and refusal is not null`),
  );
  expect(noted).toEqual([]);
  await change(sql`delete from user_factors where user_id = ${user.id}`);
  await change(sql`
    insert into sessions (id, company_id, user_id, device, address, method, created_at, used_at)
    select gen_random_uuid(), ${user.companyId}, ${user.id}, '', '', 'password', ${now}, ${now}::timestamptz - n * interval '1 minute'
    from generate_series(1, 105) n`);
  const browser = newBrowser();
  const token = tokenOf(await signIn(browser, user));
  expect(await sessionsOf(browser, token)).toHaveLength(100);
  expect((await browser.send("DELETE /auth/sessions", { token })).body).toEqual({ count: 99 });
  expect(await sessionsOf(browser, token)).toHaveLength(1);
});

test("a trusted browser is not asked for thirty days, nor after its session was ended from another", async () => {
  const { user, secret } = await withFactor();
  await set(user, "severalSessions", "enabled");
  const trusted = newBrowser();
  const challenge = await challenged(trusted, user);
  const planted = trusted.cookies.get("jkb") ?? "";
  const body = { challenge, code: codeOf(secret), trustBrowser: true };
  const first = await answer(trusted, body);
  expect(first.status).toBe(200);
  expect((await signIn(trusted, user)).status).toBe(200);
  const days = (count: number) =>
    change(
      sql`update trusted_browsers set until = until - ${`${count} days`}::interval where user_id = ${user.id}`,
    );
  await days(29);
  expect((await signIn(trusted, user)).status).toBe(200);
  await days(1);
  await challenged(trusted, user);
  await days(-30);
  expect((await signIn(trusted, user)).status).toBe(200);
  // Somebody who gave the browser its name before is not trusted with it.
  const planter = newBrowser();
  planter.cookies.set("jkb", planted);
  await challenged(planter, user);
  const { id } = (await sessionsOf(trusted, tokenOf(first))).find(({ isOwn }) => isOwn)!;
  const token = tokenOf(await signIn(trusted, user));
  expect((await trusted.send(`DELETE /auth/sessions/${id}`, { token })).status).toBe(200);
  nextCode();
  const again = { challenge: await challenged(trusted, user), code: codeOf(secret) };
  expect((await answer(trusted, { ...again, trustBrowser: true })).status).toBe(200);
  expect((await signIn(trusted, user)).status).toBe(200);
  const admin = await app.given.user(user.companyId, { profile: "admin" });
  const desk = newBrowser();
  const adminToken = tokenOf(await signIn(desk, admin));
  await desk.send(`DELETE /users/${user.id}/sessions`, { token: adminToken });
  await challenged(trusted, user);
});

type Listed = { id: string; isOwn: boolean; device: string; method: string };
const sessionsOf = async (browser: Browser, token: string) =>
  (await browser.send("GET /auth/sessions", { token })).body as unknown as Listed[];
const isOver = { status: 403, body: { code: "ERR_TOKEN_EXPIRED" } };

test("with several sessions, one that is ended loses its calls, its renewal and its sockets in every process", async () => {
  const user = await newUser();
  await set(user, "severalSessions", "enabled");
  const [phone, desk] = [newBrowser(), newBrowser()];
  const phoneToken = tokenOf(await signIn(phone, user));
  const deskToken = tokenOf(await signIn(desk, user));
  const [here, there] = [await app.live(phoneToken), await other.live(phoneToken)];
  const staying = await app.live(deskToken);
  const listed = await sessionsOf(desk, deskToken);
  expect(listed.map(({ isOwn, device }) => [isOwn, device])).toEqual([
    [true, "Chrome · Windows"],
    [false, "Chrome · Windows"],
  ]);
  const lost = listed.find(({ isOwn }) => !isOwn)?.id ?? "";
  // Neither another company's nor a colleague's.
  for (const thief of [await newUser(), await app.given.user(user.companyId)]) {
    const token = tokenOf(await signIn(newBrowser(), thief));
    const stolen = await desk.send(`DELETE /auth/sessions/${lost}`, { token });
    expect(stolen).toMatchObject({ status: 404, body: { code: "ERR_NO_SESSION_FOUND" } });
  }
  await desk.send(`DELETE /auth/sessions/${lost}`, { token: deskToken });
  expect(await phone.send("GET /auth/me", { token: phoneToken })).toMatchObject(isOver);
  expect((await phone.send("POST /auth/refresh_token")).status).toBe(401);
  for (const client of [here, there]) {
    await vi.waitFor(() => expect(client.ending()).toBe("io server disconnect"));
  }
  expect((await other.live(phoneToken)).ending()).toBe("ERR_TOKEN_EXPIRED");
  expect(staying.ending()).toBeNull();
  expect((await desk.send("POST /auth/refresh_token")).status).toBe(200);
});

test("a refresh token that was copied ends its own session alone", async () => {
  const user = await newUser();
  await set(user, "severalSessions", "enabled");
  const [copied, desk] = [newBrowser(), newBrowser()];
  await signIn(copied, user);
  await signIn(desk, user);
  const thief = newBrowser();
  thief.cookies.set("jrt", copied.cookies.get("jrt") ?? "");
  await copied.send("POST /auth/refresh_token");
  app.clock.advance(2 * MINUTE_MS);
  expect((await thief.send("POST /auth/refresh_token")).status).toBe(401);
  const [newest] = await app.db.acrossCompanies((tx) =>
    tx.query<{ refusal: string }>(sql`
      select refusal from sign_ins where user_id = ${user.id} order by id desc limit 1`),
  );
  expect(newest?.refusal).toBe("copied");
  expect((await copied.send("POST /auth/refresh_token")).status).toBe(401);
  expect((await desk.send("POST /auth/refresh_token")).status).toBe(200);
});

test("a sign-in in a browser with another user's session has a session of its own; all others end together", async () => {
  const [thief, user] = [await newUser(), await newUser()];
  const browser = newBrowser();
  await signIn(browser, thief);
  const planted = browser.cookies.get("jrt") ?? "";
  const token = tokenOf(await signIn(browser, user));
  expect(browser.cookies.get("jrt")).not.toBe(planted);
  await set(user, "severalSessions", "enabled");
  const second = newBrowser();
  const secondToken = tokenOf(await signIn(second, user));
  expect((await browser.send("DELETE /auth/sessions", { token })).body).toEqual({ count: 1 });
  expect(await second.send("GET /auth/me", { token: secondToken })).toMatchObject(isOver);
  expect((await browser.send("GET /auth/me", { token })).status).toBe(200);
});

test("an admin reads a colleague's sign-ins and removes a lost factor, which ends the sessions; an agent cannot", async () => {
  const { user, browser, token } = await withFactor();
  const admin = await app.given.user(user.companyId, { profile: "admin" });
  const desk = newBrowser();
  const adminToken = tokenOf(await signIn(desk, admin));
  await signIn(newBrowser(), user);
  const wrong = { body: { email: user.email, password: "errada" } };
  await browser.send("POST /auth/login", wrong);
  const page = `GET /users/${user.id}/sign-ins`;
  const { body } = await desk.send(page, { token: adminToken });
  const signIns = body["signIns"] as { refusal: string | null }[];
  expect(signIns.map((entry) => entry.refusal)).toEqual(["password", "factor", null]);
  expect(body).toMatchObject({ hasFactor: true, sessions: 1, count: 3, hasMore: false });
  expect((await browser.send(page, { token })).status).toBe(403);
  const own = await browser.send("GET /auth/sign-ins", { token });
  expect(own.body).toMatchObject([{ device: "Chrome · Windows", refusal: "password" }, {}, {}]);
  const reset = `DELETE /users/${user.id}/factor`;
  expect((await browser.send(reset, { token })).status).toBe(403);
  expect((await desk.send(reset, { token: adminToken })).status).toBe(200);
  expect(await browser.send("GET /auth/me", { token })).toMatchObject(isOver);
  expect((await signIn(newBrowser(), user)).status).toBe(200);
  // A role that manages users and is less than an admin removes no admin's factor.
  const chief = await app.given.user(user.companyId, { profile: "admin" });
  await change(sql`
    with made as (insert into roles (company_id, name, profile, granted, withheld)
      values (${user.companyId}, 'Pessoas', 'user', '{users:manage}', '{}') returning id)
    update users set role_id = (select id from made) where id = ${user.id}`);
  const managing = tokenOf(await signIn(newBrowser(), user));
  const stronger = await browser.send(`DELETE /users/${chief.id}/factor`, { token: managing });
  expect(stronger).toMatchObject({ status: 403, body: { code: "ERR_ROLE_BEYOND_OWN" } });
  const provider = await app.given.user(user.companyId, { profile: "admin", super: true });
  for (const what of ["factor", "sessions"]) {
    const above = await desk.send(`DELETE /users/${provider.id}/${what}`, { token: adminToken });
    expect(above).toMatchObject(refusal("ERR_NO_SUPER"));
  }
  const self = await desk.send(`DELETE /users/${admin.id}/factor`, { token: adminToken });
  expect(self).toMatchObject(refusal("ERR_USER_IS_SELF"));
});

test("where nobody else can help, the operator removes the factor by the address", async () => {
  const company = await app.given.company();
  const lone = await app.given.user(company, { profile: "admin", super: true });
  const { token, browser } = await withFactor(lone);
  await givePasskey(lone);
  const deps = { db: app.db, clock: app.clock, ids: systemSources.ids };
  expect(await resetSignInAcrossCompanies(deps, "nobody@empresa.example")).toBeNull();
  await challenged(newBrowser(), lone);
  const address = ` ${lone.email.toUpperCase()} `;
  expect(await resetSignInAcrossCompanies(deps, address)).toMatchObject({
    companyName: expect.stringMatching(/^Empresa/),
  });
  expect(await browser.send("GET /auth/me", { token })).toMatchObject(isOver);
  const entered = await signIn(newBrowser(), lone);
  const security = await browser.send("GET /auth/security", { token: tokenOf(entered) });
  expect(security.body).toMatchObject({ factorSince: null, codesLeft: 0, passkeys: [] });
  const [entry] = await app.db.acrossCompanies((tx) =>
    tx.query(sql`
      select action, object_id as id from audit_entries
      where company_id = ${company} and object_kind = 'factor' order by id desc limit 1`),
  );
  expect(entry).toMatchObject({ action: "removed", id: String(lone.id) });
  expect(readWish(["reset-sign-in", "--email", lone.email])).toEqual({
    command: "reset-sign-in",
    email: lone.email,
  });
  expect(readWish(["reset-sign-in", "--email", " "])).toBeNull();
});

test("a user reads by e-mail of a browser that is new to the account, unless the company wants none", async () => {
  const user = await newUser();
  const browser = newBrowser();
  const mailsTo = () => mailed.filter(({ to }) => to.address === user.email).map((one) => one.data);
  await signIn(browser, user);
  await signIn(browser, user);
  // The same device at the same address is no news, whatever its cookies.
  await signIn(newBrowser(), user);
  expect(mailsTo()).toEqual([]);
  const program = { body: { email: user.email, password: PASSWORD } };
  await app.call("POST", "/api/auth/login", { ...program, headers: { "user-agent": "Robo/1" } });
  expect(mailsTo()).toMatchObject([{ device: "Robo/1", address: "127.0.0.1" }]);
  await set(user, "newDeviceMail", "disabled");
  await app.call("POST", "/api/auth/login", { ...program, headers: { "user-agent": "Robo/2" } });
  expect(mailsTo()).toHaveLength(1);
});
