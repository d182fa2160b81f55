import type {
  ConnectionId,
  Contact,
  ExtraInfo,
  Message,
  ReplyOf,
  Schedule,
  Ticket,
} from "@balcao/contract";
import { clientEvents, companyEvent, companyEvents } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { LiveClient } from "../auth/testing/live-client.ts";
import type { Reply, TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";
import { unique } from "../../testing/given.ts";

type Made = Contact & {
  extraInfo: ExtraInfo[];
  invalido: boolean;
  alreadyExists?: true;
  existingContact?: Contact;
};

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});

const run = <Row>(statement: ReturnType<typeof sql>): Promise<Row[]> =>
  app.database.db.acrossCompanies((tx) => tx.query<Row>(statement));

type Office = Awaited<ReturnType<typeof newOffice>>;
let shared: Promise<Office> | undefined;
/** A line takes a moment to come online, so most tests share one. */
const office = (): Promise<Office> => (shared ??= newOffice());

/** A company whose line is on the simulated network. */
async function newOffice() {
  const company = await app.given.company();
  const agent = await app.given.agent({ company });
  const connectionId = await app.given.connection({ company });
  await vi.waitFor(
    async () => {
      const path = `/whatsapp/${connectionId}`;
      const reply = await app.as(agent).get<{ status: string }>(path);
      expect(reply.body.status).toBe("CONNECTED");
    },
    { interval: 20 },
  );
  return { company, agent, connectionId };
}

const create = (user: GivenUser, body: object): Promise<Reply<Made>> =>
  app.as(user).post<Made>("/contacts", body);

/** A mobile number that nobody has. */
const mobile = (): string => `119${80_000_000 + unique() * 7}`;

const addressesOf = (id: number) =>
  run(sql`select kind, key, value from contact_addresses where contact_id = ${id}`);

