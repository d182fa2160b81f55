import type { ContactId, ReplyOf } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenCompany, GivenUser } from "../../testing/given.ts";
import { unique } from "../../testing/given.ts";

type Shown = ReplyOf<"GET /contacts/:contactId">;
type History = ReplyOf<"GET /contacts/:contactId/history">;
type Merge = ReplyOf<"GET /contacts/:contactId/merge">;
type Pairs = ReplyOf<"GET /contacts/duplicates">;
type Summary = ReplyOf<"GET /contacts/:contactId/summary">;
type Files = ReplyOf<"GET /contacts/:contactId/files">;
type Notes = ReplyOf<"GET /contacts/:contactId/notes">;
type Failure = { error: string; data: unknown };

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
    stranger: await app.given.agent({ company }),
  };
}

async function contact(
  { id }: GivenCompany,
  name: string,
  wish: { number?: string | null; email?: string; isGroup?: boolean } = {},
): Promise<ContactId> {
  const { number = `55118${10_000_000 + unique()}`, email = "", isGroup = false } = wish;
  const [row] = await run<{ id: ContactId }>(sql`
    insert into contacts (company_id, name, number, email, is_group)
    values (${id}, ${name}, ${number}, ${email}, ${isGroup}) returning id`);
  if (!row) throw new Error("no contact");
  return row.id;
}

const info = (company: GivenCompany, id: ContactId, name: string, value: string) =>
  run(sql`insert into contact_extra_info (company_id, contact_id, name, value)
          values (${company.id}, ${id}, ${name}, ${value})`);

async function shown(user: GivenUser, id: ContactId): Promise<Shown> {
  return (await app.as(user).get<Shown>(`/contacts/${id}`)).body;
}

async function history(user: GivenUser, id: ContactId, page = 1): Promise<History> {
  const reply = await app.as(user).get<History>(`/contacts/${id}/history?pageNumber=${page}`);
  expect(reply.status).toBe(200);
  return reply.body;
}

async function merge(user: GivenUser, id: ContactId, otherId: ContactId, choices: object = {}) {
  const [own, other] = [await shown(user, id), await shown(user, otherId)];
  return mergeSeen(user, own, other, choices);
}

/** Merges two contacts as they were read. */
function mergeSeen(user: GivenUser, own: Shown, other: Shown, choices: object = {}) {
  const { id, updatedAt } = own;
  const seen = { otherId: other.id, updatedAt, otherUpdatedAt: other.updatedAt };
  const body = { ...seen, ...choices };
  return app.as(user).post<Shown & Failure>(`/contacts/${id}/merge`, body);
}

describe("the history of a contact", () => {
  test("has edits field by field, opt-outs and their end, newest first, with who and when", async () => {
    const { company, agent, admin } = await office();
    const id = await contact(company, "Helena", { email: "h@a.example" });
    await info(company, id, "Tamanho", "M");
    const before = await shown(agent, id);
    const size = { ...before.extraInfo[0], value: "P" };
    await app.as(agent).put(`/contacts/${id}`, {
      ...{ name: "Helena Duarte", email: "h@a.example", disableBot: true },
      extraInfo: [size, { name: "Pedido", value: "88213" }],
    });
    await app.as(admin).put(`/contacts/${id}/opt-out`, {});
    await app.as(admin).put(`/contacts/${id}/opt-out`, {});
    await app.as(agent).post("/contacts/bulk", { selection: { ids: [id] }, action: "endOptOut" });
    // The same values again are no event.
    await app.as(agent).put(`/contacts/${id}`, { name: "Helena Duarte" });
    const { events, count } = await history(agent, id);
    expect(count).toBe(3);
    expect(events.map(({ user, change }) => [user?.name, change])).toEqual([
      [agent.name, { kind: "optOutEnded" }],
      [admin.name, { kind: "optedOut", source: "person" }],
      [
        agent.name,
        {
          kind: "edited",
          fields: [
            { field: "name", label: "", from: "Helena", to: "Helena Duarte" },
            { field: "disableBot", label: "", from: "false", to: "true" },
            { field: "extraInfo", label: "Tamanho", from: "M", to: "P" },
            { field: "extraInfo", label: "Pedido", from: "", to: "88213" },
          ],
        },
      ],
    ]);
  });

  test("comes in pages of twenty, and goes with the contact only", async () => {
    const { company, admin } = await office();
    const id = await contact(company, "Ana");
    for (let n = 0; n < 21; n += 1)
      await app.as(admin).put(`/contacts/${id}`, { name: `Ana ${n}` });
    expect((await history(admin, id)).events).toHaveLength(20);
    expect((await history(admin, id, 2)).events).toHaveLength(1);
    expect((await app.as(admin).delete(`/contacts/${id}`)).status).toBe(200);
    expect((await app.as(admin).get(`/contacts/${id}/history`)).status).toBe(404);
    expect(await run(sql`select 1 from contact_events where contact_id = ${id}`)).toEqual([]);
  });
});

