import type { CompanyId } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { GivenUser, Reply, SignInApp } from "./testing/sign-in-app.ts";
import { cookieValue, PASSWORD, signInApp } from "./testing/sign-in-app.ts";

let app: SignInApp;
let companyId: CompanyId;
beforeAll(async () => {
  app = await signInApp();
  companyId = await app.given.company();
});

const login = (email: string, password: string) =>
  app.call("POST", "/api/auth/login", { body: { email, password } });
const me = (token: string) => app.call("GET", "/api/auth/me", { token });
const refresh = (cookie?: string) =>
  app.call("POST", "/api/auth/refresh_token", cookie === undefined ? {} : { cookie });

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

describe("signing in", () => {
  test("returns the token and the whole user, and sets the refresh cookie", async () => {
    const queueId = await app.given.queue(companyId);
    const user = await app.given.user(companyId, { profile: "user", queueIds: [queueId] });
    const reply = await login(user.email, PASSWORD);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      user: {
        id: user.id,
        email: user.email,
        profile: "user",
        companyId,
        super: false,
        allTicket: "desabled",
        whatsappId: null,
        queues: [{ id: queueId, UserQueue: { userId: user.id, queueId } }],
        company: {
          id: companyId,
          status: true,
          dueDate: "2099-12-31T00:00:00.000Z",
          settings: expect.arrayContaining([
            { key: "campaignsEnabled", value: "true" },
            { key: "sendGreetingAccepted", value: "disabled" },
          ]),
        },
      },
    });
    expect(reply.setCookie).toMatch(
      /^jrt=[\w.-]+; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const text = JSON.stringify(reply.body);
    for (const secret of ["asaas", "tokenixc", "passwordHash", "tokenVersion", "argon2"]) {
      expect(text).not.toContain(secret);
    }
  });

  test("the token carries the claims that clients of the family read, and one hour", async () => {
    const user = await app.given.user(companyId, { profile: "admin" });
    const { token } = await app.signIn(user.email);
    const claims: unknown = JSON.parse(atob(token.split(".")[1] ?? ""));
    expect(claims).toMatchObject({
      usarname: expect.any(String),
      profile: "admin",
      id: user.id,
      companyId,
      tokenVersion: 1,
    });
    const { iat, exp } = claims as { iat: number; exp: number };
    expect(exp - iat).toBe(3_600);
  });

  test("an e-mail is found whatever its case and the spaces around it", async () => {
    const user = await app.given.user(companyId);
    expect((await login(`  ${user.email.toUpperCase()} `, PASSWORD)).status).toBe(200);
  });

  test("neither reply nor time tells a wrong password from an unknown e-mail", async () => {
    const user = await app.given.user(companyId);
    const wrong = await login(user.email, "errada");
    const unknown = await login("ninguem@empresa.example", "errada");
    const tooLong = await login(user.email, PASSWORD.padEnd(200, "x"));
    for (const reply of [wrong, unknown, tooLong]) {
      expect(reply.status).toBe(401);
      expect(reply.body).toEqual({
        error: "ERR_INVALID_CREDENTIALS",
        code: "ERR_INVALID_CREDENTIALS",
        requestId: expect.any(String),
      });
      expect(reply.setCookie).toBeUndefined();
    }
    const times: { known: number[]; unknown: number[] } = { known: [], unknown: [] };
    for (let round = 0; round < 5; round += 1) {
      times.known.push(await timed(() => login(user.email, "errada")));
      times.unknown.push(await timed(() => login("outra@empresa.example", "errada")));
    }
    // The quickest is what the work itself takes, whatever else the machine does.
    const [known, unknownMs] = [Math.min(...times.known), Math.min(...times.unknown)];
    // Without the stand-in hash an unknown account would answer ten times faster.
    expect(unknownMs).toBeGreaterThan(known / 3);
    expect(unknownMs).toBeLessThan(known * 3);
  });

  test("a company past its due date is refused with the text that clients print", async () => {
    const expired = await app.given.company({ dueDate: new Date("2024-03-10T02:30:00Z") });
    const user = await app.given.user(expired);
    const reply = await login(user.email, PASSWORD);
    expect(reply.status).toBe(400);
    // In São Paulo it is still the ninth.
    expect(reply.body).toMatchObject({
      error:
        "Opss! Sua assinatura venceu 09/03/2024. Entre em contato com o Suporte para mais informações!",
      code: "ERR_SUBSCRIPTION_EXPIRED",
    });
    expect(reply.setCookie).toBeUndefined();
    expect(await login(user.email, "errada")).toMatchObject({ status: 401 });
  });

  test("super users of an expired company sign in, and so does everybody without a due date", async () => {
    const expired = await app.given.company({ dueDate: new Date("2024-03-10T00:00:00Z") });
    const root = await app.given.user(expired, { super: true });
    const endless = await app.given.user(await app.given.company({ dueDate: null }));
    expect((await login(root.email, PASSWORD)).status).toBe(200);
    expect((await login(endless.email, PASSWORD)).status).toBe(200);
  });

  test("there is no sign-up: admins create users", async () => {
    expect(await app.call("POST", "/api/auth/signup", { body: { name: "Eu" } })).toMatchObject({
      status: 403,
      body: { error: "ERR_USER_CREATION_DISABLED" },
    });
  });

  test("a disabled company is refused", async () => {
    const user = await app.given.user(await app.given.company({ status: false }));
    const reply = await login(user.email, PASSWORD);
    expect(reply).toMatchObject({ status: 400, body: { code: "ERR_COMPANY_DISABLED" } });
  });

  test.each([
    ["no body", undefined],
    ["a number for the e-mail", { email: 5, password: "x" }],
    ["an empty password", { email: "a@b.example", password: "" }],
    ["a NUL", { email: "a\u0000@b.example", password: "x" }],
    ["a text of a megabyte", { email: "a@b.example", password: "x".repeat(1_000_000) }],
    ["a list", [1, 2]],
  ])("%s is a malformed request", async (_name, body) => {
    const reply = await app.call("POST", "/api/auth/login", { body });
    expect(reply).toMatchObject({ status: 400, body: { code: "ERR_INVALID_REQUEST" } });
    expect(JSON.stringify(reply.body)).not.toContain("b.example");
  });
});