describe("a new contact", () => {
  test("has the number as the chat network writes it, its fields, and is published to the company", async () => {
    const { agent, company } = await office();
    const ears = await app.live(agent);
    const number = mobile();
    const written = `(${number.slice(0, 2)}) ${number.slice(2, 7)}-${number.slice(7)}`;
    const extraInfo = [{ name: "Cidade", value: "Recife" }];
    const reply = await create(agent, {
      ...{ name: " Ana Lima ", number: written, email: "ana@loja.example", extraInfo },
    });
    expect([reply.status, reply.body]).toEqual([
      200,
      expect.objectContaining({
        ...{ name: "Ana Lima", number: `55${number}`, email: "ana@loja.example" },
        ...{ isGroup: false, active: true, companyId: company.id, invalido: false },
        extraInfo: [expect.objectContaining({ name: "Cidade", value: "Recife" })],
      }),
    ]);
    expect(reply.body).not.toHaveProperty("alreadyExists");
    expect(await addressesOf(reply.body.id)).toEqual([
      { kind: "pn", key: `55${number}`, value: `55${number}` },
    ]);
    const event = {
      name: companyEvent(company.id, "contact"),
      payload: { action: "create", contact: expect.objectContaining({ id: reply.body.id }) },
    };
    await vi.waitFor(() => expect(ears.heard).toContainEqual(event));
  });

  test("with a known number is the one that has it, in either form of the ninth digit", async () => {
    const { agent } = await office();
    const number = mobile();
    const made = await create(agent, { name: "Ana", number });
    const short = `55${number.slice(0, 2)}${number.slice(3)}`;
    for (const again of [number, short, `+55 ${number}`]) {
      const reply = await create(agent, { name: "Outra", number: again });
      expect([reply.status, reply.body]).toEqual([
        200,
        expect.objectContaining({
          ...{ id: made.body.id, name: "Ana", alreadyExists: true, invalido: false },
          existingContact: expect.objectContaining({ id: made.body.id, name: "Ana" }),
        }),
      ]);
    }
  });

  test("is one, however often it is made at once", async () => {
    const { agent } = await office();
    const number = mobile();
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => create(agent, { name: "Ana", number })),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    expect(replies.filter(({ body }) => body.alreadyExists !== true)).toHaveLength(1);
  });

  test("asks the network for a number once in thirty days, in whatever form it is written", async () => {
    const { agent, company } = await office();
    const number = mobile();
    const { body: made } = await create(agent, { name: "Ana", number });
    const forget = () =>
      run(sql`delete from contacts where company_id = ${company.id} and id = ${made.id}`);
    await forget();
    const known = sql`known_numbers where company_id = ${company.id} and key = ${`55${number}`}`;
    await run(
      sql`update known_numbers set number = '5511900000001' where company_id = ${company.id} and key = ${`55${number}`}`,
    );
    const short = `55${number.slice(0, 2)}${number.slice(3)}`;
    const kept = await create(agent, { name: "Ana", number: short });
    expect(kept.body.number).toBe("5511900000001");
    await run(sql`delete from contacts where company_id = ${company.id} and id = ${kept.body.id}`);

    await run(sql`
      update known_numbers set checked_at = checked_at - interval '31 days'
      where company_id = ${company.id} and key = ${`55${number}`}`);
    expect((await create(agent, { name: "Ana", number })).body.number).toBe(`55${number}`);
    expect(await run(sql`select number from ${known}`)).toEqual([{ number: `55${number}` }]);
  });

  test("is the customer who writes later", async () => {
    const { agent, company, connectionId } = await office();
    const number = mobile();
    const { body: made } = await create(agent, { name: "Ana", number });
    const admin = await app.given.admin({ company });
    const chat = `/simulator/connections/${connectionId}/chats/55${number}/messages`;
    expect((await app.as(admin).post(chat, { body: "Oi" })).status).toBe(200);
    await app.idle();
    const path = `/tickets?searchParam=${made.number}`;
    const { body } = await app.as(admin).get<{ tickets: { contact: Contact }[] }>(path);
    expect(body.tickets).toMatchObject([{ contact: { id: made.id, name: "Ana" } }]);
  });

  test.each<[why: string, number: string, code: string, more: object]>([
    [
      "that the network does not know",
      "11 98765-0000",
      "ERR_WAPP_INVALID_CONTACT",
      { error: "ERR_WAPP_INVALID_CONTACT", invalido: true },
    ],
    [
      "that is none",
      "onze 98765-4321",
      "ERR_NUMBER_FORMAT",
      { error: "Invalid number format. Only numbers is allowed." },
    ],
    ["too short", "1234567", "ERR_INVALID_REQUEST", {}],
  ])("with a number %s is refused", async (_why, number, code, more) => {
    const { agent, company } = await office();
    const reply = await create(agent, { name: "Recusada", number, extraInfo: [] });
    expect([reply.status, reply.body]).toEqual([400, expect.objectContaining({ code, ...more })]);
    expect(
      await run(sql`select 1 from contacts where company_id = ${company.id} and name = 'Recusada'`),
    ).toEqual([]);
  });

  test("that the network does not know is no error for a preview, which sends no extra information", async () => {
    const { agent } = await office();
    const reply = await create(agent, { name: "Cartão", number: "11 98765-0000" });
    expect([reply.status, reply.body]).toEqual([200, { invalido: true }]);
  });

  test("needs a connection, and one that answers", async () => {
    const { agent, connectionId } = await newOffice();
    const set = (id: ConnectionId, status: string) =>
      run(sql`update connections set status = ${status}, wanted = false where id = ${id}`);
    const other = await app.given.connection({
      company: { id: agent.companyId, name: "" },
      linked: false,
    });
    await set(connectionId, "DISCONNECTED");
    expect(await create(agent, { name: "Ana", number: mobile() })).toMatchObject({
      status: 400,
      body: { code: "ERR_NO_DEF_WAPP_FOUND" },
    });
    // It says so, but nobody is there.
    await set(other, "CONNECTED");
    expect(await create(agent, { name: "Ana", number: mobile() })).toMatchObject({
      status: 400,
      body: { code: "ERR_WAPP_CHECK_CONTACT" },
    });
  });
});

