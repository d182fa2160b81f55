import { expect, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { cloudWorld, deliveriesOf, hasStatus } from "./testing/cloud-office.ts";
import { deliver } from "./testing/graph-stub.ts";
import { contactOf, delivery, textMessage } from "./testing/webhook-bodies.ts";

const world = await cloudWorld();

const body = (account: Parameters<typeof delivery>[0]) =>
  delivery(account, {
    contacts: [contactOf({ phone: "5511988887777" })],
    messages: [textMessage({ phone: "5511988887777" }, "Oi")],
  });

test.each([
  ["without a signature", null],
  ["signed by somebody else", `sha256=${"0".repeat(64)}`],
  ["with half a signature", "sha256=abcd"],
])("a delivery %s is refused and nothing of it is stored", async (_how, signature) => {
  const line = await world.newLine({ wanted: false });
  const refused = await deliver(line.webhookUrl, line.account, body(line.account), { signature });
  expect(refused).toBe(401);
  expect(await deliveriesOf(world, line)).toEqual([]);
  expect(await deliver(line.webhookUrl, line.account, body(line.account))).toBe(200);
  expect(await deliveriesOf(world, line)).toHaveLength(1);
});

test("the signature is over the bytes as they came, not over what they mean", async () => {
  const line = await world.newLine({ wanted: false });
  const spaced = `  ${JSON.stringify(body(line.account), null, 3)}\n`;
  expect(await deliver(line.webhookUrl, line.account, spaced)).toBe(200);
  const [stored] = await deliveriesOf(world, line);
  expect(stored?.body).toBe(spaced);
});

test("a company's secret opens no other company's address", async () => {
  const line = await world.newLine({ wanted: false });
  const other = await world.newLine({ wanted: false });
  expect(await deliver(other.webhookUrl, line.account, body(other.account))).toBe(401);
  expect(await deliveriesOf(world, other)).toEqual([]);
});

test("an unknown address is not found, and bodies have a size limit", async () => {
  const line = await world.newLine({ wanted: false });
  const nowhere = line.webhookUrl.replace(/[^/]+$/, "11111111-2222-4333-8444-555555555555");
  expect(await deliver(nowhere, line.account, body(line.account))).toBe(404);
  expect(await deliver(line.webhookUrl.replace(/[^/]+$/, "x"), line.account, "{}")).toBe(404);
  expect(await deliver(line.webhookUrl, line.account, "x".repeat(5 * 1024 * 1024))).toBe(413);
  expect(await deliveriesOf(world, line)).toEqual([]);
});

test("Meta's verification is answered only with the right verify token", async () => {
  const { webhookUrl, account } = await world.newLine({ wanted: false });
  const ask = (token: string) =>
    fetch(`${webhookUrl}?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=1158201444`);
  const right = await ask(account.verifyToken);
  expect([right.status, await right.text()]).toEqual([200, "1158201444"]);
  expect(right.headers.get("content-type")).toContain("text/plain");
  expect((await ask("guess")).status).toBe(401);
  expect((await fetch(webhookUrl)).status).toBe(401);
});

test("unreadable deliveries are kept for diagnosis and delay nothing", async () => {
  const line = await world.newLine();
  await hasStatus(world, line, "CONNECTED");
  expect(await deliver(line.webhookUrl, line.account, "this is no JSON")).toBe(200);
  await line.deliver({
    contacts: [],
    messages: [{ nonsense: true }, textMessage({ phone: "5511988880001" }, "Ainda estou aqui")],
  });
  const ticket = await line.ticketOf("5511988880001");
  expect(ticket.lastMessage).toBe("Ainda estou aqui");
  await eventually(async () => {
    const kept = await deliveriesOf(world, line);
    expect(kept.map(({ isFailed }) => isFailed)).toEqual([true, true]);
  });
});

test("messages from before the connection's start arrive at its start", async () => {
  const line = await world.newLine({ wanted: false });
  await line.writes({ phone: "5511988880002" }, "Bom dia");
  await world.product.as(line.admin).post(`/whatsappsession/${line.connectionId}`);
  const ticket = await line.ticketOf("5511988880002");
  expect(ticket.lastMessage).toBe("Bom dia");
  await eventually(async () => expect(await deliveriesOf(world, line)).toEqual([]));
});

test("deliveries for other numbers of the account are ignored", async () => {
  const line = await world.newLine();
  const foreign = { ...line.account, phoneNumberId: "999" };
  const strange = delivery(foreign, {
    messages: [textMessage({ phone: "5511988880003" }, "Para outro")],
  });
  expect(await deliver(line.webhookUrl, line.account, strange)).toBe(200);
  await line.writes({ phone: "5511988880004" }, "Para nós");
  await line.ticketOf("5511988880004");
  const { body: list } = await world.product
    .as(line.admin)
    .get<{ count: number }>("/tickets?status=pending&showAll=true");
  expect(list.count).toBe(1);
});

test("a deleted connection's address belongs to no connection", async () => {
  const line = await world.newLine({ wanted: false });
  expect(await deliver(line.webhookUrl, line.account, body(line.account))).toBe(200);
  const removed = await world.product.as(line.admin).delete(`/whatsapp/${line.connectionId}`);
  expect(removed.status).toBe(200);
  expect(await deliver(line.webhookUrl, line.account, body(line.account))).toBe(404);
  const ask = "hub.mode=subscribe&hub.challenge=1";
  const question = `${line.webhookUrl}?${ask}&hub.verify_token=${line.account.verifyToken}`;
  expect((await fetch(question)).status).toBe(404);
  expect(await deliveriesOf(world, line)).toEqual([]);
});

test("an address that sends nothing genuine is soon refused before a key is looked up; one that did goes on", async () => {
  // Its own product: this machine is the address of every test, and what they sent would count.
  const { product, newLine } = await cloudWorld();
  const line = await newLine({ wanted: false });
  const signed = () => deliver(line.webhookUrl, line.account, body(line.account));
  expect(await signed()).toBe(200);
  const nowhere = line.webhookUrl.replace(/[^/]+$/, "11111111-2222-4333-8444-555555555555");
  const lookUps = () => product.statements.take().filter((text) => text.includes("webhook_key"));
  lookUps();
  // All at once, long before they would be forgotten.
  const statuses = await Promise.all(
    Array.from({ length: 80 }, () => deliver(nowhere, line.account, "{}")),
  );
  // Sixty with the one above.
  const count = (status: number) => statuses.filter((one) => one === status).length;
  expect([count(404), count(429)]).toEqual([59, 21]);
  expect(lookUps()).toHaveLength(59);
  // A request that cannot be genuine, or is too large, causes no lookup.
  const unsigned = { signature: "sha256=abcd" };
  expect(await deliver(line.webhookUrl, line.account, "{}", unsigned)).toBe(401);
  expect(await deliver(line.webhookUrl, line.account, "x".repeat(5 * 1024 * 1024))).toBe(413);
  expect(lookUps()).toEqual([]);
  expect(await signed()).toBe(200);
});
