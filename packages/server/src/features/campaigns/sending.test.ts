import { sql } from "drizzle-orm";
import { beforeAll, expect, test, vi } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import {
  arrived,
  createLine,
  newCustomer,
  patience,
  schedulingApp,
  setNetwork,
} from "../schedules/testing/line.ts";
import type { StoredRecipient } from "./testing/running.ts";
import {
  newMember,
  newMembers,
  planned,
  query,
  recipients,
  setSettings,
  statusOf,
  tally,
  untilCampaign,
} from "./testing/running.ts";

let app: TestApp;
beforeAll(async () => {
  app = await schedulingApp();
});

const quick = { messageInterval: 0, greaterInterval: 0 };
/** Time goes on for the sender, quicker than it does for the channel. */
async function quickly<T>(work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => app.clock.advance(1_000), 40);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

const isWithNetwork = ({ status }: StoredRecipient): boolean =>
  ["sent", "delivered", "read"].includes(status);

test("a planned campaign starts when it is due, sends each person their text, and is over", async () => {
  const line = await createLine(app);
  await setSettings(app, line, quick);
  const [ana, bia, caio] = [newMember("Ana"), newMember("Bia"), newMember("Caio {nome}")];
  const messages = ["Oi {nome}", "Olá {nome}"];
  const id = await planned(app, line, { members: [ana, bia, caio], messages });
  await quickly(() => untilCampaign(app, id, "FINALIZADA"));
  expect(await arrived(app, line, ana.phone)).toMatchObject([{ body: "\u200c Oi Ana" }]);
  expect(await arrived(app, line, bia.phone)).toMatchObject([{ body: "\u200c Olá Bia" }]);
  expect(await arrived(app, line, caio.phone)).toMatchObject([{ body: "\u200c Oi Caio {nome}" }]);
});

test("a campaign in the future does not start", async () => {
  const line = await createLine(app);
  const scheduledAt = new Date(app.clock.now().getTime() + 3_600_000);
  const id = await planned(app, line, { members: newMembers(1), scheduledAt });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await statusOf(app, id)).toBe("PROGRAMADA");
});

test("its messages are stored in closed tickets, and leave waiting ones as they are", async () => {
  const line = await createLine(app);
  await setSettings(app, line, quick);
  const stranger = newMember("Dora");
  const waiting = await app.given.ticket({ ...line, status: "pending" });
  const known = { name: "Eva", phone: waiting.phone };
  const id = await planned(app, line, { members: [stranger, known] });
  await quickly(() => untilCampaign(app, id, "FINALIZADA"));
  const tickets = await query<{ name: string; status: string }>(
    app,
    sql`select r.name, t.status from campaign_recipients r join tickets t on t.id = r.ticket_id
      where r.campaign_id = ${id} order by r.position`,
  );
  expect(tickets).toEqual([
    { name: "Dora", status: "closed" },
    { name: "Eva", status: "pending" },
  ]);
});

test("who opted out, or was taken off the list, before their turn gets nothing", async () => {
  const line = await createLine(app);
  await setSettings(app, line, { ...quick, messageInterval: 3_600 });
  const out = await newCustomer(app, line, "Bruno");
  const members = [newMember("Ana"), { name: "Bruno", phone: out.phone }, newMember("Caio")];
  const id = await planned(app, line, { members });
  await vi.waitFor(
    async () => expect(await tally(app, id)).toMatchObject({ waiting: 2 }),
    patience,
  );
  await query(
    app,
    sql`update contacts set opted_out_at = now(), opt_out_source = 'person' where id = ${out.contactId}`,
  );
  await query(
    app,
    sql`delete from contact_list_items where company_id = ${line.company.id} and name = 'Caio'`,
  );
  app.clock.advance(3_700_000);
  await untilCampaign(app, id, "FINALIZADA");
  const found = (await recipients(app, id)).map(({ name, status }) => [name, status]);
  expect(found.slice(1)).toEqual([
    ["Bruno", "optedOut"],
    ["Caio", "removed"],
  ]);
});

test("numbers that were not looked up are, and those that the network does not know are done", async () => {
  const line = await createLine(app);
  await setSettings(app, line, quick);
  const [known, unknown] = [newMember("Ana"), { name: "Zoe", phone: "5511900000000" }];
  const id = await planned(app, line, { members: [known, unknown], isChecked: false });
  await quickly(() => untilCampaign(app, id, "FINALIZADA"));
  expect(await tally(app, id)).toMatchObject({ invalid: 1 });
  expect(await arrived(app, line, known.phone)).toHaveLength(1);
});

test("the gap counts from the last outcome, for all campaigns of a connection", async () => {
  const line = await createLine(app);
  await setSettings(app, line, { ...quick, messageInterval: 600 });
  const first = await planned(app, line, { members: newMembers(2) });
  const second = await planned(app, line, { members: newMembers(1) });
  const sent = async () =>
    (await Promise.all([recipients(app, first), recipients(app, second)]))
      .flat()
      .filter(isWithNetwork).length;
  await vi.waitFor(async () => expect(await sent()).toBe(1), patience);
  app.clock.advance(590_000);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await sent()).toBe(1);
  app.clock.advance(20_000);
  await vi.waitFor(async () => expect(await sent()).toBe(2), patience);
  // The other campaign had its turn.
  await untilCampaign(app, second, "FINALIZADA");
});

test("while the connection is down nothing is lost, and it goes on", async () => {
  const line = await createLine(app);
  await setSettings(app, line, quick);
  await setNetwork(app, line, { online: false });
  const members = newMembers(3);
  const id = await planned(app, line, { members });
  await new Promise((resolve) => setTimeout(resolve, 300));
  await setNetwork(app, line, { online: true });
  await quickly(() => untilCampaign(app, id, "FINALIZADA"));
  for (const { phone } of members) expect(await arrived(app, line, phone)).toHaveLength(1);
});

test("without campaigns in the plan nothing is sent, until they are back", async () => {
  const line = await createLine(app);
  await setSettings(app, line, { ...quick, messageInterval: 60 });
  const id = await planned(app, line, { members: newMembers(2) });
  await vi.waitFor(
    async () => expect((await recipients(app, id)).filter(isWithNetwork)).toHaveLength(1),
    patience,
  );
  const setPlan = (has: boolean) =>
    query(
      app,
      sql`update plans set use_campaigns = ${has} where id = (select plan_id from companies where id = ${line.company.id})`,
    );
  await setPlan(false);
  app.clock.advance(120_000);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await tally(app, id)).toMatchObject({ waiting: 1 });
  await setPlan(true);
  app.clock.advance(20_000);
  await untilCampaign(app, id, "FINALIZADA");
});
