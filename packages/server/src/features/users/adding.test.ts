import type { ReplyOf, SessionUser } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
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

test.each([{ password: "" }, { password: undefined }])(
  "a user without a password (%j) gets an invitation in the language of the page, and signs in once the own one is set",
  async (without) => {
    const { create } = await createPeople(product);
    const root = await given.admin({ super: true });
    const person = newPerson(without);
    const { status, body } = await create({ ...person, language: "en" });
    expect(status).toBe(200);
    expect((await signIn(product, body.email, "")).status).not.toBe(200);
    const { mails } = (
      await as(root).get<ReplyOf<"GET /mails">>(`/mails?searchParam=${body.email}`)
    ).body;
    expect(mails).toMatchObject([
      { kind: "invitation", address: body.email, subject: "Your account at Balcão" },
    ]);
    const token = /[A-Z0-9]{4}-[A-Z0-9]{4}/.exec(mails[0]?.text ?? "")?.[0];
    const set = { email: body.email, token, password: "Girafa-lilas-27" };
    expect((await product.anonymous.post("/resetpasswords", set)).status).toBe(200);
    expect((await signIn(product, body.email, set.password)).status).toBe(200);
  },
);

test("a user who cannot be made is not invited, and one with a password is not either", async () => {
  const { create, ana, admin } = await createPeople(product, { users: 5 });
  const root = await given.admin({ super: true });
  const invitations = async (email: string) =>
    (await as(root).get<ReplyOf<"GET /mails">>(`/mails?searchParam=${email}`)).body.count;
  const taken = newPerson({ email: ana.email, password: "" });
  expect((await create(taken)).body.code).toBe("ERR_USER_EMAIL_EXISTS");
  expect(await invitations(ana.email)).toBe(0);
  const known = newPerson();
  expect((await create(known)).status).toBe(200);
  expect(await invitations(known.email)).toBe(0);
  const beyond = newPerson({ password: "" });
  expect((await create(beyond)).body.code).toBe("ERR_USER_LIMIT_REACHED");
  expect(await invitations(beyond.email)).toBe(0);
  expect(admin.email).not.toBe(ana.email);
});

test("a company invites sixty users within an hour", async () => {
  const { company, admin, create, remove } = await createPeople(product, { users: 70 });
  await product.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      insert into mails (company_id, kind, name, address, subject, text, html, state, due_at, created_at)
      select ${company.id}, 'invitation', 'x', 'x@empresa.example', 'x', 'x', 'x', 'held', ${product.clock.now()},
        ${product.clock.now()} from generate_series(1, 59)`),
  );
  const last = await create(newPerson({ password: "" }));
  expect(last.status).toBe(200);
  expect(await create(newPerson({ password: "" }))).toMatchObject({
    status: 429,
    body: { code: "ERR_TOO_MANY_REQUESTS", data: { retryAfterSeconds: 3_600 } },
  });
  // Only invitations are counted, and only for an hour.
  expect((await create(newPerson())).status).toBe(200);
  expect((await remove(last.body.id)).status).toBe(200);
  product.clock.advance(3_600_001);
  const later = { ...admin, token: await given.token(admin) };
  expect((await as(later).post("/users", newPerson({ password: "" }))).status).toBe(200);
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
