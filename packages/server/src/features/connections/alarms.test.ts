import type { CompanyId, Connection, ConnectionSession } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../channels/testing/eventually.ts";
import { createScriptedService } from "../../channels/testing/scripted-service.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { TestApp } from "../../testing/app.ts";
import { quietLog, testApp } from "../../testing/app.ts";
import type { NewMail } from "../mails/index.ts";
import { createMailsFeature } from "../mails/index.ts";
import { mailLossesAcrossCompanies } from "./alarms.ts";
import { reportConnection } from "./sessions.ts";

let isReachable = true;
const service = createScriptedService({
  onStart: ({ context, end }) =>
    isReachable ? context.sink.tell({ type: "state", status: "CONNECTED" }) : end("network"),
});
const product = await testApp({
  adapters: new Map([["simulator", service.adapter]]),
  alarmAfterMs: 300,
  channelSettings: { lookEveryMs: 100, reconnectDelaysMs: [50] },
});
const { given, as, live } = product;

async function newWorld() {
  isReachable = true;
  const company = await given.company();
  const admin = await given.admin({ company });
  const agent = await live(await given.agent({ company }));
  const id = await given.connection({ company });
  const shown = async () => (await as(admin).get<Connection>(`/whatsapp/${id}`)).body;
  await eventually(async () => expect(await shown()).toMatchObject({ status: "CONNECTED" }));
  const sessions = () =>
    agent.heard.flatMap(({ name, payload }) =>
      name === companyEvent(company.id, "whatsappSession")
        ? [(payload as { session: ConnectionSession }).session]
        : [],
    );
  /** The alarm's own events: the first of each moment. */
  const alarms = () => new Set(sessions().flatMap(({ alarmedAt }) => alarmedAt ?? []));
  const session = () => {
    const own = service.sessions.filter(({ context }) => context.connectionId === id);
    return own.at(-1);
  };
  return { admin, id, shown, alarms, session };
}

test("the status has the time since when it is connected, or since when and why it is not, from the first loss", async () => {
  const { shown, session } = await newWorld();
  const before = await shown();
  expect(before).toMatchObject({ disconnectedAt: null, closeReason: null, alarmedAt: null });
  expect(Date.parse(before.connectedAt ?? "")).toBeLessThanOrEqual(Date.now());
  isReachable = false;
  await session()?.end("network");
  await eventually(async () => expect(await shown()).toMatchObject({ closeReason: "network" }));
  const lost = await shown();
  expect(lost).toMatchObject({ connectedAt: null, disconnectedAt: expect.any(String) });
  // After several tries it is still the same loss.
  await eventually(async () => expect((await shown()).retries).toBeGreaterThan(2));
  expect((await shown()).disconnectedAt).toBe(lost.disconnectedAt);
  isReachable = true;
  await eventually(async () => expect(await shown()).toMatchObject({ status: "CONNECTED" }));
  const after = await shown();
  expect(after).toMatchObject({ disconnectedAt: null, alarmedAt: null, closeReason: null });
  expect(Date.parse(after.connectedAt ?? "")).toBeGreaterThan(Date.parse(before.connectedAt ?? ""));
});

test("a lost connection is published once, and again after the next loss", async () => {
  const { shown, session, alarms } = await newWorld();
  for (const times of [1, 2]) {
    isReachable = false;
    await session()?.end("network");
    await eventually(() => expect(alarms().size).toBe(times));
    const { alarmedAt, retries } = await shown();
    expect(alarmedAt).not.toBeNull();
    await eventually(async () => expect((await shown()).retries).toBeGreaterThan(retries + 3));
    expect((await shown()).alarmedAt).toBe(alarmedAt);
    isReachable = true;
    await eventually(async () => expect(await shown()).toMatchObject({ status: "CONNECTED" }));
  }
  expect(alarms().size).toBe(2);
});

test("a connection that ended for good is published too", async () => {
  const { shown, session, alarms } = await newWorld();
  await session()?.end("banned");
  await eventually(() => expect(alarms().size).toBe(1));
  expect(await shown()).toMatchObject({ status: "DISCONNECTED", closeReason: "banned" });
});

test("a connection that users disconnect or link again does not count as lost", async () => {
  const { admin, id, shown, alarms } = await newWorld();
  const other = await newWorld();
  await as(admin).delete(`/whatsappsession/${id}`);
  await eventually(async () => expect(await shown()).toMatchObject({ closeReason: "stopped" }));
  // Lost later, and told: by then the other one would have been told as well.
  isReachable = false;
  await other.session()?.end("network");
  await eventually(() => expect(other.alarms().size).toBe(1));
  expect(await shown()).toMatchObject({ alarmedAt: null, disconnectedAt: expect.any(String) });
  expect(alarms().size).toBe(0);
});

