import type { Contact, ContactId, ContactRef, ReplyOf, Ticket } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenCompany, GivenUser } from "../../testing/given.ts";
import { unique } from "../../testing/given.ts";

type List = ReplyOf<"GET /contacts">;
type Shown = ReplyOf<"GET /contacts/:contactId">;

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

const run = <Row>(statement: ReturnType<typeof sql>): Promise<Row[]> =>
  app.database.db.acrossCompanies((tx) => tx.query<Row>(statement));

async function office() {
  const company = await app.given.company();
  const queue = await app.given.queue({ company });
  return {
    company,
    queue,
    admin: await app.given.admin({ company }),
    agent: await app.given.agent({ company, queueIds: [queue] }),
  };
}

async function contact(
  { id }: GivenCompany,
  name: string,
  wish: { number?: string; email?: string; isGroup?: boolean; at?: string } = {},
): Promise<ContactId> {
  const { number = `55118${10_000_000 + unique()}`, email = "", isGroup = false } = wish;
  const [row] = await run<{ id: ContactId }>(sql`
    insert into contacts (company_id, name, number, email, is_group, created_at)
    values (${id}, ${name}, ${number}, ${email}, ${isGroup}, ${wish.at ?? "2026-01-01T12:00:00Z"})
    returning id`);
  if (!row) throw new Error("no contact");
  return row.id;
}

async function list(user: GivenUser, query: Record<string, string> = {}): Promise<List> {
  const reply = await app.as(user).get<List>(`/contacts?${new URLSearchParams(query).toString()}`);
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return reply.body;
}

async function names(user: GivenUser, query: Record<string, string> = {}): Promise<string[]> {
  return (await list(user, query)).contacts.map(({ name }) => name);
}

