import type { Connection } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { newConnection } from "../../channels/testing/company.ts";
import { adminOf, startProcess } from "../../channels/testing/process.ts";
import type { UserCtx } from "../../platform/context.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import type { ConnectionReport } from "./sessions.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

const secretToken = () => `token-${crypto.randomUUID()}`;

async function newWorld() {
  const line = await newConnection(database.db);
  const { connections: service, tell, wake, published } = await startProcess(database);
  const woken: string[] = [];
  wake.on("connections", (topic) => void woken.push(topic));
  const admin = adminOf(line);
  const agent: UserCtx = { ...admin, actor: { ...admin.actor, profile: "user" } };
  const token = secretToken();
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`update connections set token = ${token}, qrcode = 'codigo', status = 'qrcode'
                  where id = ${line.connectionId}`),
  );
  const report = (event: ConnectionReport, retries = 0) =>
    database.db.transaction(line, (tx) => tell(tx, line, event, retries));
  const id = line.connectionId;
  return { line, id, service, tell, published, woken, admin, agent, token, report };
}

async function wishOf(id: number) {
  const [row] = await database.db.acrossCompanies((tx) =>
    tx.query<{ wanted: boolean; generation: number; unlink: boolean }>(
      sql`select wanted, start_generation as generation, unlink_requested as unlink from connections where id = ${id}`,
    ),
  );
  return row;
}

test("only users who manage connections see token and code", async () => {
  const { service, admin, agent, id, token } = await newWorld();
  expect(await service.get(admin, id)).toMatchObject({ id, token, qrcode: "codigo" });
  expect(await service.get(agent, id)).toMatchObject({
    id,
    token: null,
    qrcode: "",
    status: "qrcode",
  });
  expect(await service.list(admin)).toMatchObject([{ token, qrcode: "codigo" }]);
  expect(await service.list(agent)).toMatchObject([{ token: null, qrcode: "" }]);
});

test("a connection comes with its queues in their order, and the list by id", async () => {
  const { service, admin, line, id } = await newWorld();
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`
      with added as (
        insert into queues (company_id, name, color, greeting_message, order_queue)
        values (${line.companyId}, 'Suporte', '#111111', '', 2), (${line.companyId}, 'Vendas', '#222222', 'Oi', 1)
        returning id),
      second as (
        insert into connections (company_id, name, channel, wanted)
        values (${line.companyId}, 'Segunda', 'simulator', false) returning id)
      insert into connection_queues (company_id, connection_id, queue_id)
      select ${line.companyId}, ${id}, id from added`),
  );
  const list = await service.list(admin);
  expect(list.map(({ name }) => name)).toEqual(["Loja", "Segunda"]);
  expect(list[0]?.queues).toEqual([
    { id: expect.any(Number), name: "Vendas", color: "#222222", greetingMessage: "Oi" },
    { id: expect.any(Number), name: "Suporte", color: "#111111", greetingMessage: "" },
  ]);
  expect(list[1]?.queues).toEqual([]);
});

test("a start requests a session, a new QR one without the old link, a disconnect none", async () => {
  const { service, admin, id, woken } = await newWorld();
  await service.start(admin, id);
  expect(await wishOf(id)).toEqual({ wanted: true, generation: 1, unlink: false });
  expect(await service.get(admin, id)).toMatchObject({ status: "OPENING", qrcode: "" });
  await service.startUnlinked(admin, id);
  expect(await wishOf(id)).toEqual({ wanted: true, generation: 2, unlink: true });
  await service.disconnect(admin, id);
  expect(await wishOf(id)).toEqual({ wanted: false, generation: 3, unlink: true });
  expect(await service.get(admin, id)).toMatchObject({
    status: "DISCONNECTED",
    closeReason: "stopped",
  });
  expect(woken).toHaveLength(3);
});

test("a later start does not cancel a requested unlink", async () => {
  const { service, admin, id } = await newWorld();
  await service.disconnect(admin, id);
  await service.start(admin, id);
  expect(await wishOf(id)).toEqual({ wanted: true, generation: 2, unlink: true });
});

