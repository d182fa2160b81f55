import type { Queue } from "@balcao/contract";
import { defaultSchedules, schedulesOrDefault } from "@balcao/contract";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenCompany, GivenUser } from "../../testing/given.ts";

let app: TestApp;
let company: GivenCompany;
let admin: GivenUser;
let agent: GivenUser;
let stranger: GivenUser;

beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
  company = await app.given.company({ plan: { queues: 100 } });
  admin = await app.given.admin({ company });
  agent = await app.given.agent({ company });
  stranger = await app.given.admin({ company: await app.given.company() });
});

const refused = (code: string, status = 400) => ({ status, body: { code } });
const notFound = refused("ERR_QUEUE_NOT_FOUND", 404);

async function created(body: Record<string, unknown>, by = admin): Promise<Queue> {
  const reply = await app.as(by).post<Queue>("/queue", body);
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return reply.body;
}

test("an admin makes a queue with its name and colour; hours, texts and place have their defaults", async () => {
  const made = await created({
    name: "  Vendas ",
    color: "#2F8F6B",
    integrationId: "",
    promptId: null,
  });
  expect(made).toEqual({
    ...{ id: expect.any(Number), companyId: company.id, name: "Vendas", color: "#2f8f6b" },
    ...{ greetingMessage: "", outOfHoursMessage: "", orderQueue: null },
    assignment: "manual",
    ...{ integrationId: null, promptId: null, mediaPath: null, mediaName: null, mediaMime: null },
    ...{ firstAnswerMinutes: null, nextAnswerMinutes: null },
    schedules: schedulesOrDefault([]),
    hasChatbotDraft: false,
    createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    updatedAt: expect.any(String),
  });
  expect(await app.as(agent).get(`/queue/${made.id}`)).toMatchObject({ status: 200, body: made });
});

test("targets for answers are from one minute to a day, or empty", async () => {
  const { id } = await created({ name: "Metas", color: "#123123", firstAnswerMinutes: "30" });
  const change = (body: object) => app.as(admin).put<Queue>(`/queue/${id}`, body);
  expect((await change({ nextAnswerMinutes: 1_440 })).body).toMatchObject({
    ...{ firstAnswerMinutes: 30, nextAnswerMinutes: 1_440 },
  });
  expect((await change({ firstAnswerMinutes: "", nextAnswerMinutes: null })).body).toMatchObject({
    ...{ firstAnswerMinutes: null, nextAnswerMinutes: null },
  });
  for (const firstAnswerMinutes of [0, -1, 1.5, 1_441, "dez"]) {
    expect(await change({ firstAnswerMinutes })).toMatchObject({ status: 400 });
  }
});

test.each([
  ["#ABCD", "#aabbccdd"],
  ["#AABBCC80", "#aabbcc80"],
  ["Red", "red"],
  ["steelblue", "steelblue"],
])("a colour has 3 to 9 characters: %s is stored as %s", async (given, stored) => {
  expect(await created({ name: `Cor ${stored}`, color: given })).toMatchObject({ color: stored });
});

test("the company's queues come in their order, those without one last, in one statement", async () => {
  const own = await app.given.company({ plan: { queues: 5 } });
  const boss = await app.given.admin({ company: own });
  const unordered = await created({ name: "Sem lugar", color: "#000001" }, boss);
  const second = await created({ name: "Segunda", color: "#000002", orderQueue: "2" }, boss);
  const first = await created({ name: "Primeira", color: "#000003", orderQueue: 1 }, boss);
  app.statements.take();
  const { body } = await app.as(boss).get<Queue[]>("/queue");
  // One for the caller's rights, one for the list.
  expect(app.statements.take()).toHaveLength(2);
  expect(body.map(({ id }) => id)).toEqual([first.id, second.id, unordered.id]);
  expect(body).toEqual([first, second, unordered]);
});

test("hours that were never set are shown as the default", async () => {
  const id = await app.given.queue({ company });
  const { body } = await app.as(agent).get<Queue>(`/queue/${id}`);
  expect(body.schedules).toEqual(schedulesOrDefault([]));
});

test("a change writes what it names and leaves the rest", async () => {
  const { id } = await created({
    name: "Trocas",
    color: "#123",
    greetingMessage: "Oi",
    orderQueue: 4,
  });
  const schedules = defaultSchedules().map((day) => ({ ...day, startTime: "", note: "livre" }));
  const reply = await app.as(admin).put<Queue>(`/queue/${id}`, {
    ...{ outOfHoursMessage: "Voltamos às 8h", orderQueue: "", schedules, companyId: 1, id: 7 },
  });
  expect(reply).toMatchObject({
    status: 201,
    body: {
      ...{ id, companyId: company.id, name: "Trocas", color: "#112233", greetingMessage: "Oi" },
      ...{ outOfHoursMessage: "Voltamos às 8h", orderQueue: null, schedules },
    },
  });
  expect(await app.as(admin).get(`/queue/${id}`)).toMatchObject({ body: reply.body });
});

test.each([[[]], [null]])("hours sent as %j are the default", async (schedules) => {
  const made = await created({ name: "Sem horas", color: "#0d0e0f", schedules });
  expect(made.schedules).toEqual(schedulesOrDefault([]));
  expect((await app.as(admin).delete(`/queue/${made.id}`)).status).toBe(200);
});