describe("the list", () => {
  test("is in the order of names without case and accents, thirty on a page, with their tickets", async () => {
    const { company, agent } = await office();
    for (const name of ["zeca", "Ébano", "elisa", "Ana", "ãnderson", "Edu"]) {
      await contact(company, name);
    }
    expect(await names(agent)).toEqual(["Ana", "ãnderson", "Ébano", "Edu", "elisa", "zeca"]);
    for (let n = 0; n < 56; n += 1) await contact(company, `zz ${n}`);
    const pages = [await list(agent), await list(agent, { pageNumber: "3" })];
    expect(pages.map((page) => [page.contacts.length, page.count, page.hasMore])).toEqual([
      [30, 62, true],
      [2, 62, false],
    ]);
    expect(await list(agent, { pageNumber: "4" })).toEqual({
      contacts: [],
      count: 62,
      hasMore: false,
    });
  });

  test("has each contact's tickets, the one changed last at the end", async () => {
    const { company, agent } = await office();
    const first = await app.given.ticket({ company, contactName: "Ana" });
    const second = await app.given.connection({ company, linked: false });
    await run(sql`
      insert into tickets (company_id, uuid, contact_id, connection_id, status, updated_at)
      values (${company.id}, gen_random_uuid(), ${first.contactId}, ${second}, 'closed', '2020-01-01T00:00:00Z')`);
    const { contacts } = await list(agent);
    expect(contacts).toMatchObject([
      {
        id: first.contactId,
        number: first.phone,
        companyId: company.id,
        whatsappId: null,
        active: true,
        disableBot: false,
        tickets: [
          { status: "closed", updatedAt: "2020-01-01T00:00:00.000Z" },
          { id: first.id, status: "pending" },
        ],
      },
    ]);
  });

  test("is searched by name, number in any writing, and e-mail", async () => {
    const { company, agent } = await office();
    await contact(company, "João Conceição", { number: "5511955554444" });
    await contact(company, "Maria", { number: "5511966660001", email: "Maria@Loja.example" });
    await contact(company, "100% Zé", { number: "5511966660002" });
    expect(await names(agent, { searchParam: "joao con" })).toEqual(["João Conceição"]);
    expect(await names(agent, { searchParam: "(11) 95555-4444" })).toEqual(["João Conceição"]);
    expect(await names(agent, { searchParam: "+55 11 5555-4444" })).toEqual([]);
    expect(await names(agent, { searchParam: "+55 11 6666-0001" })).toEqual(["Maria"]);
    expect(await names(agent, { searchParam: "54" })).toEqual(["João Conceição"]);
    expect(await names(agent, { searchParam: "maria@loja" })).toEqual(["Maria"]);
    expect(await names(agent, { searchParam: "zé" })).toEqual(["100% Zé"]);
    expect(await names(agent, { searchParam: "%" })).toEqual(["100% Zé"]);
    expect(await list(agent, { searchParam: "ninguém" })).toMatchObject({ count: 0 });
  });

  test("leaves groups out unless they are searched", async () => {
    const { company, agent } = await office();
    await contact(company, "Família Silva", { isGroup: true, number: "5511-1400" });
    await contact(company, "Silvia");
    expect(await names(agent)).toEqual(["Silvia"]);
    expect(await names(agent, { searchParam: "silv" })).toEqual(["Família Silva", "Silvia"]);
  });

  test("is of the days on which contacts were made, by the company's clock", async () => {
    const { company, agent } = await office();
    await contact(company, "a", { at: "2026-03-11T02:59:59Z" });
    await contact(company, "b", { at: "2026-03-11T03:00:00Z" });
    expect(await names(agent, { date: "2026-03-10" })).toEqual(["a"]);
    expect(await names(agent, { dateStart: "2026-03-11" })).toEqual(["b"]);
    expect(await names(agent, { dateEnd: "2026-03-10" })).toEqual(["a"]);
    expect(await names(agent, { dateStart: "2026-03-10", dateEnd: "2026-03-11" })).toHaveLength(2);
    expect(await names(agent, { dateStart: "0000-01-01", dateEnd: "9999-12-31" })).toHaveLength(2);
  });

  test("is the company's own, and takes two statements", async () => {
    const { company, agent } = await office();
    await contact(company, "Maria daqui");
    await contact((await office()).company, "Maria de lá");
    app.statements.take();
    expect(await names(agent, { searchParam: "maria" })).toEqual(["Maria daqui"]);
    expect(app.statements.take()).toHaveLength(2);
  });

  test("for choosing one has short rows: all of them, or as many as are asked for", async () => {
    const { company, agent } = await office();
    await app.database.db.acrossCompanies((tx) =>
      tx.query(sql`
        insert into contacts (company_id, name, number)
        select ${company.id}, 'Pessoa ' || n % 7, '55117' || (10000000 + n) from generate_series(1, 2100) n`),
    );
    const id = await contact(company, "Ágata");
    const choices = async (name: string) =>
      (await app.as(agent).get<ContactRef[]>(`/contacts/list?name=${name}`)).body;
    const all = await choices("");
    expect(new Set(all.map((one) => one.id)).size).toBe(2_101);
    expect(all.map(({ name }) => name)).toEqual(
      all.map(({ name }) => name).toSorted((a, b) => a.localeCompare(b, "pt")),
    );
    expect(await choices("&limit=100")).toEqual(all.slice(0, 100));
    expect(all[0]).toEqual({
      id,
      name: "Ágata",
      number: expect.any(String),
      email: "",
      profilePicUrl: "",
    });
    expect(await choices("agata")).toHaveLength(1);
    expect(await choices("pessoa")).toHaveLength(2_100);
  });
});

describe("one contact", () => {
  test("is shown with its additional fields, to its company only", async () => {
    const { company, agent } = await office();
    const id = await contact(company, "Ana");
    await app
      .as(agent)
      .put(`/contacts/${id}`, { extraInfo: [{ name: "Cidade", value: "Recife" }] });
    const reply = await app.as(agent).get<Shown>(`/contacts/${id}`);
    expect([reply.status, reply.body]).toEqual([
      200,
      expect.objectContaining({
        id,
        name: "Ana",
        extraInfo: [{ id: expect.any(Number), name: "Cidade", value: "Recife", contactId: id }],
      }),
    ]);
    const { admin } = await office();
    for (const other of [id, 2_147_483_647]) {
      expect(await app.as(admin).get(`/contacts/${other}`)).toMatchObject({
        status: 404,
        body: { code: "ERR_NO_CONTACT_FOUND" },
      });
    }
  });
});