describe("two people edit one contact", () => {
  test("the second one is told what is there now and who changed it, and nothing is overwritten", async () => {
    const { company, agent, admin } = await office();
    const id = await contact(company, "Helena", { email: "a@a.example" });
    const seen = await shown(agent, id);
    await app.as(admin).put(`/contacts/${id}`, { email: "b@b.example" });
    const body = { email: "c@c.example", ifUpdatedAt: seen.updatedAt };
    const refused = await app.as(agent).put<Failure>(`/contacts/${id}`, body);
    const now = await shown(agent, id);
    expect([refused.status, refused.body.error]).toEqual([409, "ERR_CONTACT_CHANGED"]);
    expect(refused.body.data).toMatchObject({
      contact: { updatedAt: now.updatedAt, name: "Helena", email: "b@b.example", extraInfo: [] },
      changes: [{ field: "email", label: "", user: { id: admin.id, name: admin.name } }],
    });
    expect(now.email).toBe("b@b.example");
    const again = { ...body, ifUpdatedAt: now.updatedAt };
    expect((await app.as(agent).put<Shown>(`/contacts/${id}`, again)).body.email).toBe(
      "c@c.example",
    );
    // Clients that do not name what they saw go on as before.
    expect((await app.as(agent).put(`/contacts/${id}`, { name: "Lena" })).status).toBe(200);
  });

  test("of two that save at once one is refused", async () => {
    const { company, agent, admin } = await office();
    const id = await contact(company, "Helena");
    const { updatedAt: ifUpdatedAt } = await shown(agent, id);
    const replies = await Promise.all(
      [agent, admin].map((user, n) =>
        app.as(user).put(`/contacts/${id}`, { name: `Nome ${n}`, ifUpdatedAt }),
      ),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  });
});

describe("a merge by hand", () => {
  test("keeps the chosen values, both numbers and every opt-out, and the history has the rest", async () => {
    const { company, agent } = await office();
    const id = await contact(company, "Helena Duarte", { number: "5511984562210" });
    const otherId = await contact(company, "Helena D.", {
      ...{ number: "5521977770000", email: "h@b.example" },
    });
    await info(company, id, "Tamanho", "M");
    await info(company, id, "Pedido", "88213");
    await info(company, otherId, "Tamanho", "P");
    await info(company, otherId, "Cidade", "Niterói");
    await app.as(agent).put(`/contacts/${otherId}/opt-out`, {});
    const { body, status } = await merge(agent, id, otherId, {
      ...{ number: "other", extraInfo: [{ name: "Tamanho", from: "other" }] },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ id, name: "Helena Duarte", number: "5521977770000", email: "h@b.example" },
      optOut: { source: "person", user: { id: agent.id } },
    });
    expect(new Map(body.extraInfo.map(({ name, value }) => [name, value]))).toEqual(
      new Map([
        ["Cidade", "Niterói"],
        ["Pedido", "88213"],
        ["Tamanho", "P"],
      ]),
    );
    expect((await app.as(agent).get(`/contacts/${otherId}`)).status).toBe(404);
    const summary = await app.as(agent).get<Summary>(`/contacts/${id}/summary`);
    expect(summary.body.otherNumbers).toEqual(["5511984562210"]);
    const { events } = await history(agent, id);
    expect(events.map(({ change }) => change)).toEqual([
      {
        kind: "merged",
        contact: { name: "Helena D.", number: "5521977770000", email: "h@b.example" },
        lost: [{ field: "extraInfo", label: "Tamanho", value: "M" }],
      },
      // The history of the other one came along.
      { kind: "optedOut", source: "person" },
    ]);
    // Whoever writes from the number that gave way is this contact.
    const known = await app.as(agent).post<Shown & { alreadyExists: true }>("/contacts", {
      ...{ name: "Outra", number: "5511984562210" },
    });
    expect(known.body).toMatchObject({ id, alreadyExists: true });
  });

  test("brings tickets, messages, notes and schedules together, and says so before", async () => {
    const { company, agent, queue } = await office();
    const connectionId = await app.given.connection({ company, linked: false });
    const wish = { company, connectionId, queueId: queue };
    const one = await app.given.ticket({ ...wish, status: "open", userId: agent.id });
    const two = await app.given.ticket({ ...wish, status: "pending" });
    await app.given.message(one, { queueId: queue });
    await app.given.message(two, { queueId: queue });
    await app.given.message(two, { queueId: queue });
    const note = { ticketId: two.id, note: "Prefere contato pela manhã." };
    await app.as(agent).post("/ticket-notes", note);
    const path = `/contacts/${one.contactId}/merge?otherId=${two.contactId}`;
    const before = await app.as(agent).get<Merge>(path);
    expect(before.body).toMatchObject({
      own: { messages: 1, notes: 0, contact: { id: one.contactId } },
      other: { messages: 2, notes: 1, contact: { id: two.contactId } },
      ...{ reason: null, inTheWay: [] },
    });
    expect((await merge(agent, one.contactId, two.contactId)).status).toBe(200);
    const rows = await run<{ tickets: number; messages: number; notes: number }>(sql`
      select (select count(*)::int from tickets where contact_id = ${one.contactId}) as tickets,
        (select count(*)::int from messages where ticket_id = ${one.id} and media_type = 'conversation') as messages,
        (select count(*)::int from ticket_notes where ticket_id = ${one.id}) as notes`);
    expect(rows).toEqual([{ tickets: 1, messages: 3, notes: 1 }]);
  });

  test("is refused while both are served on one connection, and tells the two tickets", async () => {
    const { company, agent, queue } = await office();
    const connectionId = await app.given.connection({ company, linked: false });
    const wish = {
      company,
      connectionId,
      queueId: queue,
      status: "open",
      userId: agent.id,
    } as const;
    const [one, two] = [await app.given.ticket(wish), await app.given.ticket(wish)];
    const { status, body } = await merge(agent, one.contactId, two.contactId);
    expect([status, body.error]).toEqual([409, "ERR_CONTACTS_BOTH_SERVED"]);
    expect(body.data).toEqual({
      tickets: [one, two].map(({ id, uuid, contactId }) => ({ id, uuid, contactId })),
    });
    expect((await shown(agent, two.contactId)).id).toBe(two.contactId);
  });

  test("is refused for groups, for one contact twice, for what changed, and for tickets out of sight", async () => {
    const { company, agent, stranger, queue } = await office();
    const [ana, bia] = [await contact(company, "Ana"), await contact(company, "Bia")];
    const group = await contact(company, "Família", { isGroup: true });
    const code = async (reply: ReturnType<typeof merge>): Promise<string> =>
      (await reply).body.error;
    expect(await code(merge(agent, ana, group))).toBe("ERR_CONTACTS_NOT_MERGEABLE");
    expect(await code(merge(agent, ana, ana))).toBe("ERR_CONTACTS_NOT_MERGEABLE");
    const otherUpdatedAt = "2020-01-01T00:00:00.000Z";
    expect(await code(merge(agent, ana, bia, { otherUpdatedAt }))).toBe("ERR_CONTACT_CHANGED");
    const ticket = await app.given.ticket({ company, queueId: queue });
    expect(await code(merge(stranger, ana, ticket.contactId))).toBe("ERR_CONTACT_NUMBER_FORBIDDEN");
    expect((await merge(agent, ana, ticket.contactId)).status).toBe(200);
  });

  test("both ways at once makes one contact", async () => {
    const { company, agent } = await office();
    const [ana, bia] = [await contact(company, "Ana"), await contact(company, "Bia")];
    const [one, other] = [await shown(agent, ana), await shown(agent, bia)];
    const replies = await Promise.all([mergeSeen(agent, one, other), mergeSeen(agent, other, one)]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
    const left = await run(sql`select 1 from contacts where company_id = ${company.id}`);
    expect(left).toHaveLength(1);
  });
});

describe("contacts that may be one person", () => {
  const pairsOf = async (user: GivenUser): Promise<Pairs> =>
    (await app.as(user).get<Pairs>("/contacts/duplicates")).body;
  const idsOf = async (user: GivenUser): Promise<ContactId[][]> =>
    (await pairsOf(user)).pairs.map(({ contacts }) => contacts.map(({ id }) => id));
  const flags = async (user: GivenUser): Promise<(ContactId | null)[]> => {
    const { body } = await app.as(user).get<ReplyOf<"GET /contacts">>("/contacts?sort=createdAt");
    return body.contacts.toSorted((a, b) => a.id - b.id).map(({ duplicateId }) => duplicateId);
  };

  test("have the same name and e-mail, or the same name and one of them no number", async () => {
    const { company, agent } = await office();
    const email = "Helena@loja.example";
    const a = await contact(company, "Helena Duarte", { email });
    const b = await contact(company, "helena duarte", { email: "helena@LOJA.example" });
    await contact(company, "Otávio", { email });
    const numbered = await contact(company, "Caio Nunes");
    const unnumbered = await contact(company, "Cáio Nunes", { number: null });
    // One word names many, and so does a name with two numbers.
    await contact(company, "Ana");
    await contact(company, "Ana", { number: null });
    for (const number of ["5511980000001", "5511980000002", null]) {
      await contact(company, "Maria Silva", { number });
    }
    const { pairs, count, hasMore } = await pairsOf(agent);
    expect(pairs.map(({ contacts, reason }) => [contacts.map(({ id }) => id), reason])).toEqual([
      [[a, b], "nameAndEmail"],
      [[numbered, unnumbered], "privateAddress"],
    ]);
    expect([count, hasMore]).toEqual([2, false]);
    expect(await flags(agent)).toEqual([
      ...[b, a, null, unnumbered, numbered],
      ...[null, null, null, null, null],
    ]);
    const path = `/contacts/${a}/merge?otherId=${b}`;
    expect((await app.as(agent).get<Merge>(path)).body.reason).toBe("nameAndEmail");
  });

  test("are not suggested again once somebody said that they are two people", async () => {
    const { company, agent } = await office();
    const email = "h@loja.example";
    const [a, b, c] = [
      await contact(company, "Helena", { email }),
      await contact(company, "Helena", { email }),
      await contact(company, "Helena", { email }),
    ];
    expect(await idsOf(agent)).toEqual([
      [a, b],
      [a, c],
    ]);
    const apart = (one: ContactId, otherId: ContactId) =>
      app.as(agent).post(`/contacts/${one}/distinct`, { otherId });
    expect((await apart(b, a)).status).toBe(200);
    expect((await apart(b, a)).status).toBe(200);
    expect((await apart(b, b)).status).toBe(400);
    expect(await idsOf(agent)).toEqual([
      [a, c],
      [b, c],
    ]);
    await apart(a, c);
    await apart(b, c);
    expect(await pairsOf(agent)).toEqual({ pairs: [], count: 0, hasMore: false });
    expect(await flags(agent)).toEqual([null, null, null]);
  });
});

describe("the cards of a contact's page", () => {
  test("the summary has tags, connections, lists and the ticket for a new note", async () => {
    const { company, admin, agent, stranger, queue } = await office();
    const connectionId = await app.given.connection({ company, name: "Loja", linked: false });
    const wish = { company, connectionId, queueId: queue, status: "open" } as const;
    const ticket = await app.given.ticket({ ...wish, userId: agent.id });
    const summary = async (user: GivenUser): Promise<Summary> =>
      (await app.as(user).get<Summary>(`/contacts/${ticket.contactId}/summary`)).body;
    await app.as(admin).post("/tags", { name: "VIP", color: "#ff8800" });
    const [tag] = (await app.as(admin).get<{ id: number }[]>("/tags/list")).body;
    await app.as(admin).post("/tags/sync", { ticketId: ticket.id, tags: [tag] });
    const list = await app.as(admin).post<{ id: number }>("/contact-lists", { name: "Clientes" });
    await app.as(admin).post(`/contact-lists/${list.body.id}/contacts`, {
      selection: { ids: [ticket.contactId] },
    });
    expect(await summary(admin)).toMatchObject({
      ...{ tags: [{ name: "VIP" }], connections: [{ id: connectionId, name: "Loja" }] },
      ...{ lists: [{ id: list.body.id, name: "Clientes" }], listCount: 1 },
      ...{ otherNumbers: [], openTicketId: ticket.id, noteTicketId: ticket.id, duplicateId: null },
    });
    expect(await summary(agent)).toMatchObject({ lists: [], noteTicketId: ticket.id });
    expect(await summary(stranger)).toMatchObject({ noteTicketId: null });
  });

  test("notes and files are those of tickets in sight; attendances say which can be opened", async () => {
    const { company, admin, agent, stranger, queue } = await office();
    const wish = { company, queueId: queue, status: "open" } as const;
    const ticket = await app.given.ticket({ ...wish, userId: agent.id });
    await app.as(agent).post("/ticket-notes", { ticketId: ticket.id, note: "Gosta de linho." });
    const [picture, other] = [
      await app.given.message(ticket, { queueId: queue }),
      await app.given.message(ticket, { queueId: queue }),
    ];
    await run(sql`update messages set media_type = 'image' where id in (${picture}, ${other})`);
    await run(sql`
      insert into message_media (company_id, message_id, kind, state, name, mime)
      values (${company.id}, ${picture}, 'image', 'unavailable', 'foto.jpg', 'image/jpeg'),
             (${company.id}, ${other}, 'document', 'unavailable', 'nota.pdf', 'application/pdf')`);
    const read = async <Reply>(user: GivenUser, path: string): Promise<Reply> => {
      const reply = await app.as(user).get<Reply>(`/contacts/${ticket.contactId}/${path}`);
      expect(reply.status).toBe(200);
      return reply.body;
    };
    for (const user of [admin, agent]) {
      const { notes, count } = await read<Notes>(user, "notes");
      expect([notes.map(({ note }) => note), count]).toEqual([["Gosta de linho."], 1]);
      const pictures = await read<Files>(user, "files?kind=pictures");
      expect(pictures.messages.map(({ media }) => media?.name)).toEqual(["foto.jpg"]);
      const others = await read<Files>(user, "files?kind=others");
      expect(others.messages.map(({ media }) => media?.name)).toEqual(["nota.pdf"]);
      expect(others).toMatchObject({ count: 1, hasMore: false });
    }
    expect((await read<Notes>(stranger, "notes")).count).toBe(0);
    const none = { messages: [], count: 0, hasMore: false };
    expect(await read<Files>(stranger, "files?kind=pictures")).toEqual(none);
    type Attendances = ReplyOf<"GET /contacts/:contactId/attendances">;
    const { attendances } = await read<Attendances>(agent, "attendances");
    expect(attendances).toMatchObject([{ isAccessible: true, messageCount: 2 }]);
    // Of the agent's own queue, but served by somebody else.
    const colleague = await app.given.agent({ company, queueIds: [queue] });
    const seen = await read<Attendances>(colleague, "attendances");
    expect(seen.attendances).toMatchObject([{ isAccessible: false }]);
  });
});
