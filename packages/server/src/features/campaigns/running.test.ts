import type { CampaignId, CampaignLine } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { Line } from "../schedules/testing/line.ts";
import {
  answer,
  goOn,
  newMembers,
  offlineLine,
  planned,
  query,
  recipients,
  setSettings,
  statusOf,
  tally,
} from "./testing/running.ts";

let app: TestApp;
beforeAll(async () => {
  // Nothing works by itself: the test takes the steps and says what the network answers.
  app = await testApp({ environment: { ROLES: "http" } });
});

const restrict = (line: Line) => answer(app, line, { failedCode: "ERR_WAPP_ACCOUNT_RESTRICTED" });
const holdOf = async (line: Line, id: CampaignId) => {
  const api = app.as(line.admin);
  return (await api.get<{ hold: { reason: string } | null }>(`/campaigns/${id}`)).body.hold;
};

test("a changed limit lets the campaigns of the connection go on at once, and the open pages hear of it", async () => {
  const line = await offlineLine(app);
  await setSettings(app, line, { limitsByDay: true });
  const api = app.as(line.admin);
  const path = `/campaign-lines/${line.connectionId}`;
  await api.put(path, { fixedLimit: 1 });
  const id = await planned(app, line, { members: newMembers(2) });
  await goOn(app);
  await answer(app, line, { ack: 2 });
  expect(await tally(app, id)).toEqual({ sent: 1, waiting: 1 });
  expect(await holdOf(line, id)).toMatchObject({ reason: "limit" });
  const live = await app.live(line.admin);
  const changed = await api.put<CampaignLine>(path, { fixedLimit: 10 });
  const heard = await live.next(companyEvent(line.company.id, "campaignLine"));
  expect(heard).toEqual({ action: "update", record: changed.body });
  await app.app.runDueCampaigns();
  expect(await tally(app, id)).toEqual({ sent: 1, sending: 1 });
});

test("what begins to hold a campaign, and what ends it, is told", async () => {
  const line = await offlineLine(app);
  await setSettings(app, line, { limitsByDay: true });
  await app.as(line.admin).put(`/campaign-lines/${line.connectionId}`, { fixedLimit: 1 });
  const id = await planned(app, line, { members: newMembers(2) });
  await goOn(app);
  const live = await app.live(line.admin);
  await answer(app, line, { ack: 2 });
  const heard = await live.next(companyEvent(line.company.id, "campaign"));
  expect(heard).toMatchObject({ record: { id, hold: { reason: "limit" } } });
});

test("a restricted connection goes on when a person says so, not when a planned campaign is due", async () => {
  const line = await offlineLine(app);
  const first = await planned(app, line, { members: newMembers(4) });
  await goOn(app);
  await restrict(line);
  await restrict(line);
  expect(await holdOf(line, first)).toMatchObject({ reason: "restricted" });
  const second = await planned(app, line, { members: newMembers(1) });
  await goOn(app);
  expect(await statusOf(app, second)).toBe("EM_ANDAMENTO");
  expect(await tally(app, second)).toEqual({ waiting: 1 });
  expect(await holdOf(line, second)).toMatchObject({ reason: "restricted" });
  const path = `/campaign-lines/${line.connectionId}`;
  await app.as(line.admin).put(path, { fixedLimit: 50 });
  await goOn(app);
  expect(await tally(app, second)).toEqual({ waiting: 1 });
  await app.as(line.admin).put(path, { isRestrictionOver: true });
  await goOn(app);
  expect(await holdOf(line, second)).toBeNull();
  expect([await tally(app, first), await tally(app, second)]).toContainEqual({ sending: 1 });
});

test("a restriction outlasts the campaign in which it was found", async () => {
  const line = await offlineLine(app);
  const first = await planned(app, line, { members: newMembers(2) });
  await goOn(app);
  await restrict(line);
  await restrict(line);
  expect(await statusOf(app, first)).toBe("FINALIZADA");
  const second = await planned(app, line, { members: newMembers(1) });
  await goOn(app);
  expect(await holdOf(line, second)).toMatchObject({ reason: "restricted" });
  expect(await tally(app, second)).toEqual({ waiting: 1 });
});

test("a person who starts another campaign on a restricted connection has it go on", async () => {
  const line = await offlineLine(app);
  const first = await planned(app, line, { members: newMembers(3) });
  await goOn(app);
  await restrict(line);
  await restrict(line);
  const scheduledAt = new Date(app.clock.now().getTime() + 7_200_000);
  const second = await planned(app, line, { members: newMembers(1), scheduledAt });
  expect((await app.as(line.admin).post(`/campaigns/${second}/start`)).status).toBe(204);
  await goOn(app);
  await answer(app, line, { ack: 2 });
  await answer(app, line, { ack: 2 });
  expect(await tally(app, first)).toMatchObject({ sent: 1 });
  expect(await tally(app, second)).toEqual({ sent: 1 });
});