describe("a change", () => {
  test("writes what is given and leaves the rest; a whole record sent back changes nothing else", async () => {
    const { company, agent } = await office();
    const id = await contact(company, "Ana", { email: "ana@loja.example" });
    const put = async (body: object): Promise<Shown> => {
      const reply = await app.as(agent).put<Shown>(`/contacts/${id}`, body);
      expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
      return reply.body;
    };
    const first = await put({ name: "  Ana Lima " });
    expect(first).toMatchObject({ name: "Ana Lima", email: "ana@loja.example", active: true });
    expect(await put({ ...first, email: "", disableBot: true, companyId: 9, id: 9 })).toMatchObject(
      {
        id,
        companyId: company.id,
        name: "Ana Lima",
        number: first.number,
        email: "",
        disableBot: true,
      },
    );
  });

  test("replaces all additional fields: own ids stay, missing ones go, all others are new", async () => {
    const { company, agent } = await office();
    const [id, other] = [await contact(company, "Ana"), await contact(company, "Bia")];
    const put = async (of: ContactId, extraInfo: object[]) =>
      (await app.as(agent).put<Shown>(`/contacts/${of}`, { extraInfo })).body.extraInfo;
    const [city, age] = await put(id, [
      { name: "Cidade", value: "Recife" },
      { name: "Idade", value: "30" },
    ]);
    const [foreign] = await put(other, [{ name: "Cidade", value: "Natal" }]);
    const after = await put(id, [
      { id: age?.id, name: "Idade", value: "31" },
      { id: foreign?.id, name: "Time", value: "Sport" },
      { name: "Cor", value: "" },
    ]);
    expect(after).toMatchObject([
      { id: age?.id, name: "Idade", value: "31" },
      { name: "Time", value: "Sport", contactId: id },
      { name: "Cor", value: "" },
    ]);
    expect(after.map((row) => row.id)).not.toContain(city?.id);
    expect(after.map((row) => row.id)).not.toContain(foreign?.id);
    expect((await app.as(agent).get<Shown>(`/contacts/${other}`)).body.extraInfo).toEqual([
      foreign,
    ]);
    expect(await put(id, [])).toEqual([]);
  });

  test.each<[why: string, body: object]>([
    ["a name of one letter", { name: "A" }],
    ["a blank name", { name: "   " }],
    ["a name too long", { name: "a".repeat(51) }],
    ["no e-mail", { email: "ana" }],
    ["a nameless field", { extraInfo: [{ name: " ", value: "x" }] }],
    ["too short a number", { number: "123" }],
  ])("to %s is refused", async (_why, body) => {
    const { company, agent } = await office();
    const id = await contact(company, "Ana");
    expect((await app.as(agent).put(`/contacts/${id}`, body)).status).toBe(400);
    expect(await names(agent)).toEqual(["Ana"]);
  });

  test("is published to the company, and to the cards of its waiting and open tickets", async () => {
    const { company, agent, admin } = await office();
    const other = await app.given.connection({ company, linked: false });
    const ticket = await app.given.ticket({ company, contactName: "Ana" });
    const [closed] = await run<{ id: number }>(sql`
      insert into tickets (company_id, uuid, contact_id, connection_id, status)
      values (${company.id}, gen_random_uuid(), ${ticket.contactId}, ${other}, 'closed') returning id`);
    const ears = await app.live(admin);
    for (const status of ["pending", "closed"]) ears.socket.emit("joinTickets", status);
    await app.as(agent).put(`/contacts/${ticket.contactId}`, { disableBot: true });
    await app.as(agent).put(`/contacts/${ticket.contactId}`, { name: "Ana Lima" });
    const heard = (subject: "contact" | "ticket") =>
      ears.heard.filter(({ name }) => name === companyEvent(company.id, subject));
    const named = (name: string) => ({
      payload: { action: "update", contact: { id: ticket.contactId, name, extraInfo: [] } },
    });
    await vi.waitFor(() =>
      expect(heard("contact")).toMatchObject([named("Ana"), named("Ana Lima")]),
    );
    expect(heard("ticket")).toMatchObject([
      { payload: { action: "update", ticket: { id: ticket.id, contact: { name: "Ana Lima" } } } },
    ]);
    expect(closed?.id).toBeDefined();
    const shown = await app.as(admin).get<Ticket>(`/tickets/${ticket.id}`);
    expect(shown.body.contact).toMatchObject({ name: "Ana Lima", extraInfo: [] });
  });

  test("of another company's contact finds no contact", async () => {
    const { company } = await office();
    const id = await contact(company, "Ana");
    const { admin } = await office();
    expect(await app.as(admin).put(`/contacts/${id}`, { name: "Eva" })).toMatchObject({
      status: 404,
      body: { code: "ERR_NO_CONTACT_FOUND" },
    });
  });
});

