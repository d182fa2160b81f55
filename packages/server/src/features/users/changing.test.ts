import { clientEvents, companyEvent } from "@balcao/contract";
import { expect, test } from "vitest";
import { testApp } from "../../testing/app.ts";
import { PASSWORD } from "../../testing/given.ts";
import { createPeople, newPerson, signIn } from "./testing/people.ts";

const product = await testApp({ environment: { ROLES: "http" } });
const { given, as, live } = product;

const noPermission = { status: 403, body: { code: "ERR_NO_PERMISSION" } };
const notFound = { status: 404, body: { code: "ERR_NO_USER_FOUND" } };

test("a user is read by the user and by admins; refused to colleagues, not found by other companies", async () => {
  const { company, queueId, admin, ana, bia, show } = await createPeople(product);
  const expected = {
    id: ana.id,
    name: "Ana",
    email: ana.email,
    companyId: company.id,
    profile: "user",
    roleId: null,
    super: false,
    allTicket: "desabled",
    ticketLimit: 6,
    whatsappId: null,
    queues: [
      {
        ...{ id: queueId, name: "Vendas", color: expect.any(String) },
        UserQueue: { userId: ana.id, queueId },
      },
    ],
    company: { id: company.id, name: company.name, dueDate: "2099-12-31T00:00:00.000Z" },
  };
  expect(await show(ana.id)).toEqual(expected);
  expect((await as(ana).get(`/users/${ana.id}`)).body).toEqual(expected);
  expect(await as(bia).get(`/users/${ana.id}`)).toMatchObject(noPermission);
  const stranger = await createPeople(product);
  for (const user of [stranger.admin, stranger.ana]) {
    expect(await as(user).get(`/users/${ana.id}`)).toMatchObject(notFound);
  }
  expect(await as(admin).get("/users/2000000000")).toMatchObject(notFound);
});

test("a super user reads, changes and deletes users of another company, within that company", async () => {
  const [here, there] = [await createPeople(product), await createPeople(product)];
  const root = await given.admin({ company: here.company, super: true });
  const path = `/users/${there.ana.id}`;
  expect(await as(root).get(path)).toMatchObject({ body: { companyId: there.company.id } });
  const colleague = await live(there.bia);
  expect(await as(root).put(path, { name: "Ana Prado", queueIds: [] })).toMatchObject({
    status: 200,
    body: { name: "Ana Prado", companyId: there.company.id, queues: [] },
  });
  await expect
    .poll(() => colleague.heard)
    .toContainEqual({
      name: companyEvent(there.company.id, "user"),
      payload: { action: "update", user: expect.objectContaining({ name: "Ana Prado" }) },
    });
  expect(await as(root).put(path, { queueIds: [here.queueId] })).toMatchObject({
    body: { code: "ERR_QUEUE_NOT_FOUND" },
  });
  expect(await as(root).get(`${path}/use`)).toMatchObject({ body: { openTickets: 0 } });
  expect((await as(root).delete(path)).status).toBe(200);
  expect(await there.names()).not.toContain("Ana Prado");
  for (const reply of [
    await as(here.admin).get(`/users/${there.bia.id}`),
    await as(here.admin).put(`/users/${there.bia.id}`, { name: "Roubada" }),
    await as(here.admin).delete(`/users/${there.bia.id}`),
  ]) {
    expect(reply).toMatchObject(notFound);
  }
});

test("an admin changes every field; fields that are left out stay", async () => {
  const { company, queueId, ana, change, show } = await createPeople(product);
  const whatsappId = await given.connection({ company, linked: false });
  const other = await given.queue({ company });
  const changed = await change(ana.id, {
    name: "Ana Reis",
    email: `REIS${ana.email}`,
    allTicket: "enabled",
    whatsappId,
    queueIds: [other],
  });
  expect(changed.status).toBe(200);
  const now = await show(ana.id);
  expect(now).toMatchObject({
    name: "Ana Reis",
    email: `reis${ana.email}`,
    allTicket: "enabled",
    whatsappId,
    queues: [{ id: other }],
  });
  expect((await change(ana.id, {})).status).toBe(200);
  expect(await show(ana.id)).toEqual(now);
  await change(ana.id, { whatsappId: "", queueIds: [queueId, other] });
  expect(await show(ana.id)).toMatchObject({ whatsappId: null, queues: [{}, {}] });
});

