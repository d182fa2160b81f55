import { Curve, proto } from "baileys";
import type { SignalStorage } from "libsignal";
import { ProtocolAddress, SessionBuilder, SessionCipher } from "libsignal";
import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire } from "node:module";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, expect, test, vi } from "vitest";
import { isSigned, repairLibrary } from "./library-repairs.ts";
import type { Ciphertext, SignalDevice } from "./testing/signal-device.ts";
import { createSignalDevice } from "./testing/signal-device.ts";

const signer = Curve.generateKeyPair();
const message = Buffer.from("quem responde");
const signature = Curve.sign(signer.private, message);
const forged = Buffer.alloc(64, 7);

const printed: unknown[][] = [];
const session = { indexInfo: { closed: -1, baseKey: Buffer.from("chave") } };
const load = createRequire(createRequire(import.meta.url).resolve("baileys"));
const SessionRecord = load("libsignal/src/session_record.js") as {
  new (): { closeSession(session: unknown): void };
};

const asDelivered = { acceptsForgery: false, prints: "" };

beforeAll(() => {
  const spies = (["info", "warn", "error"] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation((...words) => void printed.push(words)),
  );
  asDelivered.acceptsForgery = Curve.verify(signer.public, message, forged);
  new SessionRecord().closeSession(session);
  asDelivered.prints = JSON.stringify(printed);
  repairLibrary(null);
  return () => {
    for (const spy of spies) spy.mockRestore();
  };
});

test("as delivered the library accepts a forged signature, repaired it does not", () => {
  expect(asDelivered.acceptsForgery).toBe(true);
  expect(Curve.verify(signer.public, message, forged)).toBe(false);
  expect(Curve.verify(signer.public, message, signature)).toBe(true);
  expect(Curve.verify(signer.public, Buffer.from("outra"), signature)).toBe(false);
  expect(Curve.verify(Curve.generateKeyPair().public, message, signature)).toBe(false);
});

test("a key is taken with and without its prefix, and nothing of the wrong shape throws", () => {
  const prefixed = Buffer.concat([Buffer.from([5]), signer.public]);
  expect(isSigned(prefixed, message, signature)).toBe(true);
  expect(isSigned(signer.public, message, signature)).toBe(true);
  expect(isSigned(Buffer.alloc(3), message, signature)).toBe(false);
  expect(isSigned(signer.public, message, Buffer.alloc(3))).toBe(false);
});

test("a certificate of another key than that of the handshake is refused", async () => {
  const [service, impostor, ours] = [
    Curve.generateKeyPair(),
    Curve.generateKeyPair(),
    Curve.generateKeyPair(),
  ];
  const details = proto.CertChain.NoiseCertificate.Details.encode({ key: service.public }).finish();
  const certificate = Curve.sign(signer.private, Buffer.from(details));

  Curve.sharedKey(ours.private, service.public);
  expect(Curve.verify(signer.public, details, certificate)).toBe(true);

  Curve.sharedKey(ours.private, impostor.public);
  expect(Curve.verify(signer.public, details, certificate)).toBe(false);

  Curve.sharedKey(ours.private, impostor.public);
  await Promise.resolve();
  expect(Curve.verify(signer.public, details, certificate)).toBe(true);
});

test("libsignal prints nothing, everybody else does", () => {
  expect(asDelivered.prints).toContain("Closing session");
  printed.length = 0;
  session.indexInfo.closed = -1;
  new SessionRecord().closeSession(session);
  expect(printed).toEqual([]);

  globalThis.console.warn("outra coisa");
  expect(printed).toEqual([["outra coisa"]]);
});

const transaction = new AsyncLocalStorage<string>();

/** A store that notes the transaction of each call, knows nobody, and answers once it is let go. */
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

test("work in the queue of an address runs in the transaction of its caller", async () => {
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

test("a session that is started behind other work is started in the transaction of its caller", async () => {
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

const COMPANY = "100000000000001:1@lid";
const CUSTOMER = "100000000000002@lid";

test("a late message of an earlier session leaves the present one whole", async () => {
  const company = createSignalDevice();
  const customer = createSignalDevice();
  const says = (text: string): Promise<Ciphertext> =>
    company.encrypt(CUSTOMER, { conversation: text });
  const hears = (said: Ciphertext) => textFor(customer, COMPANY, said);

  await customer.startSession(COMPANY, await company.bundle());
  const hello = await customer.encrypt(COMPANY, { conversation: "oi" });
  expect(await textFor(company, CUSTOMER, hello)).toBe("oi");
  const late = await says("tarde");
  // Sessions are tried in the order of their time, in milliseconds.
  await pause(5);
  await company.startSession(CUSTOMER, await customer.bundle());
  expect(await hears(await says("um"))).toBe("um");

  expect(await hears(late)).toBe("tarde");
  expect(await hears(await says("dois"))).toBe("dois");
});

async function textFor(device: SignalDevice, from: string, { type, ciphertext }: Ciphertext) {
  const { conversation } = await device.decrypt(from, type, ciphertext);
  return conversation;
}