describe("a deletion", () => {
  test("by an admin deletes the contact's tickets and messages, and is published", async () => {
    const { company, admin, agent, queue } = await office();
    const ticket = await app.given.ticket({ company, queueId: queue });
    await app.given.message(ticket);
    const ears = await app.live(agent);
    const reply = await app.as(admin).delete(`/contacts/${ticket.contactId}`);
    expect([reply.status, reply.body]).toEqual([200, { message: "Contact deleted" }]);
    expect(await run(sql`select 1 from messages where company_id = ${company.id}`)).toEqual([]);
    expect(await names(admin)).toEqual([]);
    const heard = (subject: "contact" | "ticket") =>
      ears.heard.flatMap(({ name, payload }) =>
        name === companyEvent(company.id, subject) ? [payload] : [],
      );
    await vi.waitFor(() =>
      expect(heard("contact")).toEqual([{ action: "delete", contactId: ticket.contactId }]),
    );
    expect(
      await run(sql`
      select finished_at is not null as "isFinished" from attendances where company_id = ${company.id}`),
    ).toEqual([{ isFinished: true }]);
  });

  test("is refused while a ticket of the contact is open, and changes nothing", async () => {
    const { company, admin, agent, queue } = await office();
    const wish = { company, queueId: queue, status: "open", userId: agent.id } as const;
    const ticket = await app.given.ticket(wish);
    const path = `/contacts/${ticket.contactId}`;
    expect(await app.as(admin).delete(path)).toMatchObject({
      status: 400,
      body: { code: "ERR_CONTACT_HAS_TICKET" },
    });
    expect((await app.as(agent).get(`/tickets/${ticket.id}`)).status).toBe(200);
    await app.as(agent).put(`/tickets/${ticket.id}`, { status: "closed" });
    expect((await app.as(admin).delete(path)).status).toBe(200);
  });

  test("is refused to agents, and not found in another company", async () => {
    const { company, agent } = await office();
    const id: Contact["id"] = await contact(company, "Ana");
    expect((await app.as(agent).delete(`/contacts/${id}`)).status).toBe(403);
    expect((await app.as((await office()).admin).delete(`/contacts/${id}`)).status).toBe(404);
    expect(await names(agent)).toEqual(["Ana"]);
  });
});

