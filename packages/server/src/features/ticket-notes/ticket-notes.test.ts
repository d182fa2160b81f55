import type { MentionNotice, NoteReaders, TicketNote } from "@balcao/contract";
import { clientEvents, companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test, vi } from "vitest";
import type { LiveClient } from "../auth/testing/live-client.ts";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

async function office() {
  const { given } = app;
  const company = await given.company();
  const queueId = await given.queue({ company });
  const ana = await given.agent({ company, queueIds: [queueId], name: "Ana" });
  return {
    company,
    queueId,
    ana,
    bia: await given.agent({ company, queueIds: [queueId] }),
    admin: await given.admin({ company }),
    stranger: await given.admin({ company: await given.company() }),
    /** In the queue of both agents. */
    ticket: await given.ticket({ company, queueId, contactName: "Cliente" }),
    /** Ana serves it. */
    anas: await given.ticket({ company, queueId, status: "open", userId: ana.id }),
  };
}

const add = (user: GivenUser, body: Record<string, unknown>) =>
  app.as(user).post<TicketNote & { code?: string }>("/ticket-notes", body);
const list = (user: GivenUser, ticketId: number, more = "") =>
  app
    .as(user)
    .get<TicketNote[] & { code?: string }>(`/ticket-notes/list?ticketId=${ticketId}${more}`);
const remove = (user: GivenUser, noteId: number) =>
  app.as(user).delete<{ code?: string; message?: string }>(`/ticket-notes/${noteId}`);

/** A note as admins see it: only they know addresses to sign in with. */
const withEmail = (note: TicketNote, { email }: GivenUser): TicketNote => ({
  ...note,
  user: { ...note.user, email },
});

async function opened(client: LiveClient, companyId: number, ticketId: number): Promise<void> {
  client.socket.emit(clientEvents.joinChatBox, String(ticketId));
  // The room is entered in its turn; a note of the room's own says that it was.
  await vi.waitFor(async () => {
    const admin = await app.given.admin({ company: { id: companyId as never, name: "" } });
    await add(admin, { ticketId, note: "Sinal" });
    expect(client.heard.map(({ name }) => name)).toContain(companyEvent(companyId, "ticketNote"));
  });
  client.heard.splice(0);
}

test("a note is added to a ticket with its author, contact and ticket", async () => {
  const { ana, ticket } = await office();
  const reply = await add(ana, { note: "  Prefere de manhã ", ticketId: String(ticket.id) });
  expect(reply.status).toBe(200);
  expect(reply.body).toMatchObject({
    note: "Prefere de manhã",
    userId: ana.id,
    user: { id: ana.id, name: "Ana", email: "" },
    ticketId: ticket.id,
    contact: { id: ticket.contactId, name: "Cliente" },
    ticket: { id: ticket.id, status: "pending" },
  });
  const second = await add(ana, { note: "Outra", ticketId: ticket.id, contactId: 1 });
  // The contact is the ticket's, whichever the client names.
  expect(second.body.contactId).toBe(ticket.contactId);
  expect((await list(ana, ticket.id)).body).toEqual([second.body, reply.body]);
  expect((await list(ana, ticket.id, `&contactId=${ticket.contactId}`)).body).toHaveLength(2);
  expect((await list(ana, ticket.id, `&contactId=${ticket.contactId + 1}`)).body).toEqual([]);
});

test.for([
  [{ note: "x" }, "ERR_TICKETNOTE_INVALID_NAME"],
  [{ note: "   x   " }, "ERR_TICKETNOTE_INVALID_NAME"],
  [{ note: "" }, "ERR_TICKETNOTE_INVALID_NAME"],
  [{ note: "n".repeat(4_001) }, "ERR_INVALID_REQUEST"],
  [{}, "ERR_INVALID_REQUEST"],
] as const)("a note like %j is refused", async ([body, code]) => {
  const { ana, ticket } = await office();
  const reply = await add(ana, { ...body, ticketId: ticket.id });
  expect([reply.status, reply.body.code]).toEqual([400, code]);
  expect((await list(ana, ticket.id)).body).toEqual([]);
});

test("users who may see the ticket add, list and delete notes", async () => {
  const { ana, bia, admin, stranger, anas } = await office();
  const note = (await add(ana, { note: "Da Ana", ticketId: anas.id })).body;
  for (const [user, expected] of [
    [bia, [403, "ERR_TICKET_FORBIDDEN"]],
    [stranger, [404, "ERR_NO_TICKET_FOUND"]],
  ] as const) {
    const added = await add(user, { note: "De fora", ticketId: anas.id });
    expect([added.status, added.body.code]).toEqual(expected);
    const listed = await list(user, anas.id);
    expect([listed.status, listed.body.code]).toEqual(expected);
  }
  const byBia = await remove(bia, note.id);
  expect([byBia.status, byBia.body.code]).toEqual([403, "ERR_TICKET_FORBIDDEN"]);
  const byStranger = await remove(stranger, note.id);
  expect([byStranger.status, byStranger.body.code]).toEqual([404, "ERR_NO_TICKETNOTE_FOUND"]);
  // No step was done alone.
  expect((await list(admin, anas.id)).body).toEqual([withEmail(note, ana)]);
});

