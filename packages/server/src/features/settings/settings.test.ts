import type { CompanyId } from "@balcao/contract";
import { companyEvent, secretMask, settingKeys } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test, vi } from "vitest";
import type { SignInApp } from "../auth/testing/sign-in-app.ts";
import { signInApp } from "../auth/testing/sign-in-app.ts";
import { createSeal } from "../../platform/secrets/seal.ts";
import { readSecretSettings, readSetting } from "./index.ts";

let app: SignInApp;
let companyId: CompanyId;
let admin: string;
let agent: string;
beforeAll(async () => {
  app = await signInApp();
  companyId = await app.given.company();
  admin = (await app.signIn((await app.given.user(companyId, { profile: "admin" })).email)).token;
  agent = (await app.signIn((await app.given.user(companyId)).email)).token;
});

const read = async (token: string) => (await app.call("GET", "/api/settings", { token })).body;
const write = (token: string, key: string, body: unknown) =>
  app.call("PUT", `/api/settings/${key}`, { token, body });

test("every setting of the product is in the list, stored or not, under an id that stays", async () => {
  const before = await read(admin);
  const shared = Object.values(settingKeys).filter((rule) => !("provider" in rule));
  expect(before).toHaveLength(shared.length);
  expect(before).toContainEqual({
    id: expect.any(Number),
    key: "sendGreetingAccepted",
    value: "disabled",
    companyId,
  });
  const ids = (list: unknown) => JSON.stringify(list).match(/"id":\d+,"key":"\w+"/g);
  expect(new Set(ids(before)).size).toBe(shared.length);
  expect((await write(admin, "userRating", { value: "enabled" })).status).toBe(200);
  const after = await read(admin);
  expect(ids(after)).toEqual(ids(before));
  expect(after).toContainEqual(expect.objectContaining({ key: "userRating", value: "enabled" }));
});

test("agents read everything but the secrets, and cannot write", async () => {
  expect((await write(admin, "asaas", { value: "chave-secreta" })).status).toBe(200);
  const known = { key: "asaas", value: secretMask };
  expect(await read(admin)).toContainEqual(expect.objectContaining(known));
  expect(await read(admin)).toContainEqual(expect.objectContaining({ key: "ipixc", value: "" }));
  expect(JSON.stringify(await read(admin))).not.toContain("chave-secreta");
  const seen = JSON.stringify(await read(agent));
  expect(seen).toContain("scheduleType");
  expect(seen).not.toMatch(/asaas|chave-secreta|tokenixc/);
  expect(await write(agent, "userRating", { value: "disabled" })).toMatchObject({
    status: 403,
    body: { error: "ERR_NO_PERMISSION" },
  });
});

test("a masked secret that comes back leaves the stored one; an empty one clears it", async () => {
  const seal = createSeal(app.database.secrets.seal);
  const stored = async () => {
    const keys = ["tokenixc"] as const;
    const read = app.db.transaction({ companyId }, (tx) =>
      readSecretSettings(seal, tx, { companyId }, keys),
    );
    return (await read).tokenixc;
  };
  const replies = [
    await write(admin, "tokenixc", { value: "segredo-1" }),
    await write(admin, "tokenixc", { value: secretMask }),
    await write(admin, "tokenixc", { value: `${secretMask}x` }),
  ];
  for (const reply of replies) expect(reply.body).toMatchObject({ value: secretMask });
  expect(await stored()).toBe("segredo-1");
  const inDatabase = await app.db.transaction({ companyId }, (tx) =>
    readSetting(tx, { companyId }, "tokenixc"),
  );
  expect(inDatabase).toMatch(/^sealed:/);
  expect(inDatabase).not.toContain("segredo");
  // As an older version has stored it.
  await app.db.transaction({ companyId }, (tx) =>
    tx.query(
      sql`update settings set value = 'antigo' where company_id = ${companyId} and key = 'tokenixc'`,
    ),
  );
  expect(await stored()).toBe("antigo");
  expect((await write(admin, "tokenixc", { value: "" })).body).toMatchObject({ value: "" });
  expect(await stored()).toBe("");
});