describe("orders and filters of the list", () => {
  /** Contacts with a ticket whose newest message is so many days old; null for no message. */
  async function desk() {
    const place = await office();
    const { company } = place;
    const connectionId = await app.given.connection({ company, linked: false });
    const talk = async (name: string, daysAgo: number | null, at?: string) => {
      const id = await contact(company, name, at === undefined ? {} : { at });
      const [ticket] = await run<{ id: number }>(sql`
        insert into tickets (company_id, uuid, contact_id, connection_id, status, last_message_at)
        values (${company.id}, gen_random_uuid(), ${id}, ${connectionId}, 'closed',
                now() - ${daysAgo} * interval '1 day') returning id`);
      return { id, ticketId: ticket?.id ?? 0 };
    };
    return { ...place, connectionId, talk };
  }

  test("by last contact those without messages come last, in both directions and over pages", async () => {
    const { company, agent, talk } = await desk();
    for (let day = 1; day <= 31; day += 1) await talk(`Fala ${day}`, day);
    await talk("Calada", null);
    await contact(company, "Nunca");
    const order = { sort: "lastContact" };
    const newest = await names(agent, { ...order, descending: "true" });
    expect([newest[0], newest[29]]).toEqual(["Fala 1", "Fala 30"]);
    expect(await names(agent, { ...order, descending: "true", pageNumber: "2" })).toEqual([
      "Fala 31",
      "Calada",
      "Nunca",
    ]);
    expect((await names(agent, order))[0]).toBe("Fala 31");
    expect(await names(agent, { ...order, pageNumber: "2" })).toEqual([
      "Fala 1",
      "Calada",
      "Nunca",
    ]);
    expect(await names(agent, { ...order, pageNumber: "3" })).toEqual([]);
    expect(await list(agent, order)).toMatchObject({ count: 33, hasMore: true });
    // A search is in the same order.
    const found = await names(agent, { ...order, searchParam: "a", pageNumber: "2" });
    expect(found).toEqual(["Fala 2", "Fala 1", "Calada", "Nunca"].slice(-found.length));
  });

  test("by creation and by name it can be turned round", async () => {
    const { company, agent } = await office();
    await contact(company, "Ana", { at: "2026-03-01T12:00:00Z" });
    await contact(company, "Bia", { at: "2026-02-01T12:00:00Z" });
    await contact(company, "Caio", { at: "2026-01-01T12:00:00Z" });
    expect(await names(agent, { descending: "true" })).toEqual(["Caio", "Bia", "Ana"]);
    expect(await names(agent, { sort: "createdAt" })).toEqual(["Caio", "Bia", "Ana"]);
    expect(await names(agent, { sort: "createdAt", descending: "true" })).toEqual([
      "Ana",
      "Bia",
      "Caio",
    ]);
    expect((await app.as(agent).get("/contacts?sort=number")).status).toBe(400);
  });

  test("a row has the tags of the newest ticket and the time of the newest message", async () => {
    const { company, agent, talk, connectionId } = await desk();
    const { id, ticketId } = await talk("Ana", 3);
    const tag = async (name: string) =>
      (await app.as(agent).post<{ id: number }>("/tags", { name, color: "", kanban: 0 })).body.id;
    const [vip, old] = [await tag("Cliente VIP"), await tag("Troca")];
    const [second] = await run<{ id: number }>(sql`
      insert into tickets (company_id, uuid, contact_id, status, last_message_at)
      values (${company.id}, gen_random_uuid(), ${id}, 'closed', now() - interval '9 days')
      returning id`);
    await run(sql`
      insert into ticket_tags (company_id, ticket_id, tag_id)
      values (${company.id}, ${ticketId}, ${vip}), (${company.id}, ${second?.id ?? 0}, ${old})`);
    const [row] = (await list(agent)).contacts;
    expect(row?.tags.map((one) => one.id)).toEqual([vip]);
    const daysAgo = (Date.now() - Date.parse(row?.lastContactAt ?? "")) / 86_400_000;
    expect(Math.round(daysAgo)).toBe(3);
    expect(await names(agent, { tags: `[${vip}]` })).toEqual(["Ana"]);
    expect(await names(agent, { tags: `[${old}]` })).toEqual([]);
    expect(await names(agent, { whatsappIds: `[${connectionId}]` })).toEqual(["Ana"]);
    expect(await names(agent, { whatsappIds: `[${connectionId + 1}]` })).toEqual([]);
  });

  test("filters join by and: last contact, opted out, without a name", async () => {
    const { company, agent, talk } = await desk();
    const day = (daysAgo: number): string =>
      new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
    const { id } = await talk("Ana", 2);
    await talk("Bia", 40);
    await contact(company, "5511980001111");
    expect(await names(agent, { lastStart: day(7) })).toEqual(["Ana"]);
    expect(await names(agent, { lastEnd: day(30) })).toEqual(["Bia"]);
    expect(await names(agent, { unnamed: "true" })).toEqual(["5511980001111"]);
    expect(await names(agent, { unnamed: "false" })).toEqual(["Ana", "Bia"]);
    expect((await app.as(agent).put(`/contacts/${id}/opt-out`, {})).status).toBe(200);
    expect(await names(agent, { optedOut: "true" })).toEqual(["Ana"]);
    expect(await names(agent, { optedOut: "true", lastEnd: day(30) })).toEqual([]);
    expect(await names(agent, { optedOut: "false", searchParam: "bi" })).toEqual(["Bia"]);
  });
});

