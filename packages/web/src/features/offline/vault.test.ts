import "fake-indexeddb/auto";
import { expect, test } from "vitest";
import { keptLimits, openVault, removeVault } from "./vault.ts";

const conversation = { isConversation: true };

/** All rows and keys as they stand in the storage. */
async function stored(): Promise<{ rows: Record<string, unknown>[]; key: CryptoKey }> {
  const database = await new Promise<IDBDatabase>((resolve) => {
    const opening = indexedDB.open("balcao.kept", 1);
    opening.addEventListener("success", () => resolve(opening.result));
  });
  const all = <T>(name: string) =>
    new Promise<T[]>((resolve) => {
      const asked = database.transaction(name).objectStore(name).getAll();
      asked.addEventListener("success", () => resolve(asked.result as T[]));
    });
  const rows = await all<Record<string, unknown>>("rows");
  const [own] = await all<{ key: CryptoKey }>("keys");
  database.close();
  if (!own) throw new Error("there is no key");
  return { rows, key: own.key };
}

test("what is kept is unreadable in the storage, and opens for its session", async () => {
  const vault = await openVault("session-1", () => 0);
  await vault.put(
    '["messages",7]',
    { messages: [{ body: "Meu CPF" }] },
    { at: 5, ...conversation },
  );
  vault.close();
  const { rows, key } = await stored();
  const [row] = rows;
  const plain = new TextDecoder("latin1").decode(row?.["sealed"] as ArrayBuffer);
  expect([plain.includes("CPF"), String(row?.["id"]).includes("messages")]).toEqual([false, false]);
  expect(key.extractable).toBe(false);
  const again = await openVault("session-1", () => 0);
  expect(await again.get('["messages",7]')).toEqual({
    ...{ at: 5, value: { messages: [{ body: "Meu CPF" }] } },
  });
  expect(await again.get('["messages",8]')).toBeNull();
  again.close();
});

test("another session finds nothing, and the old key is gone", async () => {
  const before = await openVault("session-1", () => 0);
  await before.put("list", ["Ana"], { at: 1, isConversation: false });
  const { key } = await stored();
  const vault = await openVault("session-2", () => 0);
  expect([await vault.get("list"), vault.count()]).toEqual([null, 0]);
  expect((await stored()).key).not.toBe(key);
  vault.close();
  await removeVault();
  expect((await indexedDB.databases()).map(({ name }) => name)).toEqual([]);
});

test("the oldest conversations go", async () => {
  const vault = await openVault("session-3", () => 0);
  const more = keptLimits.conversations + 2;
  for (let at = 1; at <= more; at += 1) {
    await vault.put(`conversation ${at}`, [at], { at, ...conversation });
  }
  await vault.put("list", [], { at: 0, isConversation: false });
  expect(vault.count()).toBe(keptLimits.conversations + 1);
  const found = await Promise.all([1, 2, 3, more].map((at) => vault.get(`conversation ${at}`)));
  expect(found.map((kept) => kept?.at ?? null)).toEqual([null, null, 3, more]);
  const large = "x".repeat(keptLimits.bytes - 300);
  await vault.put("large", large, { at: more + 1, isConversation: false });
  expect(vault.count()).toBeLessThan(keptLimits.conversations);
  expect((await vault.get("large"))?.at).toBe(more + 1);
  vault.close();
  await removeVault();
});

test("what is older than three days is not opened, and goes", async () => {
  let now = 0;
  const vault = await openVault("session-4", () => now);
  await vault.put("list", ["Ana"], { at: 0, isConversation: false });
  now = keptLimits.ms - 1;
  expect((await vault.get("list"))?.value).toEqual(["Ana"]);
  now = keptLimits.ms;
  expect(await vault.get("list")).toBeNull();
  vault.close();
  const again = await openVault("session-4", () => now);
  expect(again.count()).toBe(0);
  again.close();
  await removeVault();
});