test("agents change their own name and e-mail; the other fields are ignored", async () => {
  const { company, queueId, ana, change, show } = await createPeople(product);
  const other = await given.queue({ company });
  const reply = await change(
    ana.id,
    {
      name: "Ana Reis",
      email: ana.email,
      password: "",
      profile: "admin",
      allTicket: "enabled",
      queueIds: [other],
      companyId: company.id,
      super: true,
    },
    ana,
  );
  expect(reply.status).toBe(200);
  expect(await show(ana.id)).toMatchObject({
    name: "Ana Reis",
    profile: "user",
    super: false,
    allTicket: "desabled",
    queues: [{ id: queueId }],
  });
});

test("changing one's own e-mail or password needs the present password; a name does not", async () => {
  const { ana, admin, change } = await createPeople(product);
  const email = `nova.${ana.email}`;
  for (const user of [ana, admin]) {
    for (const wish of [{ email: `x${user.email}` }, { password: "segredo-456" }]) {
      for (const [currentPassword, code] of [
        [undefined, "ERR_PASSWORD_CONFIRM"],
        ["", "ERR_PASSWORD_CONFIRM"],
        ["errada", "ERR_PASSWORD_WRONG"],
      ]) {
        const reply = await change(user.id, { name: "Outra", ...wish, currentPassword }, user);
        expect(reply).toMatchObject({ status: 400, body: { code } });
      }
    }
    expect((await signIn(product, user.email)).status).toBe(200);
  }
  // The whole record, as clients of the family send it.
  const record = { name: "Ana Reis", email: ana.email.toUpperCase(), password: "" };
  const again = await signIn(product, ana.email);
  const own = { ...ana, token: again.token };
  expect((await change(ana.id, record, own)).status).toBe(200);
  const changed = await change(ana.id, { email, currentPassword: PASSWORD }, own);
  expect(changed.body.email).toBe(email);
});

test("wrong present passwords make the next attempt wait", async () => {
  const { bia, change } = await createPeople(product);
  const guess = (currentPassword: string) =>
    change(bia.id, { password: "segredo-456", currentPassword }, bia);
  for (let n = 0; n < 10; n += 1) expect((await guess("errada")).status).toBe(400);
  expect(await guess(PASSWORD)).toMatchObject({
    status: 429,
    body: { code: "ERR_TOO_MANY_REQUESTS" },
  });
  // Signing in counts for itself.
  expect((await signIn(product, bia.email)).status).toBe(200);
});

test("blank, common and short passwords are refused when a password is set, not at sign-in", async () => {
  const { admin, ana, change, create } = await createPeople(product);
  const easy = { status: 400, body: { code: "ERR_PASSWORD_EASY" } };
  for (const password of ["      ", "12345", "Mudar@123"]) {
    expect(await change(ana.id, { password })).toMatchObject(easy);
    expect(await create(newPerson({ password }))).toMatchObject(easy);
    expect((await signIn(product, ana.email, password)).status).toBe(401);
  }
  expect(await create(newPerson({ name: "Zulmira", password: "zulmira" }))).toMatchObject(easy);
  expect((await change(ana.id, { password: "x7k2p" })).status).toBe(200);

  const least = (value: string) => as(admin).put("/settings/passwordMinLength", { value });
  expect((await least("4")).status).toBe(400);
  expect((await least("8")).status).toBe(200);
  const short = {
    status: 400,
    body: {
      error: "A senha precisa ter no mínimo 8 caracteres.",
      code: "ERR_PASSWORD_SHORT",
      data: { min: 8 },
    },
  };
  expect(await change(ana.id, { password: "x7k2p9q" })).toMatchObject(short);
  expect(await create(newPerson({ password: "x7k2p9q" }))).toMatchObject(short);
  expect((await signIn(product, ana.email, "x7k2p")).status).toBe(200);
});

