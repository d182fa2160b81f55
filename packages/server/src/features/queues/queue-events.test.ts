import type { Connection, Queue } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenCompany, GivenUser } from "../../testing/given.ts";

let app: TestApp;
let company: GivenCompany;
let admin: GivenUser;

beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
  company = await app.given.company({ plan: { queues: 100 } });
  admin = await app.given.admin({ company });
});

async function listeners(queueIds: Queue["id"][] = []) {
  const agent = await app.given.agent({ company, queueIds });
  const foreigner = await app.given.admin({ company: await app.given.company() });
  const [ear, outside] = [await app.live(agent), await app.live(foreigner)];
  // Marks the user as online.
  await ear.next(companyEvent(company.id, "user"));
  const start = ear.heard.length;
  const about = (subject: "queue" | "user" | "whatsapp") =>
    ear.heard
      .slice(start)
      .filter(({ name }) => name === companyEvent(company.id, subject))
      .map(({ payload }) => payload);
  return { agent, outside, about };
}

test("a new, a changed and a deleted queue are published to the whole company, and to no other", async () => {
  const { about, outside } = await listeners();
  const { body: made } = await app
    .as(admin)
    .post<Queue>("/queue", { name: "Nova", color: "#0000f0" });
  const { body: changed } = await app
    .as(admin)
    .put<Queue>(`/queue/${made.id}`, { outOfHoursMessage: "Fechado" });
  await app.as(admin).delete(`/queue/${made.id}`);
  await expect
    .poll(() => about("queue"))
    .toEqual([
      { action: "update", queue: made },
      { action: "update", queue: changed },
      { action: "delete", queueId: made.id },
    ]);
  expect(outside.heard.filter(({ name }) => name.endsWith("-queue"))).toEqual([]);
});

test("users and connections of a queue are published again when its name changes, and only then", async () => {
  const id = await app.given.queue({ company });
  const connectionId = await app.given.connection({ company, queueIds: [id], linked: false });
  const { agent, about } = await listeners([id]);
  await app.as(admin).put(`/queue/${id}`, { outOfHoursMessage: "Fechado" });
  await app.as(admin).put(`/queue/${id}`, { name: "Outro nome" });
  const named = [expect.objectContaining({ id, name: "Outro nome" })];
  await expect
    .poll(() => about("user"))
    .toEqual([
      { action: "update", user: expect.objectContaining({ id: agent.id, queues: named }) },
    ]);
  await expect
    .poll(() => about("whatsapp"))
    .toEqual([
      { action: "update", whatsapp: expect.objectContaining({ id: connectionId, queues: named }) },
    ]);
});

test("a deleted queue is taken from people and connections", async () => {
  const kept = await app.given.queue({ company });
  const id = await app.given.queue({ company });
  const connectionId = await app.given.connection({
    company,
    queueIds: [kept, id],
    linked: false,
  });
  await app.as(admin).put(`/whatsapp/${connectionId}`, {
    greetingMessage: "Escolha",
    transferQueueId: id,
  });
  const { agent, about } = await listeners([kept, id]);
  expect(await app.as(admin).delete(`/queue/${id}`)).toMatchObject({
    status: 200,
    body: undefined,
  });

  const left = [expect.objectContaining({ id: kept })];
  await expect
    .poll(() => about("user"))
    .toEqual([{ action: "update", user: expect.objectContaining({ id: agent.id, queues: left }) }]);
  await expect
    .poll(() => about("whatsapp").at(-1))
    .toMatchObject({
      whatsapp: { id: connectionId, queues: left, transferQueueId: null },
    });
  const { body } = await app.as(admin).get<Connection>(`/whatsapp/${connectionId}`);
  expect(body).toMatchObject({ queues: left, transferQueueId: null });
});
