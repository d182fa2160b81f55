import type { ListedTag, Tag, Ticket } from "@balcao/contract";
import { clientEvents, companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test, vi } from "vitest";
import { sweepHiddenAcrossCompanies } from "../../platform/db/records.ts";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenCompany, GivenUser } from "../../testing/given.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

async function office() {
  const { given } = app;
  const company = await given.company();
  const queueId = await given.queue({ company });
  return {
    company,
    queueId,
    admin: await given.admin({ company }),
    supervisor: await given.supervisor({ company, queueIds: [queueId] }),
    agent: await given.agent({ company, queueIds: [queueId] }),
    stranger: await given.admin({ company: await given.company() }),
  };
}

async function newTag(user: GivenUser, values: Partial<Tag> & { name: string }): Promise<Tag> {
  const reply = await app.as(user).post<Tag>("/tags", values);
  expect(reply.status).toBe(200);
  return reply.body;
}

const sync = (user: GivenUser, ticketId: number, ids: unknown[]) =>
  app
    .as(user)
    .post<Ticket & { code?: string }>("/tags/sync", { ticketId, tags: ids.map((id) => ({ id })) });

const names = (ticket: Pick<Ticket, "tags">) => ticket.tags.map(({ name }) => name);

test("a tag is found by all its values, or made with the values of a new one", async () => {
  const { agent, company } = await office();
  const client = await app.live(agent);
  const made = await newTag(agent, { name: "  Orçamento " });
  expect(made).toMatchObject({ name: "Orçamento", color: "#A4CCCC", kanban: 0 });
  const event = await client.next(companyEvent(company.id, "tag"));
  expect(event).toEqual({ action: "create", tag: made, tags: made, tagId: made.id });
  expect(await newTag(agent, { name: "Orçamento" })).toEqual(made);
  expect(await newTag(agent, { name: "Orçamento", color: "" })).toEqual(made);
  const other = await newTag(agent, { name: "Orçamento", color: "#123456" });
  expect(other.id).not.toBe(made.id);
  // The second one made no event: the next that is heard is the third tag's.
  expect(await client.next(companyEvent(company.id, "tag"))).toMatchObject({ tagId: other.id });
});

test("concurrent creates of the same tag return the same row", async () => {
  const { agent } = await office();
  const made = await Promise.all(
    Array.from({ length: 12 }, () => newTag(agent, { name: "Na mesma hora" })),
  );
  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
});

test.for([
  [{ name: "ab" }, "ERR_TAG_INVALID_NAME"],
  [{ name: "  ab  " }, "ERR_TAG_INVALID_NAME"],
  [{ name: "Nome", color: "red" }, "ERR_INVALID_REQUEST"],
  [{ name: "Nome", kanban: 2 }, "ERR_INVALID_REQUEST"],
  [{}, "ERR_INVALID_REQUEST"],
] as const)("a tag like %j is refused", async ([body, code]) => {
  const { agent } = await office();
  const reply = await app.as(agent).post("/tags", body);
  expect([reply.status, reply.body]).toMatchObject([400, { code }]);
});

test("the page tells how many tickets carry each tag, in one statement, searched by name without accents or by colour", async () => {
  const { admin, company } = await office();
  const first = await newTag(admin, { name: "Ação", color: "#ABCDEF" });
  await newTag(admin, { name: "Zebra" });
  await newTag(admin, { name: "bola" });
  for (let n = 0; n < 3; n += 1) {
    const { id } = await app.given.ticket({ company });
    await sync(admin, id, [first.id]);
  }
  const page = async (search: string) => {
    app.statements.take();
    const reply = await app
      .as(admin)
      .get<{ tags: ListedTag[]; count: number; hasMore: boolean }>(`/tags?searchParam=${search}`);
    // One proves who asks, one is the page.
    expect(app.statements.take()).toHaveLength(2);
    return reply.body;
  };
  const all = await page("");
  expect(all).toMatchObject({ count: 3, hasMore: false });
  expect(all.tags.map(({ name, ticketsCount }) => [name, ticketsCount])).toEqual([
    ["Ação", 3],
    ["bola", 0],
    ["Zebra", 0],
  ]);
  expect((await page("acao")).tags.map(({ name }) => name)).toEqual(["Ação"]);
  expect((await page("abcd")).tags.map(({ name }) => name)).toEqual(["Ação"]);
  expect(await page("%25")).toEqual({ tags: [], count: 0, hasMore: false });
  const list = await app.as(admin).get<Tag[]>("/tags/list?searchParam=ZEB");
  expect(list.body.map(({ name }) => name)).toEqual(["Zebra"]);
});