describe("one session per account", () => {
  test("a new sign-in ends the tokens of the account's older clients, and tells only them", async () => {
    const user = await app.given.user(companyId);
    const colleague = await app.given.user(companyId);
    const old = await app.signIn(user.email);
    const [oldClient, colleagueClient] = [
      await app.live(old.token),
      await app.live((await app.signIn(colleague.email)).token),
    ];
    const fresh = await app.signIn(user.email);
    const event = companyEvent(companyId, "auth");
    expect(await oldClient.next(event)).toEqual({
      action: "update",
      user: { id: user.id, email: user.email, companyId },
    });
    const freshClient = await app.live(fresh.token);

    expect(await me(old.token)).toMatchObject({ status: 403, body: { code: "ERR_TOKEN_EXPIRED" } });
    expect(await refresh(old.cookie)).toMatchObject({ status: 401 });
    expect((await me(fresh.token)).status).toBe(200);
    await vi.waitFor(() => expect(oldClient.ending()).toBe("io server disconnect"));
    expect(freshClient.ending()).toBeNull();
    for (const client of [freshClient, colleagueClient]) {
      expect(client.heard.map(({ name }) => name)).not.toContain(event);
    }
  });
});

describe("renewing", () => {
  async function signedIn(): Promise<{ user: GivenUser; token: string; cookie: string }> {
    const user = await app.given.user(companyId);
    return { ...(await app.signIn(user.email)), user };
  }

  test("gives a new token and a new cookie for the same session", async () => {
    const { user, cookie, token } = await signedIn();
    app.clock.advance(1_000);
    const reply = await refresh(cookie);
    expect(reply).toMatchObject({
      status: 200,
      body: { user: { id: user.id, company: { settings: expect.any(Array) } } },
    });
    expect(cookieValue(reply)).not.toBe(cookie);
    const renewed = (reply.body as { token: string }).token;
    expect(renewed).not.toBe(token);
    expect((await me(renewed)).status).toBe(200);
    expect((await me(token)).status).toBe(200);
  });

  test("tabs that renew with the same cookie at the same moment all stay signed in", async () => {
    const { cookie } = await signedIn();
    const replies = await Promise.all(Array.from({ length: 6 }, () => refresh(cookie)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    for (const reply of replies) expect((await refresh(cookieValue(reply))).status).toBe(200);
  });

  test("a reused old cookie ends the session in every tab", async () => {
    const { cookie, token } = await signedIn();
    const client = await app.live(token);
    const current = cookieValue(await refresh(cookie));
    app.clock.advance(61_000);
    const reused = await refresh(cookie);
    expect(reused).toMatchObject({ status: 401, body: { error: "ERR_SESSION_EXPIRED" } });
    expect(await refresh(current)).toMatchObject({ status: 401 });
    expect(await me(token)).toMatchObject({ status: 403 });
    await vi.waitFor(() => expect(client.ending()).toBe("io server disconnect"));
  });

  test("without a cookie, with another secret's token or with rubbish it is refused and the cookie removed", async () => {
    const { token } = await signedIn();
    for (const cookie of [undefined, token, "x.y.z", "%00"]) {
      const reply = await refresh(cookie);
      expect(reply).toMatchObject({ status: 401, body: { error: "ERR_SESSION_EXPIRED" } });
      expect(reply.setCookie).toMatch(
        /^jrt=; Max-Age=0; Path=\/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax$/,
      );
    }
  });

  test("a session expires after fourteen days, the access token after one hour", async () => {
    const other = await signInApp({ database: app.database });
    const user = await other.given.user(companyId);
    const { token, cookie } = await other.signIn(user.email);
    other.clock.advance(3_601_000);
    expect(await other.call("GET", "/api/auth/me", { token })).toMatchObject({
      status: 403,
      body: { error: "Invalid token. We'll try to assign a new one on next request" },
    });
    other.clock.advance(14 * 24 * 3_600_000);
    expect(await other.call("POST", "/api/auth/refresh_token", { cookie })).toMatchObject({
      status: 401,
    });
  });

  test("an expired company's session reaches only the calls that are open to it, renews for them, and signs out; a suspended one's ends", async () => {
    const ending = await app.given.company();
    const user = await app.given.user(ending, { profile: "admin" });
    const { token, cookie } = await app.signIn(user.email);
    await app.db.acrossCompanies((tx) =>
      tx.query(sql`update companies set due_date = '2024-01-01' where id = ${ending}`),
    );
    expect((await me(token)).status).toBe(200);
    expect(await app.call("GET", "/api/settings", { token })).toMatchObject({
      status: 403,
      body: { error: "ERR_NO_PERMISSION" },
    });
    const renewed = await refresh(cookie);
    expect(renewed).toMatchObject({ status: 200 });
    await app.db.acrossCompanies((tx) =>
      tx.query(sql`update companies set status = false where id = ${ending}`),
    );
    expect(await app.call("GET", "/api/settings", { token })).toMatchObject({
      status: 401,
      body: { error: "ERR_SESSION_EXPIRED" },
    });
    expect((await me(token)).status).toBe(401);
    expect(await refresh(cookieValue(renewed))).toMatchObject({ status: 401 });
    expect((await app.call("DELETE", "/api/auth/logout", { token })).status).toBe(200);
    expect((await me(token)).status).toBe(403);
  });
});

test("the sockets of a company close when its subscription ends, and new ones are refused", async () => {
  const ending = await app.given.company();
  const { token } = await app.signIn((await app.given.user(ending, { profile: "admin" })).email);
  const root = await app.given.user(ending, { super: true });
  const rootClient = await app.live((await app.signIn(root.email)).token);
  const connectBeforeTheEnd = async (leftMs: number) => {
    await app.db.acrossCompanies((tx) =>
      tx.query(sql`
        update companies set due_date = ${new Date(app.clock.now().getTime() + leftMs)} where id = ${ending}`),
    );
    const client = await app.live(token);
    await vi.waitFor(() => expect(client.ending()).not.toBeNull(), leftMs + 5_000);
    return client.ending();
  };
  // A busy machine may connect too late, and be refused instead.
  let how = await connectBeforeTheEnd(300);
  for (let leftMs = 1_000; how === "ERR_SESSION_EXPIRED" && leftMs < 60_000; leftMs *= 3) {
    how = await connectBeforeTheEnd(leftMs);
  }
  expect(how).toBe("io server disconnect");
  expect((await app.live(token)).ending()).toBe("ERR_SESSION_EXPIRED");
  expect(rootClient.ending()).toBeNull();
});

describe("signing out", () => {
  test("ends the session by cookie alone, and clears the cookie with the attributes it was set with", async () => {
    const user = await app.given.user(companyId);
    const { token, cookie } = await app.signIn(user.email);
    const client = await app.live(token);
    const reply = await app.call("DELETE", "/api/auth/logout", { cookie });
    expect(reply.status).toBe(200);
    expect(reply.setCookie).toMatch(
      /^jrt=; Max-Age=0; Path=\/; Expires=.*; HttpOnly; SameSite=Lax$/,
    );
    expect(await me(token)).toMatchObject({ status: 403 });
    expect(await refresh(cookie)).toMatchObject({ status: 401 });
    await vi.waitFor(() => expect(client.ending()).toBe("io server disconnect"));
    const rows = () =>
      app.db.acrossCompanies((tx) => tx.query(sql`select online from users where id = ${user.id}`));
    await vi.waitFor(async () => expect(await rows()).toEqual([{ online: false }]));
  });

  test("succeeds by bearer alone, twice, and with nothing at all", async () => {
    const user = await app.given.user(companyId);
    const { token } = await app.signIn(user.email);
    expect((await app.call("DELETE", "/api/auth/logout", { token })).status).toBe(200);
    expect((await app.call("DELETE", "/api/auth/logout", { token })).status).toBe(200);
    expect((await app.call("DELETE", "/api/auth/logout")).status).toBe(200);
    expect(await me(token)).toMatchObject({ status: 403 });
  });

  test("an old session's cookie does not end the newer session", async () => {
    const user = await app.given.user(companyId);
    const old = await app.signIn(user.email);
    const fresh = await app.signIn(user.email);
    await app.call("DELETE", "/api/auth/logout", { cookie: old.cookie, token: old.token });
    expect((await me(fresh.token)).status).toBe(200);
  });
});

describe("the caller", () => {
  test("is the user of the bearer, as the database has it now", async () => {
    const user = await app.given.user(companyId, { profile: "user" });
    const { token } = await app.signIn(user.email);
    expect(await me(token)).toMatchObject({
      status: 200,
      body: { id: user.id, profile: "user", super: false },
    });
    await app.db.acrossCompanies((tx) =>
      tx.query(sql`update users set profile = 'admin' where id = ${user.id}`),
    );
    expect(await me(token)).toMatchObject({ body: { profile: "admin" } });
    await app.db.acrossCompanies((tx) => tx.query(sql`delete from users where id = ${user.id}`));
    expect(await me(token)).toMatchObject({ status: 401, body: { error: "ERR_SESSION_EXPIRED" } });
  });

  test("is refused without a header, and told to renew a bad token", async () => {
    const none = await app.call("GET", "/api/auth/me");
    expect(none).toMatchObject({ status: 401, body: { error: "ERR_SESSION_EXPIRED" } });
    const user = await app.given.user(companyId);
    const { token, cookie } = await app.signIn(user.email);
    const [head, claims] = token.split(".");
    const unsigned = `${btoa('{"alg":"none"}').replaceAll("=", "")}.${claims}.`;
    for (const bad of ["x", `${head}.${claims}.AAAA`, unsigned, cookie]) {
      expect(await me(bad)).toMatchObject({ status: 403, body: { code: "ERR_TOKEN_EXPIRED" } });
    }
  });
});

describe("guessing passwords", () => {
  let limited: SignInApp;
  beforeAll(async () => {
    limited = await signInApp({ database: app.database, trustProxy: true });
  });
  const attempt = (address: string, email: string, password: string, browser = "") =>
    limited.call("POST", "/api/auth/login", {
      body: { email, password },
      headers: { "x-forwarded-for": address, cookie: browser },
    });
  const browserOf = ({ headers }: Reply): string =>
    headers.getSetCookie().find((line) => line.startsWith("jkb=")) ?? "";
  const waitOf = ({ headers }: Reply) => Number(headers.get("retry-after"));

  test("after ten failures an account waits longer each time, for every address, and is never locked", async () => {
    const user = await app.given.user(companyId);
    for (let n = 0; n < 10; n += 1) {
      expect((await attempt(`10.1.0.${n}`, user.email, "errada")).status).toBe(401);
    }
    for (const seconds of [10, 20, 40, 80, 160, 300, 300]) {
      const refused = await attempt("10.1.0.99", user.email, PASSWORD);
      expect(refused).toMatchObject({ status: 429, body: { error: "ERR_TOO_MANY_REQUESTS" } });
      expect(waitOf(refused)).toBeGreaterThan(seconds / 2);
      expect(waitOf(refused)).toBeLessThanOrEqual(seconds);
      limited.clock.advance(seconds * 1_000);
      expect((await attempt("10.1.0.98", user.email, "errada")).status).toBe(401);
    }
    limited.clock.advance(300_000);
    expect((await attempt("10.1.0.99", user.email, PASSWORD)).status).toBe(200);
  });

  test("wrong passwords elsewhere do not delay a browser that signed in before", async () => {
    const [user, other] = [await app.given.user(companyId), await app.given.user(companyId)];
    const reply = await attempt("10.8.0.1", user.email, PASSWORD);
    const browser = browserOf(reply);
    expect(browser).toMatch(
      /^jkb=[\w.-]+; Max-Age=34560000; Path=\/api\/auth; HttpOnly; SameSite=Lax$/,
    );
    const strange = browserOf(await attempt("10.8.0.2", other.email, PASSWORD));
    const attack = async () => {
      for (let n = 0; n < 11; n += 1) await attempt(`10.8.1.${n}`, user.email, "errada");
    };
    await attack();
    for (const cookie of ["", "jkb=x.y.z", strange]) {
      expect((await attempt("10.8.0.1", user.email, PASSWORD, cookie)).status).toBe(429);
    }
    const again = await attempt("10.8.0.1", user.email, PASSWORD, browser);
    expect(again.status).toBe(200);
    // The same computer at the counter knows both.
    const both = browserOf(await attempt("10.8.0.1", other.email, PASSWORD, browserOf(again)));
    for (const { email } of [user, other]) {
      expect((await attempt("10.8.0.1", email, PASSWORD, both)).status).toBe(200);
    }
    // A stolen cookie may guess as little, and its failures count for itself.
    for (let n = 0; n < 10; n += 1) {
      expect((await attempt("10.8.2.1", user.email, "errada", browser)).status).toBe(401);
    }
    expect((await attempt("10.8.2.1", user.email, PASSWORD, browser)).status).toBe(429);
  });

  test("a browser is known from its next renewal on as well", async () => {
    const user = await app.given.user(companyId);
    const { cookie } = await limited.signIn(user.email);
    const renewed = await limited.call("POST", "/api/auth/refresh_token", { cookie });
    for (let n = 0; n < 11; n += 1) await attempt(`10.9.1.${n}`, user.email, "errada");
    const browser = browserOf(renewed);
    expect((await attempt("10.9.0.1", user.email, PASSWORD, browser)).status).toBe(200);
  });

  test("an account that does not exist has the same waits", async () => {
    const email = "inexistente@empresa.example";
    for (let n = 0; n < 10; n += 1) await attempt(`10.2.0.${n}`, email, "errada");
    expect((await attempt("10.2.0.99", email, "errada")).status).toBe(429);
  });

  test("concurrent attempts are counted too", async () => {
    const user = await app.given.user(companyId);
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, n) => attempt(`10.3.0.${n}`, user.email, "errada")),
    );
    const count = (status: number) => replies.filter((reply) => reply.status === status).length;
    expect([count(401), count(429)]).toEqual([10, 20]);
  });

  test("a right password starts the account's count afresh", async () => {
    const user = await app.given.user(companyId);
    for (let n = 0; n < 9; n += 1) await attempt(`10.4.0.${n}`, user.email, "errada");
    expect((await attempt("10.4.0.20", user.email, PASSWORD)).status).toBe(200);
    expect((await attempt("10.4.0.21", user.email, "errada")).status).toBe(401);
    expect((await attempt("10.4.0.22", user.email, PASSWORD)).status).toBe(200);
  });

  test("from an address with fifty failures every account has one attempt, then waits; other addresses do not wait", async () => {
    const [user, second] = [await app.given.user(companyId), await app.given.user(companyId)];
    for (let n = 0; n < 50; n += 1) {
      // The caller's own entries in the header stand before the proxy's.
      await attempt(`203.0.113.${n}, 10.5.0.1`, `alvo${n}@x.example`, "errada");
    }
    // The address may be everybody's, where a proxy hides them.
    expect((await attempt("10.5.0.1", second.email, PASSWORD)).status).toBe(200);
    expect((await attempt("10.5.0.1", user.email, "errada")).status).toBe(401);
    const refused = await attempt("10.5.0.1", user.email, PASSWORD);
    expect(refused.status).toBe(429);
    expect(waitOf(refused)).toBeGreaterThan(30);
    expect((await attempt("10.5.0.2", user.email, PASSWORD)).status).toBe(200);
  });

  test("an office of many people can sign in from one address", async () => {
    const users = await Promise.all(Array.from({ length: 60 }, () => app.given.user(companyId)));
    const replies = await Promise.all(
      users.map(({ email }) => attempt("10.6.0.1", email, PASSWORD)),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test("counts are deleted after a day", async () => {
    await attempt("10.7.0.1", "varrido@x.example", "errada");
    limited.clock.advance(24 * 3_600_000 + 1);
    await limited.auth.sweepLoginAttempts();
    const rows = await app.db.acrossCompanies((tx) =>
      tx.query(sql`select subject from login_attempts`),
    );
    expect(rows).toEqual([]);
  });
});

describe("the cookie", () => {
  test("is Secure when the request came by https", async () => {
    const behindProxy = await signInApp({ database: app.database, trustProxy: true });
    const user = await app.given.user(companyId);
    const reply = await behindProxy.call("POST", "/api/auth/login", {
      body: { email: user.email, password: PASSWORD },
      headers: { "x-forwarded-proto": "https" },
    });
    expect(reply.setCookie).toMatch(/; HttpOnly; Secure; SameSite=Lax$/);
  });

  test("travels to a client on another site when one is configured", async () => {
    const open = await signInApp({
      database: app.database,
      frontendOrigins: ["https://app.example.com"],
    });
    const user = await app.given.user(companyId);
    const reply = await open.call("POST", "/api/auth/login", {
      body: { email: user.email, password: PASSWORD },
    });
    expect(reply.setCookie).toMatch(/; HttpOnly; Secure; SameSite=None$/);
    const cleared = await open.call("DELETE", "/api/auth/logout");
    expect(cleared.setCookie).toMatch(/^jrt=; .*; HttpOnly; Secure; SameSite=None$/);
  });

  test("renews for the page of a client on another site and for our own, and for no other", async () => {
    const open = await signInApp({
      database: app.database,
      frontendOrigins: ["https://app.example.com/"],
    });
    const user = await app.given.user(companyId);
    let { cookie } = await open.signIn(user.email);
    const renew = (headers: Record<string, string>) =>
      open.call("POST", "/api/auth/refresh_token", { cookie, headers });
    for (const headers of [
      {},
      { origin: "https://evil.example" },
      { origin: "https://app.example.com.evil.example" },
      { origin: "null" },
    ]) {
      const refused = await renew(headers);
      expect(refused).toMatchObject({ status: 403, body: { code: "ERR_NO_PERMISSION" } });
      // The session goes on: a strange page must not end it either.
      expect(refused.setCookie).toBeUndefined();
    }
    for (const origin of ["https://app.example.com", open.url]) {
      const renewed = await renew({ origin });
      expect(renewed.status).toBe(200);
      cookie = cookieValue(renewed);
    }
    // Where the cookie does not travel from other sites, programs go on without an origin.
    const own = await app.signIn(user.email);
    expect((await refresh(own.cookie)).status).toBe(200);
  });
});