test("an agent cannot change a colleague, nor an admin another company's user", async () => {
  const { ana, bia, change, show } = await createPeople(product);
  const stranger = await createPeople(product);
  expect(await change(ana.id, { name: "Minha" }, bia)).toMatchObject(noPermission);
  expect(await change(ana.id, { name: "Minha" }, stranger.admin)).toMatchObject(notFound);
  expect(await change(ana.id, { name: "Minha" }, stranger.ana)).toMatchObject(notFound);
  expect((await show(ana.id)).name).toBe("Ana");
});

test("a user stays in the company, whatever is sent", async () => {
  const [own, other] = [await createPeople(product), await createPeople(product)];
  const reply = await own.change(own.ana.id, { companyId: other.company.id });
  expect(reply.body.companyId).toBe(own.company.id);
});

test("a taken e-mail and another company's queue or connection refuse the whole change", async () => {
  const [own, other] = [await createPeople(product), await createPeople(product)];
  const whatsappId = await given.connection({ company: other.company, linked: false });
  const before = await own.show(own.ana.id);
  for (const [fields, status, code] of [
    [{ email: other.ana.email }, 400, "ERR_USER_EMAIL_EXISTS"],
    [{ queueIds: [other.queueId] }, 404, "ERR_QUEUE_NOT_FOUND"],
    [{ whatsappId }, 404, "ERR_NO_WAPP_FOUND"],
  ] as const) {
    const reply = await own.change(own.ana.id, { name: "Outra", ...fields });
    expect(reply).toMatchObject({ status, body: { code } });
  }
  expect(await own.show(own.ana.id)).toEqual(before);
});

test("the last admin stays an admin, also when two admins step down concurrently", async () => {
  const { admin, second, change } = await createPeople(product);
  const demote = { profile: "user" };
  const replies = await Promise.all([
    change(admin.id, demote, second),
    change(second.id, demote, admin),
  ]);
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  const left = replies[0]?.status === 200 ? second : admin;
  expect(await change(left.id, demote, left)).toMatchObject({
    status: 400,
    body: { code: "ERR_USER_LAST_ADMIN" },
  });
});

test("only super users change a super user; other admins cannot", async () => {
  const { company, admin, change } = await createPeople(product);
  const boss = await given.admin({ company, super: true });
  expect(await change(boss.id, { password: "segredo-456" })).toMatchObject({
    status: 403,
    body: { code: "ERR_NO_SUPER" },
  });
  expect((await change(boss.id, { name: "Dona" }, boss)).status).toBe(200);
  expect((await change(admin.id, { name: "Chefe 2" }, boss)).status).toBe(200);
});

test("a user with other queues gets their tickets' events at once and stays signed in", async () => {
  const { company, queueId, ana, bia, admin, change } = await createPeople(product);
  const [earOfAna, earOfBia] = [await live(ana), await live(bia)];
  for (const { socket } of [earOfAna, earOfBia]) socket.emit(clientEvents.joinTickets, "pending");
  const told = companyEvent(company.id, "user");
  const knows = (queues: unknown) => ({
    name: told,
    payload: expect.objectContaining({ user: expect.objectContaining({ queues }) }),
  });
  await change(ana.id, { queueIds: [] });
  await change(bia.id, { queueIds: [queueId] });
  await expect
    .poll(() => earOfBia.heard)
    .toContainEqual(knows([expect.objectContaining({ id: queueId })]));
  await expect.poll(() => earOfAna.heard).toContainEqual(knows([]));

  const ticketsHeard = (client: typeof earOfAna) =>
    client.heard.filter(({ name }) => name === companyEvent(company.id, "ticket")).length;
  // Rights are read again beside the event; whoever does not hear this one has long lost the queue by the next.
  await expect
    .poll(async () => {
      const ticket = await given.ticket({ company, queueId: await given.queue({ company }) });
      await as(admin).put(`/tickets/${ticket.id}`, { queueId });
      return ticketsHeard(earOfBia);
    })
    .toBeGreaterThan(0);
  const before = ticketsHeard(earOfAna);
  const ticket = await given.ticket({ company, queueId: await given.queue({ company }) });
  const heard = ticketsHeard(earOfBia);
  await as(admin).put(`/tickets/${ticket.id}`, { queueId });
  await expect.poll(() => ticketsHeard(earOfBia)).toBeGreaterThan(heard);
  expect(ticketsHeard(earOfAna)).toBe(before);
  expect((await as(ana).get("/auth/me")).status).toBe(200);
});