test("a clock that is set back sends nothing earlier and nothing twice", async () => {
  const line = await offlineLine(app);
  await setSettings(app, line, { messageInterval: 600, longerIntervalAfter: 0, varies: false });
  const id = await planned(app, line, { members: newMembers(3) });
  await goOn(app);
  await answer(app, line, { ack: 2 });
  expect(await tally(app, id)).toEqual({ sent: 1, waiting: 2 });
  // The former gap counts from now at the latest: it is never shorter, and never as long as the clock is behind.
  app.clock.advance(-7_200_000);
  await goOn(app, 500_000);
  expect(await tally(app, id)).toEqual({ sent: 1, waiting: 2 });
  await goOn(app, 600_000);
  expect(await tally(app, id)).toEqual({ sent: 1, sending: 1, waiting: 1 });
  app.clock.advance(-7_200_000);
  await goOn(app);
  expect(await tally(app, id)).toEqual({ sent: 1, sending: 1, waiting: 1 });
  await answer(app, line, { ack: 2 });
  await goOn(app, 1_300_000);
  await answer(app, line, { ack: 2 });
  expect(await tally(app, id)).toEqual({ sent: 3 });
  const sent = await query(app, sql`select 1 from messages where campaign_id = ${id}`);
  expect(sent).toHaveLength(3);
});

test("contacts that are merged while it runs get their message once, in the ticket that stays", async () => {
  const line = await offlineLine(app);
  const api = app.as(line.admin);
  const known = await app.given.ticket({ ...line, status: "closed", contactName: "Ana" });
  const other = await app.given.ticket({ ...line, status: "closed", contactName: "Ana Silva" });
  const members = [
    { name: "Ana", phone: known.phone },
    { name: "Ana Silva", phone: other.phone },
  ];
  const id = await planned(app, line, { members });
  await goOn(app);
  await answer(app, line, { ack: 2 });
  expect(await tally(app, id)).toEqual({ sent: 1, sending: 1 });
  const shown = async (contactId: number) =>
    (await api.get<{ updatedAt: string }>(`/contacts/${contactId}`)).body;
  const merged = await api.post(`/contacts/${known.contactId}/merge`, {
    otherId: other.contactId,
    updatedAt: (await shown(known.contactId)).updatedAt,
    otherUpdatedAt: (await shown(other.contactId)).updatedAt,
  });
  expect(merged.status, JSON.stringify(merged.body)).toBe(200);
  await answer(app, line, { ack: 3 });
  expect(await tally(app, id)).toMatchObject({ delivered: 1, sent: 1 });
  expect(await statusOf(app, id)).toBe("FINALIZADA");
  const [of] = await query<{ contacts: number; messages: number }>(
    app,
    sql`select count(distinct contact_id)::int as contacts, (
        select count(*)::int from messages where campaign_id = ${id}) as messages
      from campaign_recipients where campaign_id = ${id}`,
  );
  expect(of).toEqual({ contacts: 1, messages: 2 });
});

test("two people who cancel and restart at once do it once, and everybody gets one message", async () => {
  const line = await offlineLine(app);
  const other = await app.given.admin({ company: line.company });
  const id = await planned(app, line, { members: newMembers(2) });
  await goOn(app);
  const both = async (action: string): Promise<number[]> => {
    const replies = [line.admin, other].map((user) =>
      app.as(user).post(`/campaigns/${id}/${action}`),
    );
    return (await Promise.all(replies)).map(({ status }) => status);
  };
  expect(await both("cancel")).toEqual([204, 204]);
  const runOf = async () =>
    (await query<{ run: number }>(app, sql`select run from campaigns where id = ${id}`))[0]?.run;
  const before = (await runOf()) ?? 0;
  expect(await both("restart")).toEqual([204, 204]);
  expect(await runOf()).toBe(before + 1);
  // One stops it while the other has it go on: it is one or the other, and nobody is lost.
  const mixed = await Promise.all([
    app.as(line.admin).post(`/campaigns/${id}/cancel`),
    app.as(other).post(`/campaigns/${id}/restart`),
  ]);
  expect(mixed.map(({ status }) => status)).toEqual([204, 204]);
  await app.as(other).post(`/campaigns/${id}/restart`);
  await goOn(app);
  for (let place = 0; place < 2; place += 1) await answer(app, line, { ack: 2 });
  expect(await tally(app, id)).toEqual({ sent: 2 });
  expect((await recipients(app, id)).map(({ attempts }) => attempts)).toEqual([1, 1]);
  const sent = await query(app, sql`select 1 from messages where campaign_id = ${id}`);
  expect(sent).toHaveLength(2);
});
