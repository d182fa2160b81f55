import { expect, test, vi } from "vitest";
import { cloudWorld, hasStatus } from "../../channels/cloud-api/testing/cloud-office.ts";
import { sampleTemplate } from "../../channels/cloud-api/testing/graph-stub.ts";
import { patience } from "../schedules/testing/line.ts";
import { newMember, planned, recipients, setSettings, tally } from "./testing/running.ts";

const world = await cloudWorld({
  scheduleLookMs: 20,
  cloudApiSettings: { templatesMs: 60_000 },
});
const { product: app, stub } = world;

const template = {
  name: sampleTemplate.name,
  language: "pt_BR",
  headerParameters: ["7"],
  bodyParameters: ["{nome}", "amanhã"],
  buttonParameters: ["p7"],
};

/** A line with a template, and Ana, who has just written. */
async function office() {
  const line = await world.newLine();
  stub.templates.set(line.account.businessAccountId, [sampleTemplate]);
  await hasStatus(world, line, "CONNECTED");
  await setSettings(app, line, { messageInterval: 0, greaterInterval: 0 });
  const ana = newMember("Ana");
  await line.writes({ phone: ana.phone }, "Oi", { at: app.clock.now() });
  await line.ticketOf(ana.phone);
  return { line, ana };
}

test("who wrote within the day gets the text instead of the template, where the campaign wants that", async () => {
  const { line, ana } = await office();
  const members = [ana, newMember("Bia")];
  const id = await planned(app, line, { members, template, textInWindow: true });
  await vi.waitFor(async () => {
    app.clock.advance(1_000);
    const people = await recipients(app, id);
    expect(people.map(({ status, errorCode }) => [status, errorCode])).toEqual([
      ["sent", null],
      ["sent", null],
    ]);
  }, patience);
  const sent = await line.sent(2);
  expect(sent.map(({ body }) => [body["to"], body["type"]])).toEqual([
    [ana.phone, "text"],
    [members[1]?.phone, "template"],
  ]);
  expect(sent[0]?.body["text"]).toMatchObject({ body: expect.stringContaining("Oi Ana") });
  expect(JSON.stringify(sent[1]?.body["template"])).toContain('"Bia"');
});

test("a test of a campaign with a template sends the template, filled with the data of a person of the list", async () => {
  const { line, ana } = await office();
  const scheduledAt = new Date(app.clock.now().getTime() + 3_600_000);
  const id = await planned(app, line, { members: [newMember("Caio"), ana], template, scheduledAt });
  const wish = { number: ana.phone, position: 1 };
  const reply = await app.as(line.admin).post(`/campaigns/${id}/test`, wish);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  const [sent] = await line.sent(1);
  expect([sent?.body["to"], sent?.body["type"]]).toEqual([ana.phone, "template"]);
  expect(JSON.stringify(sent?.body["template"])).toContain('"Caio"');
  expect(await tally(app, id)).toEqual({});
});
