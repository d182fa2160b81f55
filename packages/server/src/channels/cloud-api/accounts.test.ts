import type { Connection } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { cloudWorld, hasStatus } from "./testing/cloud-office.ts";

const world = await cloudWorld({ environment: { BALCAO_PUBLIC_URL: "https://inbox.example" } });
const { product, stub } = world;

const credentialsOf = ({
  displayNumber: _number,
  ...account
}: ReturnType<typeof stub.newAccount>) => account;

async function office() {
  const company = await product.given.company();
  return {
    company,
    admin: product.as(await product.given.admin({ company })),
    agent: product.as(await product.given.agent({ company })),
  };
}

test("an admin connects an account; its secrets are encrypted and are never returned", async () => {
  const { admin, agent } = await office();
  const account = stub.newAccount();
  const made = await admin.post<Connection>("/whatsapp", {
    name: "Oficial",
    channel: "cloud-api",
    cloudApi: credentialsOf(account),
  });
  expect([made.status, made.body]).toMatchObject([200, { channel: "cloud-api" }]);
  await hasStatus(world, { connectionId: made.body.id }, "CONNECTED");
  const { body } = await admin.get<Connection>(`/whatsapp/${made.body.id}`);
  expect(body.cloudApi).toMatchObject({
    phoneNumberId: account.phoneNumberId,
    businessAccountId: account.businessAccountId,
    verifyToken: account.verifyToken,
    webhookUrl: expect.stringMatching(
      /^https:\/\/inbox\.example\/webhooks\/cloud-api\/[0-9a-f-]{36}$/,
    ),
  });
  const text = JSON.stringify(body);
  for (const secret of [account.accessToken, account.appSecret]) expect(text).not.toContain(secret);
  const seen = await agent.get<Connection>(`/whatsapp/${made.body.id}`);
  expect(seen.body.cloudApi).toBeNull();

  const [row] = await product.database.db.acrossCompanies((tx) =>
    tx.query<{ stored: string }>(
      sql`select a::text as stored from cloud_accounts a where connection_id = ${made.body.id}`,
    ),
  );
  for (const secret of [account.accessToken, account.appSecret, account.verifyToken]) {
    expect(row?.stored).not.toContain(Buffer.from(secret).toString("hex"));
  }
});

test("credentials that Meta rejects are refused and nothing is stored", async () => {
  const { admin } = await office();
  const account = stub.newAccount();
  stub.revoke(account);
  const refused = await admin.post<{ code: string }>("/whatsapp", {
    name: "Oficial",
    channel: "cloud-api",
    cloudApi: credentialsOf(account),
  });
  expect([refused.status, refused.body.code]).toEqual([400, "ERR_WAPP_CREDENTIALS"]);
  expect((await admin.get("/whatsapp")).body).toEqual([]);
});

test("a secret that is left out stays; a new token takes over", async () => {
  const { admin } = await office();
  const account = stub.newAccount();
  const { body } = await admin.post<Connection>("/whatsapp", {
    name: "Oficial",
    channel: "cloud-api",
    cloudApi: credentialsOf(account),
  });
  const { phoneNumberId, businessAccountId } = account;
  const kept = await admin.put<Connection>(`/whatsapp/${body.id}`, {
    cloudApi: { phoneNumberId, businessAccountId, accessToken: "" },
  });
  expect([kept.status, kept.body.cloudApi?.verifyToken]).toEqual([200, account.verifyToken]);
  expect(kept.body.cloudApi?.webhookUrl).toBe(body.cloudApi?.webhookUrl);
  const wrong = await admin.put<{ code: string }>(`/whatsapp/${body.id}`, {
    cloudApi: { phoneNumberId, businessAccountId, accessToken: "EAAwrong" },
  });
  expect([wrong.status, wrong.body.code]).toEqual([400, "ERR_WAPP_CREDENTIALS"]);
});