test("campaigns are switched on and off by super users, not by the company's admins", async () => {
  expect(await write(admin, "campaignsEnabled", { value: "false" })).toMatchObject({
    status: 403,
    body: { error: "ERR_NO_PERMISSION" },
  });
  const provider = await app.given.user(companyId, { profile: "admin", super: true });
  const { token } = await app.signIn(provider.email);
  expect(await write(token, "campaignsEnabled", { value: "false" })).toMatchObject({ status: 200 });
  expect(await read(admin)).toContainEqual(
    expect.objectContaining({ key: "campaignsEnabled", value: "false" }),
  );
});

test.each(["viewclosed", "viewgroups"])("%s is kept for other clients", async (key) => {
  expect(await read(agent)).toContainEqual(expect.objectContaining({ key, value: "disabled" }));
  expect((await write(admin, key, { value: "enabled" })).status).toBe(200);
  expect(await read(agent)).toContainEqual(expect.objectContaining({ key, value: "enabled" }));
});

test("a value outside the list, a missing value and an unknown key are refused", async () => {
  expect(await write(admin, "call", { value: "maybe" })).toMatchObject({
    status: 400,
    body: {
      data: { issues: [{ path: "body.value", message: "must be one of enabled, disabled" }] },
    },
  });
  expect((await write(admin, "call", {})).status).toBe(400);
  for (const key of ["nothing", "__proto__", "toString"]) {
    expect(await write(admin, key, { value: "x" })).toMatchObject({
      status: 404,
      body: { error: "ERR_NO_SETTING_FOUND" },
    });
  }
});

test("the path names the setting; a change is published to the company, except that of a secret", async () => {
  const client = await app.live(agent);
  await write(admin, "asaas", { value: "outra-chave" });
  const reply = await write(admin, "call", { key: "asaas", value: "enabled", companyId: 999 });
  expect(reply.body).toMatchObject({ key: "call", value: "enabled", companyId });
  expect(await client.next(companyEvent(companyId, "settings"))).toEqual({
    action: "update",
    setting: reply.body,
  });
  expect(JSON.stringify(client.heard)).not.toMatch(/outra-chave|asaas/);
});

test("the address of a system is one of the web, without a password", async () => {
  for (const value of ["10.0.0.1", "ftp://ixc.exemplo", "https://eu:senha@ixc.exemplo"]) {
    const reply = await write(admin, "ipmkauth", { value });
    const issues = [{ path: "body.value", message: "must be a web address" }];
    expect(reply).toMatchObject({ status: 400, body: { data: { issues } } });
  }
  expect((await write(admin, "ipmkauth", { value: " https://mk.exemplo/ " })).status).toBe(200);
});

test("companies do not see each other's settings", async () => {
  await write(admin, "ipixc", { value: "http://10.0.0.1" });
  const other = await app.given.company();
  const stranger = await app.given.user(other, { profile: "admin" });
  const { token } = await app.signIn(stranger.email);
  expect(JSON.stringify(await read(token))).not.toContain("10.0.0.1");
});

test("other features read one setting, by default or as stored", async () => {
  const ctx = { companyId, actor: { kind: "system", name: "test" }, requestId: "r-1" } as const;
  const value = () => app.db.transaction(ctx, (tx) => readSetting(tx, ctx, "CheckMsgIsGroup"));
  await app.db.acrossCompanies((tx) =>
    tx.query(sql`delete from settings where company_id = ${companyId} and key = 'CheckMsgIsGroup'`),
  );
  expect(await value()).toBe("enabled");
  await write(admin, "CheckMsgIsGroup", { value: "disabled" });
  await vi.waitFor(async () => expect(await value()).toBe("disabled"));
});