test("a disconnect succeeds in every state, twice too", async () => {
  const { service, admin, id } = await newWorld();
  await service.disconnect(admin, id);
  await expect(service.disconnect(admin, id)).resolves.toBeUndefined();
});

test("only users who manage connections start or stop one", async () => {
  const { service, agent, id } = await newWorld();
  for (const act of [service.start, service.startUnlinked, service.disconnect]) {
    await expect(act(agent, id)).rejects.toThrow("ERR_NO_PERMISSION");
  }
  expect(await wishOf(id)).toEqual({ wanted: true, generation: 0, unlink: false });
});

test("a connection of another company is not found and not touched", async () => {
  const { service, id } = await newWorld();
  const stranger = adminOf(await newConnection(database.db));
  for (const act of [service.get, service.start, service.startUnlinked, service.disconnect]) {
    await expect(act(stranger, id)).rejects.toThrow("ERR_NO_WAPP_FOUND");
  }
  expect(await wishOf(id)).toEqual({ wanted: true, generation: 0, unlink: false });
});

test("a code is published to admins only, and everybody else gets the session without the key", async () => {
  const { report, published, line } = await newWorld();
  await report({ type: "qr", text: "novo codigo" });
  const admins = `c${line.companyId}:may:connections:manage`;
  const main = `c${line.companyId}:main`;
  expect(published).toEqual([
    {
      subject: "whatsappSession",
      payload: {
        action: "update",
        session: expect.objectContaining({ qrcode: "novo codigo", status: "qrcode" }),
      },
      to: [admins],
      except: [],
    },
    {
      subject: "whatsappSession",
      payload: {
        action: "update",
        session: expect.not.objectContaining({ qrcode: expect.anything() }),
      },
      to: [main],
      except: [admins],
    },
  ]);
});

test("an empty code is only published when a code went away, because it closes any open code dialog", async () => {
  const { report, published } = await newWorld();
  const codes = () =>
    published
      .filter(({ subject, except }) => subject === "whatsappSession" && except.length === 0)
      .map(({ payload }) => (payload as { session: { qrcode?: string } }).session.qrcode);
  await report({ type: "state", status: "PAIRING" });
  await report({ type: "state", status: "CONNECTED", number: "5511" });
  await report({ type: "state", status: "TIMEOUT", reason: "network" }, 1);
  expect(codes()).toEqual(["", undefined, undefined]);
});

test("a new number or status is published as the list's entry too, without token, and with the code for admins only", async () => {
  const { report, published, service, admin, id, token } = await newWorld();
  await report({ type: "state", status: "CONNECTED", number: "5511987654321" });
  const listed = published.filter(({ subject }) => subject === "whatsapp");
  expect(listed).toHaveLength(2);
  for (const { payload } of listed) {
    const { whatsapp } = payload as { whatsapp: Connection };
    expect(whatsapp).toMatchObject({
      id,
      number: "5511987654321",
      status: "CONNECTED",
      token: null,
    });
  }
  published.length = 0;
  await report({ type: "state", status: "CONNECTED" }, 0);
  expect(published.map(({ subject }) => subject)).toEqual(["whatsappSession", "whatsappSession"]);
  expect(await service.get(admin, id)).toMatchObject({ token, number: "5511987654321" });
});

test("the reason of a close and the count of tries are kept until the next success", async () => {
  const { report, service, admin, id } = await newWorld();
  await report({ type: "state", status: "TIMEOUT", reason: "network" }, 3);
  expect(await service.get(admin, id)).toMatchObject({
    closeReason: "network",
    retries: 3,
    qrcode: "",
  });
  await report({ type: "state", status: "CONNECTED" }, 0);
  expect(await service.get(admin, id)).toMatchObject({ closeReason: null, retries: 0 });
});

test("no event is published when the transaction that stores a report fails", async () => {
  const { line, tell, published } = await newWorld();
  const failing = database.db.transaction(line, async (tx) => {
    await tell(tx, line, { type: "state", status: "CONNECTED" }, 0);
    throw new Error("rolled back");
  });
  await expect(failing).rejects.toThrow("rolled back");
  expect(published).toEqual([]);
});
