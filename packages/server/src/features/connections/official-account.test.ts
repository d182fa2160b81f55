import type { Connection, ConnectionId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { cloudWorld, hasStatus } from "../../channels/cloud-api/testing/cloud-office.ts";

const world = await cloudWorld();
const { product, stub } = world;
const { given, as, database } = product;

const credentialsOf = ({
  displayNumber: _number,
  ...account
}: ReturnType<typeof stub.newAccount>) => account;

async function generationOf(id: ConnectionId): Promise<number | undefined> {
  const [row] = await database.db.acrossCompanies((tx) =>
    tx.query<{ generation: number }>(
      sql`select start_generation as generation from connections where id = ${id}`,
    ),
  );
  return row?.generation;
}

test("a connection that moves to the official API keeps its tickets and messages, and goes back to its QR code", async () => {
  const company = await given.company();
  const admin = await given.admin({ company });
  const id = await given.connection({ company });
  const ticket = await given.ticket({
    company,
    connectionId: id,
    status: "open",
    userId: admin.id,
  });
  await given.message(ticket, { body: "Antes da mudança" });
  await hasStatus(world, { connectionId: id }, "CONNECTED");
  const put = (body: object) => as(admin).put<Connection>(`/whatsapp/${id}`, body);

  const bare = await put({ channel: "cloud-api" });
  expect([bare.status, bare.body]).toMatchObject([400, { code: "ERR_WAPP_CREDENTIALS" }]);
  const account = stub.newAccount();
  const moved = await put({ channel: "cloud-api", cloudApi: credentialsOf(account) });
  expect([moved.status, moved.body]).toMatchObject([
    200,
    { channel: "cloud-api", cloudApi: { phoneNumberId: account.phoneNumberId } },
  ]);
  await hasStatus(world, { connectionId: id }, "CONNECTED");
  const page = await as(admin).get(`/messages/${ticket.id}?markRead=false`);
  expect(JSON.stringify(page.body)).toContain("Antes da mudança");
  expect((await as(admin).get(`/tickets/${ticket.id}`)).body).toMatchObject({ whatsappId: id });
  const lines = await database.db.acrossCompanies((tx) =>
    tx.query(sql`select 1 from simulator_lines where connection_id = ${id} and linked`),
  );
  expect(lines).toEqual([]);

  await put({ channel: "simulator" });
  await hasStatus(world, { connectionId: id }, "qrcode");
});

test("saving the same values does not touch the session; other credentials restart it", async () => {
  const company = await given.company();
  const admin = await given.admin({ company });
  const account = stub.newAccount();
  const made = await as(admin).post<Connection>("/whatsapp", {
    name: "Oficial",
    channel: "cloud-api",
    cloudApi: credentialsOf(account),
  });
  const { id } = made.body;
  await hasStatus(world, { connectionId: id }, "CONNECTED");
  const before = await generationOf(id);
  const { body: record } = await as(admin).get<Connection>(`/whatsapp/${id}`);
  const saved = await as(admin).put(`/whatsapp/${id}`, { ...record, ratingMessage: "Nota?" });
  expect([saved.status, saved.body]).toMatchObject([200, { ratingMessage: "Nota?" }]);
  expect(await generationOf(id)).toBe(before);

  const next = credentialsOf(stub.newAccount());
  await as(admin).put(`/whatsapp/${id}`, { cloudApi: next });
  expect(await generationOf(id)).toBe((before ?? 0) + 1);
  const { body } = await as(admin).get<Connection>(`/whatsapp/${id}`);
  expect(body.cloudApi).toMatchObject({ phoneNumberId: next.phoneNumberId });
});

test("a whole record comes back as it was read, whatever the channel", async () => {
  const company = await given.company();
  const admin = await given.admin({ company });
  const id = await given.connection({ company });
  const { body: record } = await as(admin).get<Connection>(`/whatsapp/${id}`);
  const form = { ...record, transferQueueId: "", queueIds: [], token: null, name: "Renomeada" };
  const saved = await as(admin).put(`/whatsapp/${id}`, form);
  expect([saved.status, saved.body]).toMatchObject([
    200,
    { name: "Renomeada", transferQueueId: null, cloudApi: null, channel: "simulator" },
  ]);
});

test("the list reads the accounts of all connections in one statement, each with its own", async () => {
  const company = await given.company({ plan: { connections: 10 } });
  const admin = await given.admin({ company });
  const accounts = [stub.newAccount(), stub.newAccount(), stub.newAccount()];
  for (const account of accounts) {
    const made = await as(admin).post<Connection>("/whatsapp", {
      name: account.phoneNumberId,
      channel: "cloud-api",
      cloudApi: credentialsOf(account),
    });
    expect(made.status).toBe(200);
  }
  product.statements.take();
  const { body } = await as(admin).get<Connection[]>("/whatsapp");
  expect(body.map(({ name, cloudApi }) => [name, cloudApi?.phoneNumberId])).toEqual(
    accounts.map(({ phoneNumberId }) => [phoneNumberId, phoneNumberId]),
  );
  const reads = product.statements.take().filter((text) => text.includes("cloud_accounts"));
  expect(reads.filter((text) => !text.includes("a.connection_id = $2"))).toHaveLength(1);
});