describe("another number", () => {
  const put = (user: GivenUser, { id }: { id: number }, number: string) =>
    app.as(user).put<Made>(`/contacts/${id}`, { number });

  test("is looked up on the network and takes the place of the old one", async () => {
    const { agent } = await office();
    const { body: ana } = await create(agent, { name: "Ana", number: mobile() });
    const next = mobile();
    const reply = await put(agent, ana, next);
    expect([reply.status, reply.body.number]).toEqual([200, `55${next}`]);
    expect(await addressesOf(ana.id)).toEqual([
      { kind: "pn", key: `55${next}`, value: `55${next}` },
    ]);
    expect(await put(agent, ana, "11 98765-0000")).toMatchObject({
      status: 400,
      body: { code: "ERR_WAPP_INVALID_CONTACT" },
    });
  });

  test("that another contact has is refused; the own one in another writing, or none, stays", async () => {
    const { agent } = await office();
    const [number, other] = [mobile(), mobile()];
    const { body: ana } = await create(agent, { name: "Ana", number });
    await create(agent, { name: "Bia", number: other });
    expect(await put(agent, ana, other)).toMatchObject({
      status: 400,
      body: { code: "ERR_DUPLICATED_CONTACT" },
    });
    const short = `55${number.slice(0, 2)}${number.slice(3)}`;
    for (const same of ["", number, short, `+55 ${number}`]) {
      const reply = await put(agent, ana, same);
      expect([reply.status, reply.body.number]).toEqual([200, `55${number}`]);
    }
  });

  test("cannot be given to groups", async () => {
    const { agent, company } = await office();
    const [group] = await run<{ id: number }>(sql`
      insert into contacts (company_id, name, number, is_group)
      values (${company.id}, 'Família', ${`5511987654321-14${unique()}`}, true) returning id`);
    if (!group) throw new Error("no group");
    expect((await put(agent, group, mobile())).status).toBe(400);
    const { body } = await app.as(agent).get<Contact>(`/contacts/${group.id}`);
    const renamed = await app
      .as(agent)
      .put<Made>(`/contacts/${group.id}`, { ...body, name: "Lar" });
    expect([renamed.status, renamed.body.name]).toEqual([200, "Lar"]);
  });
});

