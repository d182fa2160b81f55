import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Ciphertext, SignalDevice } from "./testing/signal-device.ts";
import { createSignalDevice } from "./testing/signal-device.ts";

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