test("an admin changes all fields of a tag, a supervisor only the kanban flag, an agent none", async () => {
  const { admin, supervisor, agent, company } = await office();
  const tag = await newTag(agent, { name: "Primeiro" });
  const path = `/tags/${tag.id}`;
  const client = await app.live(agent);
  const changed = await app.as(admin).put<Tag>(path, { name: "Segundo", color: "#112233" });
  expect(changed.body).toMatchObject({ name: "Segundo", color: "#112233", kanban: 0 });
  expect(await client.next(companyEvent(company.id, "tag"))).toMatchObject({
    action: "update",
    tag: { name: "Segundo" },
  });

  const lane = await app.as(supervisor).put<Tag>(path, { kanban: 1 });
  expect([lane.status, lane.body]).toMatchObject([200, { name: "Segundo", kanban: 1 }]);
  // The dialog sends the whole tag.
  const whole = { name: "Segundo", color: "#112233", kanban: 0 };
  expect((await app.as(supervisor).put(path, whole)).status).toBe(200);
  for (const body of [{ name: "Terceiro" }, { color: "#000000", kanban: 1 }]) {
    const refused = await app.as(supervisor).put(path, body);
    expect([refused.status, refused.body]).toMatchObject([403, { code: "ERR_NO_PERMISSION" }]);
  }
  const unpainted = await app.as(admin).put<Tag>(path, { color: "" });
  expect([unpainted.status, unpainted.body]).toMatchObject([200, { color: "#112233" }]);
  const byAgent = await app.as(agent).put(path, { kanban: 1 });
  expect([byAgent.status, byAgent.body]).toMatchObject([403, { code: "ERR_NO_PERMISSION" }]);
  expect((await app.as(agent).get(path)).body).toMatchObject({ ...whole });
});

test("a lane of the board is created by supervisors and admins; the board lists its lanes", async () => {
  const { admin, supervisor, agent } = await office();
  await newTag(agent, { name: "Sem raia", kanban: 0 });
  const refused = await app.as(agent).post("/tags", { name: "Raia", kanban: 1 });
  expect([refused.status, refused.body]).toMatchObject([403, { code: "ERR_NO_PERMISSION" }]);
  const lanes = [
    await newTag(supervisor, { name: "Raia", kanban: 1 }),
    await newTag(admin, { name: "A fazer", kanban: 1 }),
  ];
  expect((await app.as(agent).get("/tags/kanban")).body).toEqual({ lista: lanes });
});

test("a tag cannot become equal to another one, nor lose its name", async () => {
  const { admin } = await office();
  await newTag(admin, { name: "Existe", color: "#111111" });
  const tag = await newTag(admin, { name: "Outra", color: "#111111" });
  const same = await app.as(admin).put(`/tags/${tag.id}`, { name: "Existe" });
  expect([same.status, same.body]).toMatchObject([400, { code: "ERR_TAG_EXISTS" }]);
  const short = await app.as(admin).put(`/tags/${tag.id}`, { name: " x " });
  expect([short.status, short.body]).toMatchObject([400, { code: "ERR_TAG_INVALID_NAME" }]);
  expect((await app.as(admin).get(`/tags/${tag.id}`)).body).toEqual(tag);
});

test("a deleted tag is removed from its tickets, which are published", async () => {
  const { admin, agent, company, queueId } = await office();
  const [gone, kept] = [
    await newTag(agent, { name: "Vai embora" }),
    await newTag(agent, { name: "Fica aqui" }),
  ];
  const { id } = await app.given.ticket({ company, queueId });
  await sync(agent, id, [gone.id, kept.id]);
  const client = await app.live(agent);
  client.socket.emit(clientEvents.joinTickets, "pending");

  const refused = await app.as(agent).delete(`/tags/${gone.id}`);
  expect([refused.status, refused.body]).toMatchObject([403, { code: "ERR_NO_PERMISSION" }]);
  const reply = await app.as(admin).delete(`/tags/${gone.id}`);
  expect([reply.status, reply.body]).toEqual([200, { message: "Tag deleted" }]);
  expect(await client.next(companyEvent(company.id, "tag"))).toEqual({
    action: "delete",
    tagId: gone.id,
  });
  const told = (await client.next(companyEvent(company.id, "ticket"))) as { ticket: Ticket };
  expect([told.ticket.id, names(told.ticket)]).toEqual([id, ["Fica aqui"]]);
  expect(names((await app.as(agent).get<Ticket>(`/tickets/${id}`)).body)).toEqual(["Fica aqui"]);
  expect((await app.as(admin).delete(`/tags/${gone.id}`)).status).toBe(404);
});