test("a note is removed by its author or an admin, not by a colleague who sees it", async () => {
  const { ana, bia, admin, ticket } = await office();
  const [one, two] = [
    (await add(ana, { note: "Primeira", ticketId: ticket.id })).body,
    (await add(ana, { note: "Segunda", ticketId: ticket.id })).body,
  ];
  const refused = await remove(bia, one.id);
  expect([refused.status, refused.body.code]).toEqual([403, "ERR_NO_PERMISSION"]);
  const byAuthor = await remove(ana, one.id);
  expect([byAuthor.status, byAuthor.body]).toEqual([200, { message: "Observação removida" }]);
  expect((await remove(admin, two.id)).status).toBe(200);
  const again = await remove(admin, two.id);
  expect([again.status, again.body.code]).toEqual([404, "ERR_NO_TICKETNOTE_FOUND"]);
  expect((await list(ana, ticket.id)).body).toEqual([]);
});

test("notes are published to admins and users with the ticket open, not to other colleagues or companies", async () => {
  const { company, ana, bia, admin, stranger, anas } = await office();
  const [window, elsewhere, admins, foreign] = [
    await app.live(ana),
    await app.live(bia),
    await app.live(admin),
    await app.live(stranger),
  ];
  await opened(window, company.id, anas.id);
  elsewhere.socket.emit(clientEvents.joinChatBox, String(anas.id));
  elsewhere.socket.emit(clientEvents.joinNotification);
  admins.heard.splice(0);

  const note = (await add(ana, { note: "Sigilo", ticketId: anas.id })).body;
  await remove(ana, note.id);
  for (const [client, seen] of [
    [window, note],
    [admins, withEmail(note, ana)],
  ] as const) {
    const heard = () =>
      client.heard.flatMap(({ name, payload }) =>
        name === companyEvent(company.id, "ticketNote") ? [payload] : [],
      );
    await vi.waitFor(() =>
      expect(heard().slice(-2)).toEqual([
        { action: "create", note: seen },
        { action: "delete", noteId: note.id, ticketId: anas.id },
      ]),
    );
  }
  await app.as(admin).put("/settings/call", { value: "enabled" });
  await elsewhere.next(companyEvent(company.id, "settings"));
  expect(JSON.stringify([elsewhere.heard, foreign.heard])).not.toContain("Sigilo");
  expect(elsewhere.heard.map(({ name }) => name)).not.toContain(
    companyEvent(company.id, "ticketNote"),
  );
});

/** A ticket with a note from queue Suporte that waits in Vendas now; the note's author has Vendas only. */
async function movedNote() {
  const { given } = app;
  const company = await given.company();
  const [sales, support] = [await given.queue({ company }), await given.queue({ company })];
  const place = {
    ...{ company, sales, support },
    author: await given.agent({ company, queueIds: [sales] }),
    ofSales: await given.agent({ company, queueIds: [sales] }),
    ofBoth: await given.agent({ company, queueIds: [sales, support] }),
    admin: await given.admin({ company }),
    ticket: await given.ticket({ company, queueId: support }),
  };
  const { author, admin, ticket } = place;
  const move = async (change: object): Promise<void> => {
    expect((await app.as(admin).put(`/tickets/${ticket.id}`, change)).status).toBe(200);
  };
  await move({ status: "open", userId: author.id });
  const note = (await add(author, { note: "Segredo", ticketId: ticket.id })).body;
  await move({ status: "pending", userId: null, queueId: sales });
  return { ...place, note };
}

const textsFor = async (user: GivenUser, ticketId: number) =>
  (await list(user, ticketId)).body.map(({ note }) => note);

test("a note stays with the readers of the queue in which it was written, with its author and with admins", async () => {
  const { author, ofSales, ofBoth, admin, ticket, note } = await movedNote();
  for (const reader of [author, ofBoth, admin]) {
    expect(await textsFor(reader, ticket.id)).toEqual(["Segredo"]);
  }
  expect(await textsFor(ofSales, ticket.id)).toEqual([]);
  const removal = await remove(ofSales, note.id);
  expect([removal.status, removal.body.code]).toEqual([404, "ERR_NO_TICKETNOTE_FOUND"]);
  // Any colleague who sees the ticket adds to it, and reads what was written in its queue.
  await add(ofSales, { note: "De Vendas", ticketId: ticket.id });
  expect(await textsFor(ofSales, ticket.id)).toEqual(["De Vendas"]);
  expect(await textsFor(ofBoth, ticket.id)).toEqual(["De Vendas", "Segredo"]);
  await remove(author, note.id);
  expect(await textsFor(admin, ticket.id)).toEqual(["De Vendas"]);
});

