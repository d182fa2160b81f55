import type { SignalKeyStore } from "baileys";
import { proto } from "baileys";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { createSeal } from "../../platform/secrets/seal.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import { createLogger } from "../../platform/logging/logger.ts";
import { LeaseLost } from "../port.ts";
import { newConnection } from "../testing/company.ts";
import type { AuthDeps } from "./auth-state.ts";
import { openAuthState } from "./auth-state.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

const seal = createSeal("a secret of this test");
const log = createLogger({ level: "silent", pretty: false });

async function newDeps(): Promise<AuthDeps> {
  const line = await newConnection(database.db, { channel: "whatsapp-web", wanted: false });
  const { db } = database;
  return {
    ...{ db, seal, log, onFailure: () => undefined },
    context: { ...line, transaction: (work) => db.transaction(line, work) },
  };
}

const storedKeys = ({ context }: AuthDeps) =>
  database.db.acrossCompanies((tx) =>
    tx.query<{ type: string; id: string }>(sql`
      select type, id from whatsapp_keys where connection_id = ${context.connectionId} order by type, id`),
  );

const session = (text: string): Uint8Array => Buffer.from(text);
const device = { "device-list": { ana: ["0", "3"] } };

test("keys of all kinds come back as they were, in this session and in the next", async () => {
  const deps = await newDeps();
  const first = await openAuthState(deps);
  const keyData = Buffer.from("chave de sincronização");
  await first.keys.set({
    ...device,
    session: { "ana.0": session("um"), "bia.0": session("dois") },
    "app-state-sync-key": { k1: { keyData, timestamp: 7 } },
    tctoken: { ana: { token: Buffer.from([1, 2]), timestamp: "9" } },
  });
  const expectAll = async (keys: SignalKeyStore): Promise<void> => {
    expect(await keys.get("device-list", ["ana"])).toEqual({ ana: ["0", "3"] });
    const { "ana.0": found, "x.0": none } = await keys.get("session", ["ana.0", "x.0"]);
    expect(Buffer.from(found ?? []).toString()).toBe("um");
    expect(none).toBeUndefined();
    const { k1 } = await keys.get("app-state-sync-key", ["k1"]);
    expect(k1).toBeInstanceOf(proto.Message.AppStateSyncKeyData);
    expect(Buffer.from(k1?.keyData ?? [])).toEqual(keyData);
    expect((await keys.get("tctoken", ["ana"]))["ana"]?.token).toEqual(Buffer.from([1, 2]));
  };
  await expectAll(first.keys);
  await expectAll((await openAuthState(deps)).keys);
});

test("one write is one transaction: when it fails nothing of it is there, and the old is read again", async () => {
  const deps = await newDeps();
  const auth = await openAuthState(deps);
  await auth.keys.set({ session: { "ana.0": session("alt") } });
  const { transaction } = deps.context;
  deps.context.transaction = (work) =>
    transaction(async (tx) => {
      await work(tx);
      throw new LeaseLost();
    });
  const change = { session: { "ana.0": session("novo"), "bia.0": session("dois") }, ...device };
  await expect(auth.keys.set(change)).rejects.toThrow(LeaseLost);
  expect(await storedKeys(deps)).toEqual([{ type: "session", id: "ana.0" }]);
  const { "ana.0": found } = await auth.keys.get("session", ["ana.0"]);
  expect(Buffer.from(found ?? []).toString()).toBe("alt");
});

test("null takes a key away, for the cache too", async () => {
  const deps = await newDeps();
  const auth = await openAuthState(deps);
  await auth.keys.set({ session: { "ana.0": session("um") }, ...device });
  await auth.keys.set({ session: { "ana.0": null } });
  expect(await auth.keys.get("session", ["ana.0"])).toEqual({});
  expect(await storedKeys(deps)).toEqual([{ type: "device-list", id: "ana" }]);
});

test("a value that was read is the reader's own: changing it changes no key", async () => {
  const auth = await openAuthState(await newDeps());
  await auth.keys.set(device);
  const { ana } = await auth.keys.get("device-list", ["ana"]);
  ana?.push("9");
  expect(await auth.keys.get("device-list", ["ana"])).toEqual({ ana: ["0", "3"] });
});

test("credentials are kept once they are linked, and the newest state is the one that is stored", async () => {
  const deps = await newDeps();
  const auth = await openAuthState(deps);
  auth.creds.me = { id: "5511900000001@s.whatsapp.net", name: "~" };
  auth.saveCredentials();
  await auth.close();
  // A code that was shown and never typed.
  expect((await openAuthState(deps)).creds.me).toBeUndefined();

  const linked = await openAuthState(deps);
  Object.assign(linked.creds, { me: { id: "5511900000001:1@s.whatsapp.net" }, account: {} });
  for (let counter = 1; counter <= 20; counter += 1) {
    linked.creds.accountSyncCounter = counter;
    linked.saveCredentials();
  }
  await linked.close();
  const { creds, isLinked } = await openAuthState(deps);
  expect(isLinked).toBe(true);
  expect(creds.accountSyncCounter).toBe(20);
  expect(Buffer.from(creds.noiseKey.private)).toEqual(Buffer.from(linked.creds.noiseKey.private));
});

test("a session that is over writes nothing more, and forgetting the link forgets all of it", async () => {
  const deps = await newDeps();
  const auth = await openAuthState(deps);
  Object.assign(auth.creds, { me: { id: "5511900000001:1@s.whatsapp.net" }, account: {} });
  auth.saveCredentials();
  await auth.keys.set(device);
  await auth.close();
  await expect(auth.keys.set(device)).rejects.toThrow("over");

  const next = await openAuthState(deps);
  expect(next.isLinked).toBe(true);
  await next.wipe();
  expect(await storedKeys(deps)).toEqual([]);
  expect((await openAuthState(deps)).isLinked).toBe(false);
});

test("keys of another connection open nothing", async () => {
  const [one, other] = [await newDeps(), await newDeps()];
  await (await openAuthState(one)).keys.set(device);
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`
      insert into whatsapp_keys (company_id, connection_id, type, id, data)
      select ${other.context.companyId}, ${other.context.connectionId}, type, id, data
        from whatsapp_keys where connection_id = ${one.context.connectionId}`),
  );
  const { keys } = await openAuthState(other);
  await expect(keys.get("device-list", ["ana"])).rejects.toThrow();
});
