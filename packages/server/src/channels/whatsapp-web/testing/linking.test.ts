import { expect, test } from "vitest";
import { linkedClient, newClient } from "./linked-client.ts";

test("a client is linked by a code that is typed on the phone", async () => {
  const { account, client } = await newClient();
  client.connect();
  await client.code();
  const code = await client.sock().requestPairingCode(account.phoneNumber);
  await account.typeCode(code);
  await client.closed(515);
  client.connect();
  await client.open();
  expect(client.creds.me?.id).toBe(`${account.phoneNumber}:1@s.whatsapp.net`);
});

test("another code than the one shown links nothing", async () => {
  const { account, client } = await newClient();
  client.connect();
  await client.code();
  await client.sock().requestPairingCode(account.phoneNumber);
  await expect(account.typeCode("AAAAAAAA")).rejects.toThrow("authenticate");
  expect(account.linkedDevices()).toBe(0);
});

test("a link that is not signed with the code's secret is refused by the client", async () => {
  const { account, client } = await newClient();
  client.connect();
  await expect(account.forgeLink(await client.code())).rejects.toThrow("went away");
  await client.closed(500);
  expect(account.linkedDevices()).toBe(0);
});

test("an account may want another proof, or give out no codes to type", async () => {
  const { account, client } = await newClient();
  client.connect();
  const code = await client.code();
  const asked = client.hears("CB:notification,type:passkey_prologue_request");
  account.setLinking("passkey");
  await expect(account.scanQr(code)).rejects.toThrow("another proof");
  await asked;
  account.setLinking("no-codes");
  const refused = client.hears("CB:iq,type:error");
  await client.sock().requestPairingCode(account.phoneNumber);
  await refused;
  expect(account.linkedDevices()).toBe(0);
});

test("a code that is over links nothing", async () => {
  const { account, client } = await newClient();
  client.connect();
  const code = await client.code();
  await client.end();
  await expect(account.scanQr(code)).rejects.toThrow("expired");
});

test("an unlinked client is told so, and again when it comes back", async () => {
  const { account, client } = await linkedClient();
  account.unlink();
  await client.closed(401);
  client.closings.length = 0;
  client.connect();
  await client.closed(401);
});

test("a client that unlinks itself is no longer linked", async () => {
  const { account, client } = await linkedClient();
  await client.sock().logout();
  await expect.poll(() => account.linkedDevices()).toBe(0);
});

test("each ending has its own number", async () => {
  const { account, client } = await linkedClient();
  account.restart();
  client.closings.length = 0;
  await client.closed(515);
  client.connect();
  await client.open();
  account.replace();
  await client.closed(440);
  client.connect();
  await client.open();
  account.fail(503);
  await client.closed(503);
  client.connect();
  await client.open();
  account.ban();
  await client.closed(403);
  client.closings.length = 0;
  client.connect();
  await client.closed(403);
});