describe("a contact that opts out", () => {
  test("has since when and by whom; a second time changes nothing, and the end forgets it", async () => {
    const { company, agent, admin } = await office();
    const id = await contact(company, "Helena");
    const ears = await app.live(admin);
    const out = await app.as(agent).put<Shown>(`/contacts/${id}/opt-out`, {});
    expect(out.body.optOut).toEqual({
      at: expect.any(String),
      source: "person",
      user: { id: agent.id, name: agent.name },
    });
    const heard = (await ears.next(companyEvent(company.id, "contact"))) as { contact: Contact };
    expect(heard.contact.optOut).toEqual(out.body.optOut);
    const again = await app.as(admin).put<Shown>(`/contacts/${id}/opt-out`, {});
    expect(again.body.optOut).toEqual(out.body.optOut);
    const end = await app.as(agent).delete<Shown>(`/contacts/${id}/opt-out`);
    expect([end.status, end.body.optOut]).toEqual([200, null]);
    expect((await app.as(agent).put("/contacts/999999/opt-out", {})).status).toBe(404);
  });

  test("shows it on its open ticket, to those who have it on screen", async () => {
    const { company, agent, queue } = await office();
    const ticket = await app.given.ticket({
      ...{ company, status: "open", userId: agent.id, queueId: queue },
    });
    const ears = await app.live(agent);
    await app.as(agent).put(`/contacts/${ticket.contactId}/opt-out`, {});
    const heard = (await ears.next(companyEvent(company.id, "ticket"))) as { ticket: Ticket };
    expect(heard.ticket.contact.optedOut).toBe(true);
  });
});

describe("several contacts together", () => {
  type Done = ReplyOf<"POST /contacts/bulk">;
  const bulk = (user: GivenUser, body: object) => app.as(user).post<Done>("/contacts/bulk", body);

  test("a selection is worked on in portions, by id, but for those taken out of it", async () => {
    const { company, agent } = await office();
    const ids: ContactId[] = [];
    for (let n = 0; n < 23; n += 1) ids.push(await contact(company, `Cliente ${n}`));
    const selection = { filter: { searchParam: "cliente" }, except: [ids[0]] };
    const first = await bulk(agent, { selection, action: "optOut" });
    expect(first.body).toEqual({ changedIds: ids.slice(1, 21), refused: 0, afterId: ids[20] });
    const rest = await bulk(agent, { selection, action: "optOut", afterId: ids[20] });
    expect(rest.body).toEqual({ changedIds: ids.slice(21), refused: 0, afterId: null });
    expect((await list(agent, { optedOut: "true" })).count).toBe(22);
    const undo = { selection: { ids: ids.slice(0, 2) }, action: "endOptOut" };
    expect((await bulk(agent, undo)).body.changedIds).toEqual([ids[1]]);
  });

  test("admins delete; a contact with an open ticket stays, and says so", async () => {
    const { company, admin, agent, queue } = await office();
    const served = { company, queueId: queue, status: "open", userId: agent.id } as const;
    const ticket = await app.given.ticket(served);
    const free = await contact(company, "Livre");
    const body = { selection: { ids: [free, ticket.contactId, 999_999] }, action: "remove" };
    expect((await bulk(agent, body)).status).toBe(403);
    expect((await bulk(admin, body)).body).toEqual({
      changedIds: [free],
      refused: 1,
      afterId: null,
    });
    expect((await list(admin)).contacts.map(({ id }) => id)).toEqual([ticket.contactId]);
  });
});