test("hours are also sent and shown as two intervals a day; each set of names changes the other", async () => {
  const lunch = { startTimeA: "08:00", endTimeA: "12:00", startTimeB: "13:00", endTimeB: "18:00" };
  const ofTwo = defaultSchedules().map(({ weekday, weekdayEn }) => ({
    weekday,
    weekdayEn,
    ...lunch,
  }));
  const made = await created({ name: "Com almoço", color: "#0c0d0e", schedules: ofTwo });
  expect(made.schedules[6]).toEqual({
    ...{ weekday: "Domingo", weekdayEn: "sunday", ...lunch },
    ...{ startTime: "08:00", endTime: "12:00" },
  });
  const ofOne = made.schedules.map((day) => ({ ...day, startTime: "09:00" }));
  const { body } = await app.as(admin).put<Queue>(`/queue/${made.id}`, { schedules: ofOne });
  expect(body.schedules[0]).toMatchObject({ ...lunch, startTime: "09:00", startTimeA: "09:00" });
});

test.for([
  [{ name: "V" }, "ERR_QUEUE_INVALID_NAME"],
  [{ name: "   V  " }, "ERR_QUEUE_INVALID_NAME"],
  [{ name: "V".repeat(51) }, "ERR_QUEUE_INVALID_NAME"],
  [{ color: "" }, "ERR_QUEUE_INVALID_COLOR"],
  [{ color: "tu" }, "ERR_QUEUE_INVALID_COLOR"],
  [{ color: "aquamarine" }, "ERR_QUEUE_INVALID_COLOR"],
  [{ color: "#12" }, "ERR_QUEUE_INVALID_COLOR"],
  [{ color: "#12345" }, "ERR_QUEUE_INVALID_COLOR"],
  [{ color: "#1234567" }, "ERR_QUEUE_INVALID_COLOR"],
  [{ color: "#12345g" }, "ERR_QUEUE_INVALID_COLOR"],
  [{ schedules: defaultSchedules().slice(1) }, "ERR_INVALID_REQUEST"],
  [
    { schedules: defaultSchedules().map((day) => ({ ...day, endTime: "25:00" })) },
    "ERR_INVALID_REQUEST",
  ],
  [{ orderQueue: -1 }, "ERR_INVALID_REQUEST"],
] as const)("%o is refused with %s, at making and at changing", async ([part, code]) => {
  const { id } = await created({ name: "Recusas", color: "#fedcba" });
  const wish = { name: "Outra", color: "#010203", ...part };
  expect(await app.as(admin).post("/queue", wish)).toMatchObject(refused(code));
  expect(await app.as(admin).put(`/queue/${id}`, part)).toMatchObject(refused(code));
  expect(await app.as(admin).delete(`/queue/${id}`)).toMatchObject({ status: 200 });
});

test("names and colours are unique in the company, also in concurrent requests", async () => {
  const taken = await created({ name: "Única", color: "#AABBCC" });
  const other = await created({ name: "Diferente", color: "#ddeeff" });
  const name = refused("ERR_QUEUE_NAME_ALREADY_EXISTS");
  const color = refused("ERR_QUEUE_COLOR_ALREADY_EXISTS");
  const make = (body: object) => app.as(admin).post("/queue", body);
  expect(await make({ name: "Única", color: "#000100" })).toMatchObject(name);
  // The same colour in its other ways to be written.
  expect(await make({ name: "Azul", color: "#aabbcc" })).toMatchObject(color);
  expect(await make({ name: "Azul", color: "#ABC" })).toMatchObject(color);
  expect(await app.as(admin).put(`/queue/${other.id}`, { name: "Única" })).toMatchObject(name);
  expect(await app.as(admin).put(`/queue/${other.id}`, { color: "#abc" })).toMatchObject(color);
  // Its own ones are no doubles.
  const same = { name: taken.name, color: taken.color };
  expect(await app.as(admin).put(`/queue/${taken.id}`, same)).toMatchObject({ status: 201 });
  // Another company's are no concern of this one's.
  expect(await app.as(stranger).post("/queue", same)).toMatchObject({ status: 200 });

  const rush = await Promise.all(
    Array.from({ length: 6 }, (_, place) => make({ name: "Corrida", color: `#00020${place}` })),
  );
  const statuses = rush.map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 400, 400, 400, 400, 400]);
});

test("the plan limits the number of queues, also in concurrent requests", async () => {
  const small = await app.given.company({ plan: { queues: 2 } });
  const boss = await app.given.admin({ company: small });
  const make = (place: number) =>
    app.as(boss).post("/queue", { name: `Fila ${place}`, color: `#00000${place}` });
  const replies = await Promise.all([1, 2, 3, 4, 5].map(make));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(2);
  const limit = { error: "Número máximo de filas já alcançado: 2", data: { max: 2 } };
  for (const reply of replies.filter(({ status }) => status !== 200)) {
    expect(reply).toMatchObject({
      status: 400,
      body: { code: "ERR_QUEUE_LIMIT_REACHED", ...limit },
    });
  }
});

test("agents read queues and cannot change them; other companies' are not found", async () => {
  const { id } = await created({ name: "Cercada", color: "#0a0b0c" });
  const forbidden = refused("ERR_NO_PERMISSION", 403);
  const body = { name: "Minha", color: "#0a0b0d" };
  expect(await app.as(agent).post("/queue", body)).toMatchObject(forbidden);
  expect(await app.as(agent).put(`/queue/${id}`, body)).toMatchObject(forbidden);
  expect(await app.as(agent).delete(`/queue/${id}`)).toMatchObject(forbidden);
  expect(await app.as(agent).get(`/queue/${id}/use`)).toMatchObject(forbidden);
  expect(await app.as(stranger).get(`/queue/${id}`)).toMatchObject(notFound);
  expect(await app.as(stranger).put(`/queue/${id}`, body)).toMatchObject(notFound);
  expect(await app.as(stranger).delete(`/queue/${id}`)).toMatchObject(notFound);
  expect(await app.as(admin).get(`/queue/${id}`)).toMatchObject({ body: { name: "Cercada" } });
  expect((await app.anonymous.get("/queue")).status).toBe(401);
});
