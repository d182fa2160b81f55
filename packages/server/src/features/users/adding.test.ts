import type { SessionUser } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { expect, test } from "vitest";
import { testApp } from "../../testing/app.ts";
import { createPeople, newPerson, signIn } from "./testing/people.ts";

const product = await testApp({ environment: { ROLES: "http" } });
const { given, as, live } = product;

test("a new user has the given fields, can sign in, and is published to the company", async () => {
  const { company, queueId, ana, admin, create } = await createPeople(product);
  const [colleague, boss] = [await live(ana), await live(admin)];
  const connectionId = await given.connection({ company, linked: false });
  const { status, body } = await create({
    name: "  Caio Lima ",
    email: `CAIO.${company.id}@Empresa.Example`,
    password: "segredo-456",
    profile: "supervisor",
    allTicket: "enabled",
    whatsappId: connectionId,
    queueIds: [queueId, queueId],
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    name: "Caio Lima",
    email: `caio.${company.id}@empresa.example`,
    profile: "supervisor",
    companyId: company.id,
    super: false,
    allTicket: "enabled",
    whatsappId: connectionId,
    queues: [{ id: queueId, name: "Vendas", UserQueue: { userId: body.id, queueId } }],
  });
  expect(body.company).not.toHaveProperty("settings");
  expect((await signIn(product, body.email, "segredo-456")).status).toBe(200);
  // As in the list of colleagues, the address to sign in with is for admins.
  const told = (user: object) => ({
    name: companyEvent(company.id, "user"),
    payload: { action: "create", user },
  });
  await expect.poll(() => boss.heard).toContainEqual(told(body));
  await expect.poll(() => colleague.heard).toContainEqual(told({ ...body, email: "" }));
  expect(JSON.stringify(colleague.heard)).not.toContain(body.email);
});

test("a user created with name, e-mail and password only is an agent without queues", async () => {
  const { create } = await createPeople(product);
  expect((await create(newPerson({ whatsappId: "" }))).body).toMatchObject({
    profile: "user",
    allTicket: "desabled",
    whatsappId: null,
    queues: [],
  });
});

test.each([
  ["enable", "enabled"],
  ["disabled", "desabled"],
])("allTicket %s of other clients is stored as %s", async (given, stored) => {
  const { create, admin } = await createPeople(product);
  const { body } = await create(newPerson({ allTicket: given }));
  expect(body.allTicket).toBe(stored);
  const other = stored === "enabled" ? "desabled" : "enabled";
  await as(admin).put(`/users/${body.id}`, { allTicket: other });
  expect(await as(admin).put(`/users/${body.id}`, { allTicket: given })).toMatchObject({
    body: { allTicket: stored },
  });
});

test("the plan's limit refuses further users with its number, also ten concurrent creates", async () => {
  const { create, names } = await createPeople(product, { users: 7 });
  const replies = await Promise.all(Array.from({ length: 10 }, () => create(newPerson())));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(await names()).toHaveLength(7);
  expect(replies.find(({ status }) => status !== 200)).toMatchObject({
    status: 400,
    body: { error: "Número máximo de usuários já alcançado: 7", code: "ERR_USER_LIMIT_REACHED" },
  });
});

test("an e-mail is unique in the installation, whatever its case; of ten concurrent creates one succeeds", async () => {
  const [left, right] = [await createPeople(product), await createPeople(product)];
  const refusal = {
    status: 400,
    body: { error: "An user with this email already exists.", code: "ERR_USER_EMAIL_EXISTS" },
  };
  const taken = newPerson({ email: left.ana.email.toUpperCase() });
  expect(await right.create(taken)).toMatchObject(refusal);
  const wish = newPerson();
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, index) => (index % 2 ? left : right).create(wish)),
  );
  expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
  expect(replies.find((reply) => reply.status !== 200)).toMatchObject(refusal);
});

test.each([
  ["name", { name: "C" }],
  ["name", { name: "C".repeat(51) }],
  ["email", { email: "caio" }],
  ["password", { password: "1234" }],
  ["password", { password: "1".repeat(51) }],
  ["profile", { profile: "super" }],
  ["allTicket", { allTicket: "sim" }],
])("a wrong %s is refused, and nobody is added: %j", async (_, fields) => {
  const { create, names } = await createPeople(product);
  const before = await names();
  const reply = await create(newPerson(fields));
  expect(reply).toMatchObject({ status: 400, body: { code: "ERR_INVALID_REQUEST" } });
  expect(await names()).toEqual(before);
});

test("queues and connections of another company are not found", async () => {
  const [own, other] = [await createPeople(product), await createPeople(product)];
  const whatsappId = await given.connection({ company: other.company, linked: false });
  expect(await own.create(newPerson({ queueIds: [other.queueId] }))).toMatchObject({
    status: 404,
    body: { code: "ERR_QUEUE_NOT_FOUND" },
  });
  expect(await own.create(newPerson({ whatsappId }))).toMatchObject({
    status: 404,
    body: { code: "ERR_NO_WAPP_FOUND" },
  });
});

test("only super users add people to another company", async () => {
  const [own, other] = [await createPeople(product), await createPeople(product)];
  const companyId = other.company.id;
  expect(await own.create(newPerson({ companyId }))).toMatchObject({
    status: 403,
    body: { code: "ERR_NO_SUPER" },
  });
  expect((await own.create(newPerson({ companyId: own.company.id }))).status).toBe(200);
  const boss = await given.admin({ company: own.company, super: true });
  const reply = await as(boss).post<SessionUser>("/users", newPerson({ companyId }));
  expect(reply.body.companyId).toBe(companyId);
  expect(await other.names()).toContain("Caio");
  const nowhere = newPerson({ companyId: 2_000_000_000 });
  expect(await as(boss).post("/users", nowhere)).toMatchObject({
    status: 404,
    body: { code: "ERR_NO_COMPANY_FOUND" },
  });
});

test("agents and supervisors cannot add users", async () => {
  const { company, ana, names } = await createPeople(product);
  const before = await names();
  const supervisor = await given.supervisor({ company });
  for (const user of [ana, supervisor]) {
    const reply = await as(user).post("/users", newPerson());
    expect(reply).toMatchObject({ status: 403, body: { code: "ERR_NO_PERMISSION" } });
  }
  expect(await names()).toEqual([...before, supervisor.name]);
});