describe("an e-mail about a loss", () => {
  // Without the job that writes it, and without channels: the test has the job run.
  let office: TestApp;
  beforeAll(async () => {
    office = await testApp({ environment: { ROLES: "http" } });
  });

  async function newShop() {
    const company = await office.given.company();
    const admin = await office.given.admin({ company });
    await office.given.agent({ company });
    const id = await office.given.connection({ company });
    const write = (work: (tx: Tx) => Promise<unknown>) => office.database.db.acrossCompanies(work);
    const report = (status: "CONNECTED" | "DISCONNECTED", reason: "network" | "stopped") =>
      write((tx) => {
        const realtime = { publish: () => undefined } as unknown as Realtime;
        return reportConnection(
          { realtime },
          { companyId: company.id },
          tx,
          id,
          { type: "state", status, reason },
          0,
        );
      });
    return {
      ...{ company, admin, id, report },
      connect: () => report("CONNECTED", "network"),
      /** Lost so many minutes ago, and told in the product. */
      async lose(minutes: number) {
        await report("DISCONNECTED", "network");
        await write((tx) =>
          tx.query(sql`
            update connections set alarmed_at = now(), disconnected_at = now() - ${minutes} * interval '1 min'
            where id = ${id}`),
        );
      },
      works: (status: boolean) =>
        write((tx) =>
          tx.query(sql`update companies set status = ${status} where id = ${company.id}`),
        ),
    };
  }

  /** One run of the job, and the e-mails of a company in it. */
  async function run(of: { id: CompanyId }): Promise<NewMail[]> {
    const told: NewMail[] = [];
    await mailLossesAcrossCompanies({
      ...{ db: office.database.db, publicUrl: "https://balcao.example" },
      mails: { addAll: async (_tx, added) => void told.push(...added) },
    });
    return told.filter(({ companyId }) => companyId === of.id);
  }

  test("goes to the admins of the company after fifteen minutes, once for each loss", async () => {
    const { company, admin, id, connect, lose } = await newShop();
    const second = await office.given.admin({ company });
    const { name: connection } = (await office.as(admin).get<Connection>(`/whatsapp/${id}`)).body;
    for (const _times of [1, 2]) {
      await connect();
      await lose(14);
      expect(await run(company)).toEqual([]);
      await lose(16);
      const told = (await Promise.all([run(company), run(company)])).flat();
      expect(told).toEqual(
        [admin, second].map(({ name, email: address }) => ({
          ...{ companyId: company.id, to: { name, address }, language: "pt" },
          kind: "connection-lost",
          data: {
            ...{ company: company.name, connection, timeZone: "America/Sao_Paulo" },
            ...{ since: expect.any(Date), url: "https://balcao.example/connections" },
          },
        })),
      );
      expect(await run(company)).toEqual([]);
    }
  });

  test("is not written for a connection that users ended or that is back, nor in a company that is stopped", async () => {
    const [ended, back, stopped] = [await newShop(), await newShop(), await newShop()];
    for (const shop of [ended, back, stopped]) {
      await shop.connect();
      await shop.lose(60);
    }
    await ended.report("DISCONNECTED", "stopped");
    await back.connect();
    await stopped.works(false);
    for (const { company } of [ended, back, stopped]) expect(await run(company)).toEqual([]);
    await stopped.works(true);
    expect(await run(stopped.company)).toHaveLength(1);
  });

  test("is written with its mark or not at all, by two statements", async () => {
    const shops = [await newShop(), await newShop()];
    for (const { connect, lose } of shops) {
      await connect();
      await lose(60);
    }
    const { db } = office.app;
    const addAll = (): Promise<void> => Promise.reject(new Error("crashed"));
    const crashing = mailLossesAcrossCompanies({ db, publicUrl: null, mails: { addAll } });
    await expect(crashing).rejects.toThrow("crashed");
    const wake = { on: () => () => undefined, notify: () => undefined } as unknown as Wake;
    const mails = createMailsFeature({
      ...{ db, clock: office.clock, wake, log: quietLog(), server: null, brand: "" },
    });
    office.statements.take();
    await mailLossesAcrossCompanies({ db, publicUrl: null, mails });
    expect(office.statements.take()).toHaveLength(2);
    const stored = await db.acrossCompanies((tx) =>
      tx.query<{ address: string }>(
        sql`select address from mails where kind = 'connection-lost' order by id`,
      ),
    );
    expect(stored.map(({ address }) => address)).toEqual(shops.map(({ admin }) => admin.email));
  });
});
