import type { CampaignId, MessageId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test, vi } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import { testDatabase } from "../../testing/database.ts";
import { arrived, createLine, patience, schedulingApp } from "../schedules/testing/line.ts";
import { afterFailure } from "./outcomes.ts";
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

const first = async (id: CampaignId) => (await recipients(app, id))[0];

test("a failure that may pass is tried three times in all", async () => {
  const line = await offlineLine(app);
  const id = await planned(app, line, { members: newMembers(1) });
  await goOn(app);
  for (const attempts of [1, 2, 3]) {
    expect(await first(id)).toMatchObject({ status: "sending", attempts });
    await answer(app, line, { failedCode: "ERR_SENDING_WAPP_MSG" });
  }
  expect(await first(id)).toMatchObject({ status: "failed", errorCode: "ERR_SENDING_WAPP_MSG" });
  expect(await statusOf(app, id)).toBe("FINALIZADA");
});

test("what may have arrived is never sent again", async () => {
  const line = await offlineLine(app);
  const id = await planned(app, line, { members: newMembers(1) });
  await goOn(app);
  await answer(app, line, { failedCode: "ERR_MESSAGE_UNCONFIRMED" });
  expect(await first(id)).toMatchObject({ status: "failed", attempts: 1 });
  expect(await statusOf(app, id)).toBe("FINALIZADA");
});

test("two refusals for restriction stop the connection until a person starts again", async () => {
  const line = await offlineLine(app);
  const id = await planned(app, line, { members: newMembers(4) });
  await goOn(app);
  await answer(app, line, { failedCode: "ERR_WAPP_ACCOUNT_RESTRICTED" });
  expect(await tally(app, id)).toEqual({ failed: 1, sending: 1, waiting: 2 });
  await answer(app, line, { failedCode: "ERR_WAPP_ACCOUNT_RESTRICTED" });
  expect(await tally(app, id)).toEqual({ failed: 2, waiting: 2 });
  await goOn(app, 86_400_000);
  expect(await tally(app, id)).toEqual({ failed: 2, waiting: 2 });
  const admin = { ...line.admin, token: await app.given.token(line.admin) };
  const shown = await app.as(admin).get<{ hold: { reason: string } }>(`/campaigns/${id}`);
  expect(shown.body.hold).toMatchObject({ reason: "restricted" });
  expect((await app.as(admin).post(`/campaigns/${id}/cancel`)).status).toBe(204);
  expect((await app.as(admin).post(`/campaigns/${id}/restart`)).status).toBe(204);
  await goOn(app);
  expect(await tally(app, id)).toEqual({ failed: 2, sending: 1, waiting: 1 });
});

test("cancelling pulls back what has not left, and going on sends it once", async () => {
  const line = await offlineLine(app);
  const id = await planned(app, line, { members: newMembers(2) });
  await goOn(app);
  expect(await tally(app, id)).toEqual({ sending: 1, waiting: 1 });
  const admin = { ...line.admin, token: await app.given.token(line.admin) };
  for (let press = 0; press < 2; press += 1) {
    expect((await app.as(admin).post(`/campaigns/${id}/cancel`)).status).toBe(204);
  }
  expect(await tally(app, id)).toEqual({ waiting: 2 });
  const queued = await query(app, sql`select 1 from messages where campaign_id = ${id}`);
  expect(queued).toEqual([]);
  await goOn(app);
  expect(await tally(app, id)).toEqual({ waiting: 2 });
  for (let press = 0; press < 2; press += 1) {
    expect((await app.as(admin).post(`/campaigns/${id}/restart`)).status).toBe(204);
  }
  await goOn(app);
  expect(await tally(app, id)).toEqual({ sending: 1, waiting: 1 });
});

test("a message that is on its way is not pulled back", async () => {
  const line = await offlineLine(app);
  const id = await planned(app, line, { members: newMembers(2) });
  await goOn(app);
  await query(
    app,
    sql`update outbound set state = 'sending', attempted_at = now() where company_id = ${line.company.id}`,
  );
  const admin = { ...line.admin, token: await app.given.token(line.admin) };
  await app.as(admin).post(`/campaigns/${id}/cancel`);
  expect(await tally(app, id)).toEqual({ sending: 1, waiting: 1 });
  await answer(app, line, { ack: 3 });
  expect(await tally(app, id)).toEqual({ delivered: 1, waiting: 1 });
});

test("a deleted connection leaves its people waiting, and nothing is sent twice", async () => {
  const line = await offlineLine(app);
  const id = await planned(app, line, { members: newMembers(2) });
  await goOn(app);
  const admin = { ...line.admin, token: await app.given.token(line.admin) };
  const removed = await app.as(admin).delete(`/whatsapp/${line.connectionId}`);
  expect([removed.status, removed.body]).toEqual([200, expect.anything()]);
  expect(await tally(app, id)).toEqual({ waiting: 2 });
  const shown = await app.as(admin).get<{ hold: { reason: string } }>(`/campaigns/${id}`);
  expect(shown.body.hold).toMatchObject({ reason: "noConnection" });
});

test("Meta's answers about template and number stop the campaign, about the person they end it for them", () => {
  const sending = { status: "sending", attempts: 1 } as const;
  const after = (code: string) =>
    afterFailure(sending, {
      ...{ messageId: "m" as MessageId, ack: 0, failedCode: "ERR_SENDING_WAPP_MSG" },
      failure: { kind: "bad-request", code },
    });
  expect(after("131050")).toEqual({ status: "optedOut" });
  expect(after("131049")).toEqual({ status: "failed", errorCode: "131049" });
  expect(after("131048")).toMatchObject({ status: "waiting", restriction: "complaints" });
  for (const code of ["132015", "132016"]) {
    expect(after(code)).toEqual({ status: "waiting", hold: "template", isUncounted: true });
  }
  expect(after("131026")).toMatchObject({ status: "failed" });
  expect(after("131056")).toMatchObject({ pauseMs: 6_000 });
  expect(after("130429")).toMatchObject({ pauseMs: 60_000 });
});

test("two processes send a campaign together, each message once", async () => {
  const database = await testDatabase();
  const left = await schedulingApp({ database, distributed: true });
  const right = await schedulingApp({ database, distributed: true });
  const line = await createLine(left);
  await setSettings(left, line, { messageInterval: 0, greaterInterval: 0 });
  const members = newMembers(12);
  const id = await planned(left, line, { members });
  await vi.waitFor(
    async () => {
      for (const one of [left, right]) one.clock.advance(1_000);
      await untilCampaignNow(left, id);
    },
    { ...patience, interval: 50 },
  );
  const admin = { ...line.admin, token: await left.given.token(line.admin) };
  for (const { phone } of members) {
    expect(await arrived(left, { ...line, admin }, phone)).toHaveLength(1);
  }
});

const untilCampaignNow = async (one: TestApp, id: CampaignId) =>
  expect(await statusOf(one, id)).toBe("FINALIZADA");
