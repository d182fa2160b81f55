import { AsyncLocalStorage } from "node:async_hooks";
import type { SignalStorage } from "libsignal";
import { ProtocolAddress, SessionBuilder, SessionCipher } from "libsignal";
import { expect, test } from "vitest";
import { repairSignalQueue } from "./queue-repair.ts";

const transaction = new AsyncLocalStorage<string>();

/** A store that notes in whose transaction it is asked, knows nobody, and takes its time until it is let go. */
function notingStore() {
  const seen: (string | undefined)[] = [];
  const gate = Promise.withResolvers<null>();
  const note = (): void => {
    seen.push(transaction.getStore());
  };
  const store = {
    getOurIdentity: () => ({}),
    loadSession: () => {
      note();
      return gate.promise;
    },
    isTrustedIdentity: () => {
      note();
      return false;
    },
  };
  return { seen, store: store as unknown as SignalStorage, letGo: () => gate.resolve(null) };
}

test("whoever waits in the queue of an address does its work in its own transaction", async () => {
  repairSignalQueue();
  const { seen, store, letGo } = notingStore();
  const cipher = new SessionCipher(store, new ProtocolAddress("5511988880001", 0));
  const encrypt = (name: string): Promise<unknown> =>
    transaction.run(name, () => cipher.encrypt(Buffer.from("oi")).catch(() => null));
  const all = Promise.all([encrypt("first"), encrypt("second"), encrypt("third")]);
  await expect.poll(() => seen).toEqual(["first"]);
  letGo();
  await all;
  expect(seen).toEqual(["first", "second", "third"]);
});

test("whoever starts a session behind another one does so in its own transaction", async () => {
  repairSignalQueue();
  const { seen, store, letGo } = notingStore();
  const address = new ProtocolAddress("5511988880002", 0);
  const cipher = new SessionCipher(store, address);
  const builder = new SessionBuilder(store, address);
  const device = { identityKey: Buffer.alloc(33) } as never;
  const sends = transaction.run("sends", () => cipher.encrypt(Buffer.from("oi")).catch(() => null));
  await expect.poll(() => seen).toEqual(["sends"]);
  const starts = transaction.run("starts", () => builder.initOutgoing(device).catch(() => null));
  letGo();
  await Promise.all([sends, starts]);
  expect(seen).toEqual(["sends", "starts"]);
});