describe("another number of a contact with conversations", () => {
  const put = (user: GivenUser, id: number, change: object) =>
    app.as(user).put<Made>(`/contacts/${id}`, change);
  const linesOf = async (user: GivenUser, ticketId: number) => {
    const reply = await app
      .as(user)
      .get<ReplyOf<"GET /messages/:ticketId">>(`/messages/${ticketId}`);
    expect(reply.status).toBe(200);
    return reply.body.messages.filter(({ details }) => details?.kind === "number-changed");
  };
  const sentTo = (ticketId: number) =>
    run<{ to: string; state: string }>(sql`
      select o.command || ' ' || o.to_value as "to", o.state from outbound o
      join messages m on m.company_id = o.company_id and m.id = o.message_id
      where m.ticket_id = ${ticketId} order by o.id`);

  async function served() {
    const { company, connectionId } = await office();
    const queueIds = [await app.given.queue({ company })];
    const ana = await app.given.agent({ company, queueIds, name: "Ana" });
    const bia = await app.given.agent({ company, queueIds, name: "Bia" });
    const admin = await app.given.admin({ company, name: "Chefe" });
    const phone = `55${mobile()}`;
    const ticket = await app.given.ticket({
      ...{ company, connectionId, phone, status: "open", userId: bia.id },
      queueId: queueIds[0] ?? null,
    });
    return { company, ana, bia, admin, ticket, phone };
  }

  test("is only for users who may see all its open tickets; other fields are for everybody", async () => {
    const { company, ana, bia, admin, ticket, phone } = await served();
    // The number is refused before the network is asked about it.
    expect(await put(ana, ticket.contactId, { number: "11 98765-0000" })).toMatchObject({
      status: 403,
      body: { code: "ERR_CONTACT_NUMBER_FORBIDDEN" },
    });
    const renamed = await put(ana, ticket.contactId, { name: "Otávio", number: phone });
    expect([renamed.status, renamed.body.name, renamed.body.number]).toEqual([
      200,
      "Otávio",
      phone,
    ]);
    expect(await linesOf(bia, ticket.id)).toEqual([]);

    // Bia serves one ticket and may not see the other one, which waits in a queue of others.
    const [other] = await run<{ id: number }>(sql`
      insert into tickets (company_id, uuid, contact_id, connection_id, status, queue_id)
      values (${company.id}, gen_random_uuid(), ${ticket.contactId},
              ${await app.given.connection({ company, linked: false })}, 'pending',
              ${await app.given.queue({ company })}) returning id`);
    expect((await put(bia, ticket.contactId, { number: mobile() })).status).toBe(403);
    const allowed = mobile();
    expect((await put(admin, ticket.contactId, { number: allowed })).status).toBe(200);
    const details = { kind: "number-changed", from: phone, to: `55${allowed}` };
    for (const id of [ticket.id, other?.id ?? 0]) {
      expect(await linesOf(admin, id)).toMatchObject([{ details, user: { name: "Chefe" } }]);
    }
  });

  test("stands in the conversation with who changed it; the card stays, and people with the ticket open hear it", async () => {
    const { company, bia, ticket, phone } = await served();
    await app.as(bia).post(`/messages/${ticket.id}`, { body: "Oi" });
    await app.idle();
    const ears = await app.live(bia);
    ears.socket.emit(clientEvents.joinChatBox, String(ticket.id));
    const next = mobile();
    expect((await put(bia, ticket.contactId, { number: next })).status).toBe(200);
    const line = {
      details: { kind: "number-changed", from: phone, to: `55${next}` },
      body: `Bia: O número do contato mudou de ${phone} para 55${next}`,
      user: { id: bia.id, name: "Bia" },
      ...{ fromMe: true, read: true, mediaType: "number_changed", queueId: null },
    };
    const [stored] = await linesOf(bia, ticket.id);
    expect(stored).toMatchObject(line);
    const { message } = await heardLine(ears, company.id);
    expect(message).toEqual(stored);
    const shown = await app.as(bia).get<Ticket>(`/tickets/${ticket.id}`);
    expect(shown.body).toMatchObject({ lastMessage: "Oi", contact: { number: `55${next}` } });
    // It is no message: it cannot be deleted, quoted, edited or answered with an emoji.
    const id = stored?.id ?? "";
    const acts = [
      await app.as(bia).delete(`/messages/${id}`),
      await app.as(bia).post(`/messages/edit/${id}`, { body: "Outro" }),
      await app.as(bia).post(`/messages/${id}/reactions`, { type: "👍" }),
      await app.as(bia).post(`/messages/${ticket.id}`, { body: "Isto?", quotedMsg: { id } }),
    ];
    expect(acts.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  });

  test("queued messages and changes of sent ones keep their address; later messages have the new one", async () => {
    const { bia, ticket, phone } = await served();
    const send = (body: string, undoSeconds = 0) =>
      app.as(bia).post<Message>(`/messages/${ticket.id}`, { body, undoSeconds });
    const sent = await send("Antes");
    await app.idle();
    await send("Ainda na fila", 5);
    const next = mobile();
    expect((await put(bia, ticket.contactId, { number: next })).status).toBe(200);
    await send("Depois", 5);
    const edited = await app.as(bia).post(`/messages/edit/${sent.body.id}`, { body: "Antes!" });
    expect(edited.status).toBe(200);
    expect((await sentTo(ticket.id)).map(({ to }) => to)).toEqual([
      `message ${phone}`,
      `message ${phone}`,
      `message 55${next}`,
      `edit ${phone}`,
    ]);
  });

  test("a reply that came before the change keeps its address, also one that waits for it", async () => {
    const { company, bia, ticket, phone } = await served();
    const next = `55${mobile()}`;
    let reply: Promise<Reply<Message>> | undefined;
    // The change holds the ticket until it is whole.
    await app.database.db.transaction({ companyId: company.id }, async (tx) => {
      await tx.query(sql`select 1 from tickets where id = ${ticket.id} for update`);
      reply = app.as(bia).post<Message>(`/messages/${ticket.id}`, { body: "Ao de antes" });
      await vi.waitFor(async () =>
        expect(
          await run(sql`
            select 1 from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`),
        ).toHaveLength(1),
      );
      await tx.query(sql`update contacts set number = ${next} where id = ${ticket.contactId}`);
      await tx.query(sql`
        update contact_addresses set key = ${next}, value = ${next}
        where contact_id = ${ticket.contactId}`);
    });
    expect((await reply)?.status).toBe(200);
    expect((await sentTo(ticket.id)).map(({ to }) => to)).toEqual([`message ${phone}`]);
  });

  test("a file whose upload began before the change keeps its address", async () => {
    const { bia, ticket, phone } = await served();
    const files = new TransformStream<Uint8Array>();
    const body = files.writable.getWriter();
    const text = (part: string) => new TextEncoder().encode(part);
    const head = 'content-disposition: form-data; name="medias"; filename="lista.csv"';
    const reply = fetch(`${app.url}/api/messages/${ticket.id}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${bia.token}`,
        "content-type": "multipart/form-data; boundary=limite",
      },
      body: files.readable,
      duplex: "half",
    });
    await body.write(text(`--limite\r\n${head}\r\ncontent-type: text/csv\r\n\r\n`));
    // Its row is there as soon as enough has come to know its type.
    await body.write(text("nome;valor\n".repeat(20_000)));
    await vi.waitFor(async () =>
      expect(
        await run(sql`
          select 1 from files where company_id = ${ticket.companyId} and not is_whole`),
      ).toHaveLength(1),
    );
    expect((await put(bia, ticket.contactId, { number: mobile() })).status).toBe(200);
    await body.write(text("Ana;10\n\r\n--limite--\r\n"));
    await body.close();
    expect((await reply).status).toBe(200);
    expect((await sentTo(ticket.id)).map(({ to }) => to)).toEqual([`message ${phone}`]);
  });

  test("the earlier owner of the number is another contact from then on", async () => {
    const { bia, ticket, phone } = await served();
    const next = mobile();
    await run(sql`
      insert into contact_addresses (company_id, kind, key, value, contact_id)
      values (${ticket.companyId}, 'lid', ${`77${phone}`}, ${`77${phone}`}, ${ticket.contactId})`);
    expect((await put(bia, ticket.contactId, { number: next })).status).toBe(200);
    expect(await addressesOf(ticket.contactId)).toEqual([
      { kind: "pn", key: `55${next}`, value: `55${next}` },
    ]);
    // A second phone that the network tells of is not written to while people see the first one.
    await run(sql`
      insert into contact_addresses (company_id, kind, key, value, contact_id)
      values (${ticket.companyId}, 'pn', ${`1${phone}`}, ${`1${phone}`}, ${ticket.contactId})`);
    await app.as(bia).post(`/messages/${ticket.id}`, { body: "Oi", undoSeconds: 5 });
    expect((await sentTo(ticket.id)).map(({ to }) => to)).toEqual([`message 55${next}`]);
  });

  test("stops the messages that others have scheduled, and says so", async () => {
    const { ana, bia, ticket } = await served();
    const schedule = async (user: GivenUser) => {
      const sendAt = new Date(Date.now() + 3_600_000).toISOString();
      const body = { body: "Até amanhã", contactId: ticket.contactId, sendAt };
      return (await app.as(user).post<Schedule>("/schedules", body)).body;
    };
    const [anas, bias] = [await schedule(ana), await schedule(bia)];
    expect((await put(bia, ticket.contactId, { number: mobile() })).status).toBe(200);
    const shown = async (user: GivenUser, { id }: Schedule) =>
      (await app.as(user).get<Schedule>(`/schedules/${id}`)).body;
    expect(await shown(ana, anas)).toMatchObject({
      ...{ status: "ERRO", errorCode: "ERR_CONTACT_NUMBER_CHANGED" },
    });
    expect(await shown(bia, bias)).toMatchObject({ status: "PENDENTE", errorCode: null });
  });
});

async function heardLine(ears: LiveClient, companyId: number) {
  const isLine = ({ name, payload }: LiveClient["heard"][number]) =>
    name === companyEvent(companyId, "appMessage") &&
    JSON.stringify(payload).includes("number-changed");
  await vi.waitFor(() => expect(ears.heard.filter(isLine)).toHaveLength(1));
  return companyEvents.appMessage.parse(ears.heard.find(isLine)?.payload);
}

test("a customer's first message publishes the new contact once", async () => {
  const { agent, company, connectionId } = await office();
  const admin = await app.given.admin({ company });
  const ears = await app.live(agent);
  const number = `55${mobile()}`;
  const heard = () =>
    ears.heard.filter(
      ({ name, payload }) =>
        name === companyEvent(company.id, "contact") && JSON.stringify(payload).includes(number),
    );
  const chat = `/simulator/connections/${connectionId}/chats/${number}/messages`;
  for (const body of ["Oi", "Tudo bem?"]) await app.as(admin).post(chat, { body });
  await app.idle();
  await vi.waitFor(() => expect(heard()).toMatchObject([{ payload: { action: "create" } }]));
});