describe("the chosen contacts as a spreadsheet", () => {
  const exportOf = (user: GivenUser, body: object) =>
    app.as(user).post<string>("/contacts/export", { format: "csv", ...body });
  const names = async (user: GivenUser, body: object): Promise<(string | undefined)[]> =>
    (await exportOf(user, body)).body.split("\r\n").map((line) => line.split(";")[0]);

  test("come by name with all that is known of them; what looks like a formula is harmless", async () => {
    const { company, agent, queue } = await office();
    const bia = await contact(company, "Bia", { number: "5511987654321", email: "b@loja.com" });
    await contact(company, "=1+1", { number: "5511987654322", at: "2026-03-09T15:04:00Z" });
    await app.as(agent).put(`/contacts/${bia}`, {
      extraInfo: [
        { name: "CPF", value: "1" },
        { name: "Bairro", value: 'A "Sul"; B' },
      ],
    });
    await app.as(agent).put(`/contacts/${bia}/opt-out`, {});
    const ticket = await app.given.ticket({ company, queueId: queue, status: "pending" });
    await run(sql`delete from tickets where id <> ${ticket.id} and company_id = ${company.id}`);
    await run(sql`
      update tickets set contact_id = ${bia}, last_message_at = '2026-11-20T13:05:00Z' where id = ${ticket.id}`);
    await run(sql`
      with made as (insert into tags (company_id, name, color) values (${company.id}, 'VIP', '#116655') returning id)
      insert into contact_tags (company_id, contact_id, tag_id) select ${company.id}, ${bia}, id from made`);
    const selection = { filter: {}, except: [ticket.contactId] };
    const reply = await exportOf(agent, { selection });
    expect([reply.headers.get("content-type"), reply.headers.get("content-disposition")]).toEqual([
      "text/csv; charset=utf-8",
      "attachment; filename*=UTF-8''contatos.csv",
    ]);
    expect(reply.body.split("\r\n")).toEqual([
      "nome;número;e-mail;etiquetas;aceita mensagens;último contato;criado em;CPF;Bairro;outras informações",
      "'=1+1;5511987654322;;;sim;;09/03/2026 12:04;;;",
      'Bia;5511987654321;b@loja.com;VIP;não;20/11/2026 10:05;01/01/2026 09:00;1;"A ""Sul""; B";',
      "",
    ]);
  });

  test("are those of the filter or of the selection, in the asked language", async () => {
    const { company, agent } = await office();
    const [ana] = [await contact(company, "Ana"), await contact(company, "Bia")];
    const english = { selection: { ids: [ana] }, language: "en" };
    expect(await names(agent, english)).toEqual(["name", "Ana", ""]);
    const selection = { filter: { searchParam: "a" }, except: [ana] };
    expect(await names(agent, { selection })).toEqual(["nome", "Bia", ""]);
    expect((await exportOf(agent, { selection, format: "pdf" })).status).toBe(400);
  });

  test("more than one page of them: each once", async () => {
    const { company, agent } = await office();
    await run(sql`
      insert into contacts (company_id, name, number)
      select ${company.id}, 'Cliente ' || n, '55119' || (10000000 + n) from generate_series(1, 2101) n`);
    const found = await names(agent, { selection: { filter: {} } });
    expect([found.length, new Set(found).size]).toEqual([2_103, 2_103]);
  });
});