test("for very many tickets only the tag's deletion is published", async () => {
  const { admin, company } = await office();
  const tag = await newTag(admin, { name: "Em muitos" });
  const connectionId = await app.given.connection({ company, linked: false });
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      with c as (
        insert into contacts (company_id, name) select ${company.id}, 'Cliente ' || n
        from generate_series(1, 60) n returning id),
      t as (
        insert into tickets (company_id, uuid, contact_id, connection_id, status)
        select ${company.id}, gen_random_uuid(), id, ${connectionId}, 'pending' from c returning id)
      insert into ticket_tags (company_id, ticket_id, tag_id) select ${company.id}, id, ${tag.id} from t`),
  );
  const client = await app.live(admin);
  client.socket.emit(clientEvents.joinTickets, "pending");
  await app.as(admin).delete(`/tags/${tag.id}`);
  await client.next(companyEvent(company.id, "tag"));
  const { id } = await app.given.ticket({ company, connectionId });
  await app.as(admin).put(`/tickets/${id}`, { chatbot: true });
  // No ticket was published before this one.
  expect(await client.next(companyEvent(company.id, "ticket"))).toMatchObject({ ticket: { id } });
});

test("the tags of a ticket are replaced as a whole, and published", async () => {
  const { agent, company, queueId } = await office();
  const [one, two, three] = [
    await newTag(agent, { name: "Um deles" }),
    await newTag(agent, { name: "Dois deles" }),
    await newTag(agent, { name: "Três deles" }),
  ];
  const { id } = await app.given.ticket({ company, queueId });
  const client = await app.live(agent);
  client.socket.emit(clientEvents.joinTickets, "pending");

  const first = await sync(agent, id, [one.id, two.id, two.id]);
  expect([first.status, names(first.body)]).toEqual([200, ["Um deles", "Dois deles"]]);
  const told = (await client.next(companyEvent(company.id, "ticket"))) as { ticket: Ticket };
  expect([told.ticket.id, names(told.ticket)]).toEqual([id, ["Um deles", "Dois deles"]]);
  expect(names((await sync(agent, id, [String(three.id), two.id])).body)).toEqual([
    "Dois deles",
    "Três deles",
  ]);
  expect(names((await sync(agent, id, [])).body)).toEqual([]);
});

test("users who may see a ticket tag it, only with tags of the company, all or none", async () => {
  const { admin, agent, stranger, company, queueId } = await office();
  const tag = await newTag(agent, { name: "Da empresa" });
  const foreign = await newTag(stranger, { name: "De outra" });
  const mine = await app.given.ticket({ company, queueId });
  await sync(agent, mine.id, [tag.id]);
  const others = await app.given.ticket({ company, status: "open", userId: admin.id, queueId });

  const refusal = async (user: GivenUser, ticketId: number, ids: number[]) => {
    const { status, body } = await sync(user, ticketId, ids);
    return [status, body.code];
  };
  expect(await refusal(agent, others.id, [tag.id])).toEqual([403, "ERR_TICKET_FORBIDDEN"]);
  expect(await refusal(stranger, mine.id, [foreign.id])).toEqual([404, "ERR_NO_TICKET_FOUND"]);
  expect(await refusal(agent, mine.id, [foreign.id])).toEqual([404, "ERR_NO_TAG_FOUND"]);
  expect(await refusal(agent, mine.id, [foreign.id, tag.id])).toEqual([404, "ERR_NO_TAG_FOUND"]);
  expect(names((await app.as(agent).get<Ticket>(`/tickets/${mine.id}`)).body)).toEqual([
    "Da empresa",
  ]);
});

test("concurrent changes of a ticket's tags leave the tags of one of them", async () => {
  const { agent, company, queueId } = await office();
  const tags = await Promise.all(
    Array.from({ length: 6 }, (_, n) => newTag(agent, { name: `Corrida ${n}` })),
  );
  const { id } = await app.given.ticket({ company, queueId });
  const replies = await Promise.all(tags.map((tag) => sync(agent, id, [tag.id])));
  expect(replies.map(({ status }) => status)).toEqual(tags.map(() => 200));
  expect(names((await app.as(agent).get<Ticket>(`/tickets/${id}`)).body)).toHaveLength(1);
});

test("another company's tags are not found, and its events are not received", async () => {
  const { agent, stranger } = await office();
  const tag = await newTag(agent, { name: "Só nossa" });
  const client = await app.live(stranger);
  await app.as(agent).post("/tags", { name: "Mais uma" });
  const path = `/tags/${tag.id}`;
  for (const reply of [
    await app.as(stranger).get(path),
    await app.as(stranger).put(path, { name: "Roubada" }),
    await app.as(stranger).delete(path),
  ]) {
    expect([reply.status, reply.body]).toMatchObject([404, { code: "ERR_NO_TAG_FOUND" }]);
  }
  const list = await app.as(stranger).get<Tag[]>("/tags/list");
  expect(list.body).toEqual([]);
  // An own event has arrived by then; a foreign one would have come before it.
  const own = await newTag(stranger, { name: "Nossa aqui" });
  await vi.waitFor(() => expect(client.heard.map(({ name }) => name)).toContain("tag"));
  const heard = client.heard.flatMap(({ name, payload }) => (name === "tag" ? [payload] : []));
  expect(heard).toMatchObject([{ tagId: own.id }]);
});

const companyOf = ({ companyId }: GivenUser): GivenCompany => ({ id: companyId, name: "" });

test("clients of the family get tag events under their own names too", async () => {
  const { agent } = await office();
  const client = await app.live(agent);
  const tag = await newTag(agent, { name: "Para todos" });
  for (const name of [companyEvent(companyOf(agent).id, "tag"), "tag", "user"]) {
    expect(await client.next(name)).toEqual({ action: "create", tag, tags: tag, tagId: tag.id });
  }
  // A `user` event without `tags` would blank their page.
  const admin = await app.given.admin({ company: companyOf(agent) });
  await app.as(admin).delete(`/tags/${tag.id}`);
  expect(await client.next("tag")).toEqual({ action: "delete", tagId: tag.id });
  const next = await newTag(agent, { name: "Depois" });
  expect(await client.next("user")).toMatchObject({ action: "create", tagId: next.id });
});

test("a deleted tag can be undone by its user for some seconds, on all its tickets", async () => {
  const { admin, supervisor, company, queueId } = await office();
  const other = await app.given.admin({ company });
  const tag = await newTag(admin, { name: "Com volta", kanban: 1 });
  const kept = await newTag(admin, { name: "Fica" });
  const { id } = await app.given.ticket({ company, queueId });
  await sync(admin, id, [tag.id, kept.id]);
  const remove = () => app.as(admin).delete(`/tags/${tag.id}?undo=true`);
  const undo = (who: GivenUser) => app.as(who).post<Tag>(`/tags/${tag.id}/undo`);
  const ticketNames = async () => names((await app.as(admin).get<Ticket>(`/tickets/${id}`)).body);
  const found = async (path: string) => JSON.stringify((await app.as(admin).get(path)).body);

  expect((await remove()).status).toBe(200);
  expect(await ticketNames()).toEqual(["Fica"]);
  for (const path of ["/tags", "/tags/list", `/tags/${tag.id}`]) {
    expect(await found(path)).not.toContain("Com volta");
  }
  expect(await found(`/tickets?showAll=true&tags=[${tag.id}]`)).toContain('"count":0');
  expect((await remove()).status).toBe(404);
  // The ticket's other tags change meanwhile.
  await sync(admin, id, []);
  expect((await undo(other)).body).toMatchObject({ code: "ERR_UNDO_OVER" });
  expect((await undo(supervisor)).status).toBe(403);

  const live = await app.live(supervisor);
  expect((await undo(admin)).body).toMatchObject({ id: tag.id, name: "Com volta", kanban: 1 });
  expect(await live.next(companyEvent(company.id, "tag"))).toMatchObject({ action: "create" });
  expect(await ticketNames()).toEqual(["Com volta"]);
  expect((await undo(admin)).body).toMatchObject({ code: "ERR_UNDO_OVER" });

  // Another one like it has taken its place.
  await remove();
  const again = await newTag(admin, { name: "Com volta", kanban: 1 });
  expect(again.id).not.toBe(tag.id);
  expect((await undo(admin)).body).toMatchObject({ code: "ERR_TAG_EXISTS" });
  await app.as(admin).delete(`/tags/${again.id}`);

  const sweep = () => app.database.db.acrossCompanies(sweepHiddenAcrossCompanies);
  const rows = () =>
    app.database.db.acrossCompanies((tx) => tx.query(sql`select 1 from tags where id = ${tag.id}`));
  await sweep();
  expect(await rows()).toHaveLength(1);
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`update tags set deleted_at = now() - interval '2 minutes' where id = ${tag.id}`),
  );
  expect((await undo(admin)).body).toMatchObject({ code: "ERR_UNDO_OVER" });
  await sweep();
  expect(await rows()).toHaveLength(0);
});