test("notes of a deleted queue go to its successor's readers, or to all; so do those from before queues were kept", async () => {
  const { company, support, ofSales, admin, ticket } = await movedNote();
  const third = await app.given.queue({ company });
  await app.as(admin).delete(`/queue/${support}?targetQueueId=${third}`);
  expect(await textsFor(ofSales, ticket.id)).toEqual([]);
  await app.as(admin).delete(`/queue/${third}`);
  expect(await textsFor(ofSales, ticket.id)).toEqual(["Segredo"]);

  const other = await movedNote();
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`update ticket_notes set queue_id = null where id = ${other.note.id}`),
  );
  expect(await textsFor(other.ofSales, other.ticket.id)).toEqual(["Segredo"]);
});

test("a user who may not read a note is told neither of its creation nor of its deletion", async () => {
  const { company, support, author, ofSales, ofBoth, admin, ticket, note } = await movedNote();
  const [deaf, hearing, writing] = [
    await app.live(ofSales),
    await app.live(ofBoth),
    await app.live(author),
  ];
  for (const client of [deaf, hearing, writing]) await opened(client, company.id, ticket.id);
  const heard = (client: LiveClient) =>
    client.heard.flatMap(({ name, payload }) =>
      name === companyEvent(company.id, "ticketNote") ? [payload] : [],
    );
  await remove(admin, note.id);
  const gone = { action: "delete", noteId: note.id, ticketId: ticket.id };
  for (const client of [hearing, writing]) {
    await vi.waitFor(() => expect(heard(client)).toContainEqual(gone));
  }
  // Resolved, it is seen by the agent who served it and by its last queue, whose readers alone read its notes.
  await app.as(admin).put(`/tickets/${ticket.id}`, { queueId: support });
  await app.as(admin).put(`/tickets/${ticket.id}`, { status: "open", userId: ofSales.id });
  await app.as(admin).put(`/tickets/${ticket.id}`, { status: "closed" });
  deaf.socket.emit(clientEvents.joinChatBox, `${ticket.id}`);
  await opened(hearing, company.id, ticket.id);
  const last = (await add(ofBoth, { note: "Depois", ticketId: ticket.id })).body;
  await vi.waitFor(() => expect(heard(hearing)).toContainEqual({ action: "create", note: last }));
  await app.as(admin).put("/settings/call", { value: "enabled" });
  await deaf.next(companyEvent(company.id, "settings"));
  expect(JSON.stringify(heard(deaf))).not.toContain("Depois");
  expect(heard(deaf)).not.toContainEqual(gone);
});

