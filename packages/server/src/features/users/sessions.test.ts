import type { SessionUser } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { createApi, testApp } from "../../testing/app.ts";
import { PASSWORD } from "../../testing/given.ts";
import { createPeople, refreshCookieOf, renew, signIn } from "./testing/people.ts";

const product = await testApp({ environment: { ROLES: "http" } });
const { url, as, live } = product;

const NEW_PASSWORD = "segredo-456";

test("a password set by an admin ends the user's sessions; the user signs in with it", async () => {
  const { ana, change } = await createPeople(product);
  const session = await signIn(product, ana.email);
  const api = createApi(url, session.token);
  expect((await api.get("/auth/me")).status).toBe(200);
  const changed = await change(ana.id, { password: NEW_PASSWORD });
  expect([changed.status, refreshCookieOf(changed.headers)]).toEqual([200, null]);
  expect(await api.get("/auth/me")).toMatchObject({
    status: 403,
    body: { code: "ERR_TOKEN_EXPIRED" },
  });
  expect((await renew(product, session.cookie)).status).toBe(401);
  expect((await signIn(product, ana.email)).status).toBe(401);
  expect((await signIn(product, ana.email, NEW_PASSWORD)).status).toBe(200);
});

test("a user who changes the own password stays signed in here and nowhere else", async () => {
  const { ana } = await createPeople(product);
  const session = await signIn(product, ana.email);
  const changed = await createApi(url, session.token).put<SessionUser>(`/users/${ana.id}`, {
    password: NEW_PASSWORD,
    currentPassword: PASSWORD,
  });
  expect(changed.status).toBe(200);
  const cookie = refreshCookieOf(changed.headers);
  const renewed = await renew(product, cookie);
  expect(renewed.status).toBe(200);
  expect((await createApi(url, renewed.token).get("/auth/me")).body).toMatchObject({ id: ana.id });
  // A thief of the earlier cookie is out.
  expect((await renew(product, session.cookie)).status).toBe(401);
  expect((await renew(product, renewed.cookie)).status).toBe(200);
});

test("an expired or disabled company loses its open sockets at once", async () => {
  const change = (id: number, set: ReturnType<typeof sql>) =>
    product.database.db.acrossCompanies((tx) =>
      tx.query(sql`update companies set ${set} where id = ${id}`),
    );
  for (const set of [sql`due_date = now() - interval '1 minute'`, sql`status = false`]) {
    const { company, ana } = await createPeople(product);
    await change(company.id, sql`due_date = now() + interval '1 year', status = true`);
    const ears = await live(ana);
    // Another day in the future closes nothing.
    await change(company.id, sql`due_date = now() + interval '1 day'`);
    expect((await as(ana).get("/auth/me")).status).toBe(200);
    expect(ears.ending()).toBeNull();
    await change(company.id, set);
    await vi.waitFor(() => expect(ears.ending()).toBe("io server disconnect"));
  }
});

test.each([
  ["left out", {}],
  ["empty", { password: "" }],
])("a password that is %s stays, and so do the sessions", async (_, fields) => {
  const { ana, change } = await createPeople(product);
  const session = await signIn(product, ana.email);
  expect((await change(ana.id, { name: "Ana Reis", ...fields })).status).toBe(200);
  expect((await createApi(url, session.token).get("/auth/me")).status).toBe(200);
  expect((await renew(product, session.cookie)).status).toBe(200);
  expect((await signIn(product, ana.email, PASSWORD)).status).toBe(200);
});

test("a new profile ends the sessions of the earlier one; the same profile does not", async () => {
  const { ana, change } = await createPeople(product);
  const session = await signIn(product, ana.email);
  await change(ana.id, { profile: "user" });
  expect((await renew(product, session.cookie)).status).toBe(200);
  await change(ana.id, { profile: "supervisor" });
  expect((await renew(product, session.cookie)).status).toBe(401);
});

test("an admin who gives up the admin profile stays signed in without it", async () => {
  const { company, admin, bia } = await createPeople(product);
  const session = await signIn(product, admin.email);
  const [own, other] = [await live({ ...admin, token: session.token }), await live(bia)];
  const api = createApi(url, session.token);
  const changed = await api.put(`/users/${admin.id}`, { profile: "user" });
  const demotion = {
    name: companyEvent(company.id, "user"),
    payload: expect.objectContaining({
      user: expect.objectContaining({ id: admin.id, profile: "user" }),
    }),
  };
  await expect.poll(() => other.heard).toContainEqual(demotion);
  const renewed = await renew(product, refreshCookieOf(changed.headers));
  expect((await createApi(url, renewed.token).get("/auth/me")).body).toMatchObject({
    profile: "user",
  });
  // His own client hears it from the reply, with which it can go on.
  await expect.poll(() => own.ending()).not.toBeNull();
  expect(own.heard).not.toContainEqual(demotion);
  const refused = await createApi(url, renewed.token).get(`/users/${admin.id}/use`);
  expect(refused).toMatchObject({ status: 403, body: { code: "ERR_NO_PERMISSION" } });
});

test("the sockets of an ended session close", async () => {
  const { ana, bia, change } = await createPeople(product);
  const [client, other] = [await live(ana), await live(bia)];
  await change(ana.id, { password: NEW_PASSWORD });
  await expect.poll(() => client.ending()).not.toBeNull();
  expect(other.ending()).toBeNull();
  expect((await as(bia).get("/auth/me")).status).toBe(200);
});