test("the newest 500 notes are listed; a former user's have an author without name", async () => {
  const { company, ana, admin, ticket } = await office();
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      insert into ticket_notes (company_id, ticket_id, contact_id, user_id, note)
      select ${company.id}, ${ticket.id}, ${ticket.contactId}, ${ana.id}, 'Nota ' || n
      from generate_series(1, 501) n`),
  );
  const { body } = await list(admin, ticket.id);
  expect(body).toHaveLength(500);
  expect([body.at(0)?.note, body.at(-1)?.note]).toEqual(["Nota 501", "Nota 2"]);
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`delete from users where id = ${ana.id}`),
  );
  expect((await list(admin, ticket.id)).body.at(0)).toMatchObject({
    userId: null,
    user: { id: null, name: "", email: "" },
  });
});

const mentions = async (user: GivenUser) =>
  (await app.as(user).get<MentionNotice[]>("/ticket-notes/mentions")).body;
const edit = (user: GivenUser, noteId: number, body: object) =>
  app.as(user).put<TicketNote & { code?: string }>(`/ticket-notes/${noteId}`, body);
const undo = (user: GivenUser, noteId: number) =>
  app.as(user).post<TicketNote & { code?: string }>(`/ticket-notes/${noteId}/undo`, {});

test("a mentioned person, and each agent of a mentioned queue, gets a notice where they may read the note", async () => {
  const { company, queueId, ana, bia, admin, ticket } = await office();
  const other = await app.given.queue({ company, name: "Outra" });
  const caio = await app.given.agent({ company, queueIds: [other], name: "Caio" });
  const { body: readers } = await app
    .as(ana)
    .get<NoteReaders>(`/ticket-notes/readers?ticketId=${ticket.id}`);
  expect(readers.users.find(({ id }) => id === bia.id)?.canRead).toBe(true);
  expect(readers.users.find(({ id }) => id === caio.id)?.canRead).toBe(false);
  expect(readers.queues.map(({ id }) => id)).toEqual(expect.arrayContaining([queueId, other]));

  const ear = await app.live(bia);
  const asked = { mentionedUserIds: [caio.id, admin.id], mentionedQueueIds: [queueId] };
  const { body: note } = await add(ana, { note: "@Caio veja", ticketId: ticket.id, ...asked });
  expect(note.mentions).toEqual([
    expect.objectContaining({ kind: "user", id: Math.min(caio.id, admin.id) }),
    expect.objectContaining({ kind: "user", id: Math.max(caio.id, admin.id) }),
    expect.objectContaining({ kind: "queue", id: queueId }),
  ]);
  await ear.next(companyEvent(company.id, "mention"));
  expect((await mentions(bia)).map((one) => one.note.id)).toEqual([note.id]);
  expect((await mentions(admin)).map((one) => one.note.id)).toEqual([note.id]);
  // The author gets none, and Caio may not see the ticket.
  expect(await mentions(ana)).toEqual([]);
  expect(await mentions(caio)).toEqual([]);
  expect(
    (await add(ana, { note: "Oi", ticketId: ticket.id, mentionedUserIds: [2_000_000] })).status,
  ).toBe(404);
});

test("opening the ticket reads its mentions, in every window; one who may no longer see it has none", async () => {
  const { company, ana, bia, admin, ticket } = await office();
  const mentioned = { ticketId: ticket.id, mentionedUserIds: [bia.id, admin.id] };
  await add(ana, { note: "Primeira", ...mentioned });
  await add(ana, { note: "Segunda", ...mentioned });
  const ear = await app.live(admin);
  await app.as(admin).post("/ticket-notes/mentions/read", { ticketId: ticket.id });
  expect(await ear.next(companyEvent(company.id, "mention"))).toEqual({
    action: "read",
    ticketId: ticket.id,
  });
  expect(await mentions(admin)).toEqual([]);
  expect((await mentions(bia)).map(({ note }) => note.note)).toEqual(["Segunda", "Primeira"]);
  await app.as(admin).put(`/tickets/${ticket.id}`, { status: "open", userId: ana.id });
  expect(await mentions(bia)).toEqual([]);
});

test("its author edits a note for 15 minutes; who is mentioned then is told, who no longer is loses the notice", async () => {
  const { ana, bia, admin, ticket } = await office();
  const { body: note } = await add(ana, {
    ...{ note: "@Bia veja", ticketId: ticket.id },
    mentionedUserIds: [bia.id],
  });
  const changed = { note: "@Chefe veja", mentionedUserIds: [admin.id] };
  expect((await edit(admin, note.id, changed)).body.code).toBe("ERR_NO_PERMISSION");
  expect((await edit(ana, note.id, { note: "x" })).body.code).toBe("ERR_TICKETNOTE_INVALID_NAME");
  const { body: edited } = await edit(ana, note.id, changed);
  expect(edited).toMatchObject({ id: note.id, note: "@Chefe veja" });
  expect((await list(ana, ticket.id)).body).toEqual([edited]);
  expect([await mentions(bia), (await mentions(admin)).length]).toEqual([[], 1]);
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      update ticket_notes set created_at = created_at - interval '15 minutes' where id = ${note.id}`),
  );
  const late = await edit(ana, note.id, { note: "Tarde" });
  expect([late.status, late.body.code]).toEqual([409, "ERR_TICKETNOTE_TOO_OLD"]);
});

test("a removed note comes back for its remover alone, for ten seconds, and its mentions with it", async () => {
  const { ana, bia, admin, ticket } = await office();
  const { body: note } = await add(ana, {
    ...{ note: "@Bia veja", ticketId: ticket.id },
    mentionedUserIds: [bia.id],
  });
  await remove(ana, note.id);
  expect([(await list(ana, ticket.id)).body, await mentions(bia)]).toEqual([[], []]);
  expect((await undo(admin, note.id)).body.code).toBe("ERR_UNDO_OVER");
  expect((await undo(ana, note.id)).body).toEqual(note);
  expect((await list(ana, ticket.id)).body).toEqual([note]);
  expect(await mentions(bia)).toHaveLength(1);

  await remove(ana, note.id);
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      update ticket_notes set deleted_at = deleted_at - interval '11 seconds' where id = ${note.id}`),
  );
  expect((await undo(ana, note.id)).status).toBe(409);
});
