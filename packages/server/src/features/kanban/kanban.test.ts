import type { Lane, Tag, Ticket } from "@balcao/contract";
import { clientEvents, companyEvent, pageSizes } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenCompany, GivenUser } from "../../testing/given.ts";
import { seed, seededRandom, sized } from "../../testing/soak.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

async function office(plan: { useKanban?: boolean } = {}) {
  const { given } = app;
  const company = await given.company({ plan });
  const queueId = await given.queue({ company });
  const admin = await given.admin({ company });
  const lane = (name: string) => newTag(admin, { name, kanban: 1 });
  return {
    company,
    queueId,
    admin,
    supervisor: await given.supervisor({ company, queueIds: [queueId] }),
    agent: await given.agent({ company, queueIds: [queueId] }),
    colleague: await given.agent({ company, queueIds: [queueId], name: "Marina" }),
    budget: await lane("Orçamento"),
    payment: await lane("Aguardando pagamento"),
    ticket: () => given.ticket({ company, queueId }),
  };
}

async function newTag(user: GivenUser, values: Partial<Tag> & { name: string }): Promise<Tag> {
  const reply = await app.as(user).post<Tag>("/tags", values);
  expect(reply.status).toBe(200);
  return reply.body;
}

async function board(user: GivenUser, query = ""): Promise<Lane[]> {
  const reply = await app.as(user).get<{ lanes: Lane[] }>(`/kanban${query}`);
  expect(reply.status).toBe(200);
  return reply.body.lanes;
}

/** The ids of the cards by the lane's tag, 0 for the first lane; counts have to agree. */
async function cardsOf(user: GivenUser, query = ""): Promise<Record<number, number[]>> {
  const lanes = await board(user, query);
  for (const { count, cards } of lanes) expect(count).toBe(cards.length);
  return Object.fromEntries(lanes.map(({ id, cards }) => [id ?? 0, cards.map((card) => card.id)]));
}

type Moved = Ticket & { code?: string; data?: unknown };
const move = (user: GivenUser, id: number, from: number | null, to: number | null) =>
  app.as(user).put<Moved>(`/kanban/cards/${id}`, { from, to });
const sync = (user: GivenUser, ticketId: number, ids: number[]) =>
  app.as(user).post<Ticket>("/tags/sync", { ticketId, tags: ids.map((id) => ({ id })) });
const tagsOf = ({ tags }: Pick<Ticket, "tags">) => tags.map(({ id }) => id);

test("the board has a lane for tickets without a tag of the board, and one for each such tag; newest activity first", async () => {
  const { admin, budget, payment, ticket } = await office();
  const plain = await newTag(admin, { name: "Cliente VIP" });
  const [first, second, third] = [await ticket(), await ticket(), await ticket()];
  await sync(admin, first.id, [plain.id]);
  await sync(admin, third.id, [budget.id, plain.id]);
  expect(await cardsOf(admin)).toEqual({
    0: [second.id, first.id],
    [budget.id]: [third.id],
    [payment.id]: [],
  });
  const lanes = await board(admin);
  expect(lanes.map(({ id, name, count }) => [id, name, count])).toEqual([
    [null, "", 2],
    [budget.id, "Orçamento", 1],
    [payment.id, "Aguardando pagamento", 0],
  ]);
  // A ticket with tags of several lanes stands in the last of them.
  await sync(admin, third.id, [budget.id, payment.id]);
  expect((await cardsOf(admin))[payment.id]).toEqual([third.id]);
  // A resolved ticket has left the board.
  await app.as(admin).put(`/tickets/${third.id}`, { status: "closed" });
  expect((await cardsOf(admin))[payment.id]).toEqual([]);
});

test("the first view and the counts are one statement each beside the caller's rights", async () => {
  const { admin, ticket } = await office();
  await ticket();
  app.statements.take();
  await board(admin);
  expect(app.statements.take()).toHaveLength(2);
  await app.as(admin).get("/kanban/counts");
  expect(app.statements.take()).toHaveLength(2);
});

test("agents see and move only the cards of tickets that they may see", async () => {
  const { company, admin, agent, colleague, budget, queueId } = await office();
  const { given } = app;
  const otherQueue = await given.queue({ company });
  const waiting = await given.ticket({ company, queueId });
  const mine = await given.ticket({ company, queueId, status: "open", userId: agent.id });
  const others = await given.ticket({ company, queueId, status: "open", userId: colleague.id });
  const elsewhere = await given.ticket({ company, queueId: otherQueue });
  for (const { id } of [mine, others, elsewhere]) await sync(admin, id, [budget.id]);

  const cards = await cardsOf(agent);
  expect([cards[0], cards[budget.id]]).toEqual([[waiting.id], [mine.id]]);
  expect((await cardsOf(admin))[budget.id]?.length).toBe(3);
  for (const { id } of [others, elsewhere]) {
    const refused = await move(agent, id, budget.id, null);
    expect([refused.status, refused.body.code]).toEqual([403, "ERR_TICKET_FORBIDDEN"]);
  }
  const stranger = await given.admin({ company: await given.company() });
  const foreign = await move(stranger, waiting.id, null, null);
  expect([foreign.status, foreign.body.code]).toEqual([404, "ERR_NO_TICKET_FOUND"]);
  const strangersTag = await newTag(stranger, { name: "De outra", kanban: 1 });
  const wrong = await move(agent, waiting.id, null, strangersTag.id);
  expect([wrong.status, wrong.body.code]).toEqual([404, "ERR_NO_TAG_FOUND"]);
  expect(await board(stranger)).toMatchObject([{ count: 0 }, { id: strangersTag.id, count: 0 }]);
});

test("the board is narrowed by queue, user and connection, and searched by contact, number and ticket", async () => {
  const { company, admin, agent, queueId } = await office();
  const { given } = app;
  const otherQueue = await given.queue({ company });
  const line = await given.connection({ company, linked: false });
  const one = await given.ticket({ company, queueId, status: "open", userId: agent.id });
  const two = await given.ticket({ company, queueId: otherQueue, connectionId: line });
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      update contacts set name = 'Bianca Conceição', number = '5581996541020' where id = ${one.contactId}`),
  );
  const found = async (query: string, user = admin) => (await cardsOf(user, `?${query}`))[0];
  expect(await found(`queueIds=[${queueId}]`)).toEqual([one.id]);
  expect(await found(`users=[${agent.id}]`)).toEqual([one.id]);
  expect(await found(`whatsappIds=[${line}]`)).toEqual([two.id]);
  expect(await found(`queueIds=[${queueId}]&whatsappIds=[${line}]`)).toEqual([]);
  expect(await found("searchParam=conceicao")).toEqual([one.id]);
  expect(await found("searchParam=99654-1020")).toEqual([one.id]);
  expect(await found(`searchParam=${one.id}`)).toContain(one.id);
  expect(await found("searchParam=nada disto")).toEqual([]);
  // An agent cannot choose a queue of others.
  expect(await found(`queueIds=[${otherQueue}]`, agent)).toEqual([]);
  const counts = await app.as(admin).get(`/kanban/counts?queueIds=[${queueId}]`);
  expect(counts.body).toMatchObject({
    lanes: [{ id: null, count: 1 }, { count: 0 }, { count: 0 }],
  });
});

test("a lane is read in pages, each card once, whatever has the same time", async () => {
  const { company, admin, budget, queueId } = await office();
  const [first, size] = [pageSizes.kanbanFirstCards, pageSizes.kanbanCards];
  const all = first + size + 5;
  await fill(company, queueId, all, budget.id);
  const lane = (await board(admin)).find(({ id }) => id === budget.id);
  expect(lane).toMatchObject({ count: all, cards: { length: first } });
  const read = [...(lane?.cards ?? [])];
  type Page = { cards: Ticket[]; hasMore: boolean };
  const lengths: [number, boolean][] = [];
  for (let hasMore = true; hasMore;) {
    const last = read.at(-1);
    const query = `laneId=${budget.id}&before=${last?.updatedAt}&beforeId=${last?.id}`;
    const page: Page = (await app.as(admin).get<Page>(`/kanban/cards?${query}`)).body;
    lengths.push([page.cards.length, page.hasMore]);
    read.push(...page.cards);
    hasMore = page.hasMore;
  }
  expect(lengths).toEqual([
    [size, true],
    [5, false],
  ]);
  expect(new Set(read.map(({ id }) => id)).size).toBe(all);
  expect(read).toEqual(
    read.toSorted((a, b) =>
      a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : b.id - a.id,
    ),
  );
  const last = read.at(-1);
  const empty = await app
    .as(admin)
    .get(`/kanban/cards?laneId=0&before=${last?.updatedAt}&beforeId=1`);
  expect(empty.body).toEqual({ cards: [], hasMore: false });
  const unknown = await app
    .as(admin)
    .get("/kanban/cards?laneId=999999&before=2026-01-01T00:00:00.000Z&beforeId=1");
  expect([unknown.status, unknown.body]).toMatchObject([404, { code: "ERR_NO_TAG_FOUND" }]);
});

async function fill(company: GivenCompany, queueId: number, count: number, tagId: number) {
  const connectionId = await app.given.connection({ company, linked: false });
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      with c as (
        insert into contacts (company_id, name) select ${company.id}, 'Cliente ' || n
        from generate_series(1, ${count}) n returning id),
      t as (
        insert into tickets (company_id, uuid, contact_id, connection_id, queue_id, status, updated_at)
        select ${company.id}, gen_random_uuid(), id, ${connectionId}, ${queueId}, 'pending',
          date_trunc('second', now()) - (id % 3) * interval '1 second' from c returning id)
      insert into ticket_tags (company_id, ticket_id, tag_id) select ${company.id}, id, ${tagId} from t`),
  );
}

test("a move takes the old tag of the board away, adds the new one, keeps the others, and is heard by colleagues", async () => {
  const { company, admin, agent, colleague, budget, payment, ticket } = await office();
  const plain = await newTag(admin, { name: "Cliente VIP" });
  const [older, newer] = [await ticket(), await ticket()];
  await sync(agent, newer.id, [payment.id]);
  await sync(agent, older.id, [plain.id]);
  const client = await app.live(colleague);
  client.socket.emit(clientEvents.joinTickets, "pending");

  const moved = await move(agent, older.id, null, budget.id);
  expect([moved.status, tagsOf(moved.body)]).toEqual([
    200,
    [budget.id, plain.id].toSorted((a, b) => a - b),
  ]);
  const told = (await client.next(companyEvent(company.id, "ticket"))) as { ticket: Ticket };
  expect([told.ticket.id, tagsOf(told.ticket)]).toEqual([older.id, tagsOf(moved.body)]);
  // A move is an activity: the card is the first one of its new lane.
  expect((await move(agent, older.id, budget.id, payment.id)).status).toBe(200);
  expect((await cardsOf(agent))[payment.id]).toEqual([older.id, newer.id]);
  expect(tagsOf((await move(agent, older.id, payment.id, null)).body)).toEqual([plain.id]);
  // A tag that is no lane takes no cards, and a closed ticket has no card.
  const noLane = await move(agent, older.id, null, plain.id);
  expect([noLane.status, noLane.body.code]).toEqual([404, "ERR_NO_TAG_FOUND"]);
  await app.as(admin).put(`/tickets/${older.id}`, { status: "closed" });
  const closed = await move(admin, older.id, null, budget.id);
  expect([closed.status, closed.body.code]).toEqual([400, "ERR_TICKET_CLOSED"]);
});

test("of two people who move a card at the same time one wins; the other one is told who, where to and when", async () => {
  const { agent, colleague, budget, payment, ticket } = await office();
  const { id } = await ticket();
  const replies = await Promise.all([
    move(agent, id, null, budget.id),
    move(colleague, id, null, payment.id),
  ]);
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  const agentWon = replies[0]?.status === 200;
  const [winner, lane] = agentWon ? [agent, budget] : [colleague, payment];
  const refused = replies.find(({ status }) => status === 409);
  expect(refused?.body).toMatchObject({
    code: "ERR_CARD_MOVED",
    data: {
      lane: { id: lane.id, name: lane.name },
      by: { id: winner.id },
      at: expect.stringMatching(/^\d{4}-/),
    },
  });
  expect((await cardsOf(agent))[lane.id]).toEqual([id]);
  // The winner's request again, as after a lost reply, changes nothing.
  expect((await move(winner, id, null, lane.id)).status).toBe(200);

  // Moved by a change of its tags: nobody is named.
  const other = agentWon ? payment : budget;
  await sync(agent, id, [other.id]);
  const unnamed = await move(agent, id, lane.id, null);
  expect(unnamed.body).toMatchObject({ data: { lane: { id: other.id }, by: null, at: null } });
});

test("many movers of one card leave it with one tag of the board", async () => {
  const { admin, agent, colleague, budget, payment, ticket } = await office();
  const third = await newTag(admin, { name: "Separação", kanban: 1 });
  const lanes = [null, budget.id, payment.id, third.id];
  const { id } = await ticket();
  const replies = await Promise.all(
    Array.from({ length: 16 }, (_, n) =>
      move(n % 2 ? agent : colleague, id, lanes[n % 4] ?? null, lanes[(n + 1) % 4] ?? null),
    ),
  );
  expect(replies.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
  const ticketNow = await app.as(agent).get<Ticket>(`/tickets/${id}`);
  expect(tagsOf(ticketNow.body).length).toBeLessThanOrEqual(1);
});

test("supervisors and admins order the lanes for everybody; new lanes come last", async () => {
  const { company, admin, supervisor, agent, budget, payment } = await office();
  const order = (user: GivenUser, tagIds: number[]) =>
    app.as(user).put<{ tags: Tag[]; code?: string }>("/kanban/lanes", { tagIds });
  const refused = await order(agent, [payment.id, budget.id]);
  expect([refused.status, refused.body.code]).toEqual([403, "ERR_NO_PERMISSION"]);
  const client = await app.live(agent);
  const ordered = await order(supervisor, [payment.id, budget.id]);
  expect(ordered.body.tags.map(({ id }) => id)).toEqual([payment.id, budget.id]);
  expect(await client.next(companyEvent(company.id, "kanban"))).toEqual({
    action: "order",
    tagIds: [payment.id, budget.id],
  });
  const added = await newTag(admin, { name: "Separação", kanban: 1 });
  expect((await board(agent)).map(({ id }) => id)).toEqual([null, payment.id, budget.id, added.id]);
  // Older clients read them by id.
  const listed = await app.as(agent).get<{ lista: Tag[] }>("/tags/kanban");
  expect(listed.body.lista.map(({ id }) => id)).toEqual([budget.id, payment.id, added.id]);
  const unknown = await order(admin, [budget.id, 999_999]);
  expect([unknown.status, unknown.body.code]).toEqual([404, "ERR_NO_TAG_FOUND"]);
});

test("the cards of a lane whose tag is deleted stand in the first lane, and are back when that is undone", async () => {
  const { admin, agent, budget, payment, ticket } = await office();
  const [one, both] = [await ticket(), await ticket()];
  await sync(agent, one.id, [payment.id]);
  await sync(agent, both.id, [budget.id, payment.id]);
  await app.as(admin).delete(`/tags/${payment.id}?undo=true`);
  const without = { 0: [one.id], [budget.id]: [both.id] };
  expect(await cardsOf(agent)).toEqual(without);
  expect((await app.as(agent).get<{ lista: Tag[] }>("/tags/kanban")).body.lista).toHaveLength(1);
  const late = await move(agent, one.id, payment.id, budget.id);
  expect([late.status, late.body.code]).toEqual([409, "ERR_CARD_MOVED"]);
  const gone = await move(agent, one.id, null, payment.id);
  expect([gone.status, gone.body.code]).toEqual([404, "ERR_NO_TAG_FOUND"]);
  await app.as(admin).post(`/tags/${payment.id}/undo`);
  expect((await cardsOf(agent))[payment.id]?.toSorted((a, b) => a - b)).toEqual([one.id, both.id]);
  // The same without a way back, and where the tag only ceases to be a lane.
  await app.as(admin).put(`/tags/${budget.id}`, { kanban: 0 });
  await app.as(admin).delete(`/tags/${payment.id}`);
  expect((await cardsOf(agent))[0]?.toSorted((a, b) => a - b)).toEqual([one.id, both.id]);
});

test("older clients move a card in two steps, each told to colleagues, and keep other tags", async () => {
  const { company, admin, agent, budget, payment, ticket } = await office();
  const plain = await newTag(admin, { name: "Cliente VIP" });
  const { id } = await ticket();
  await sync(agent, id, [budget.id, plain.id]);
  const client = await app.live(agent);
  client.socket.emit(clientEvents.joinTickets, "pending");
  const heard = async () => {
    const told = (await client.next(companyEvent(company.id, "ticket"))) as { ticket: Ticket };
    return tagsOf(told.ticket);
  };
  const removed = await app.as(agent).delete(`/ticket-tags/${id}`);
  expect([removed.status, removed.body]).toEqual([
    200,
    { message: "Ticket tags removed successfully." },
  ]);
  expect(await heard()).toEqual([plain.id]);
  const put = () => app.as(agent).put(`/ticket-tags/${id}/${payment.id}`);
  const [first, again] = [await put(), await put()];
  expect([first.status, first.body]).toEqual([
    201,
    {
      ...{ ticketId: id, tagId: payment.id },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    },
  ]);
  expect([again.status, again.body]).toEqual([201, first.body]);
  expect(await heard()).toEqual([payment.id, plain.id].toSorted((a, b) => a - b));
  // Who did that is known to our own clients.
  const raced = await move(admin, id, null, budget.id);
  expect(raced.body).toMatchObject({ data: { lane: { id: payment.id }, by: { id: agent.id } } });
});

test("older clients read their own and the waiting tickets of their queues, 400 at most, none that is closed", async () => {
  const { company, admin, agent, budget, queueId } = await office();
  await fill(company, queueId, pageSizes.kanbanTickets + 1, budget.id);
  const mine = await app.given.ticket({ company, queueId, status: "open", userId: agent.id });
  await app.given.ticket({ company, queueId, status: "open", userId: admin.id });
  await app.given.ticket({ company, queueId, status: "closed" });
  type Reply = { tickets: Ticket[]; count: number; hasMore: boolean };
  const list = async (query: string) =>
    (await app.as(agent).get<Reply>(`/ticket/kanban?teste=true&${query}`)).body;
  const all = await list(`queueIds=[${queueId}]`);
  expect(all).toMatchObject({ count: 402, hasMore: true, tickets: { length: 400 } });
  expect(all.tickets[0]).toMatchObject({
    id: mine.id,
    contact: { profilePicUrl: expect.any(String) },
  });
  expect(new Set(all.tickets.map(({ status }) => status))).toEqual(new Set(["open", "pending"]));
  expect(await list("status=closed")).toEqual({ tickets: [], count: 0, hasMore: false });
  expect((await list("showAll=true&status=open")).tickets.map(({ id }) => id)).toEqual([mine.id]);
  expect((await list("queueIds=[]&status=pending")).tickets).toEqual([]);
});

test("without the plan's flag nothing of the board answers", async () => {
  const { admin, budget, ticket } = await office({ useKanban: false });
  const { id } = await ticket();
  for (const reply of [
    await app.as(admin).get("/kanban"),
    await app.as(admin).get("/kanban/counts"),
    await app.as(admin).get("/ticket/kanban"),
    await app.as(admin).get("/tags/kanban"),
    await move(admin, id, null, budget.id),
    await app.as(admin).put("/kanban/lanes", { tagIds: [budget.id] }),
    await app.as(admin).put(`/ticket-tags/${id}/${budget.id}`),
    await app.as(admin).delete(`/ticket-tags/${id}`),
  ]) {
    expect([reply.status, reply.body]).toMatchObject([403, { code: "ERR_NO_PERMISSION" }]);
  }
});

const STEPS = sized({ test: 40, soak: 600 });

test(`after any changes of tags, lanes and tickets, counts and cards are those of a recount (seed ${seed})`, async () => {
  const { admin, agent, budget, payment, ticket } = await office();
  const random = seededRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const third = await newTag(admin, { name: "Separação", kanban: 1 });
  const plain = await newTag(admin, { name: "Cliente VIP" });
  const tickets = [];
  for (let n = 0; n < 12; n += 1) tickets.push((await ticket()).id);
  let order: number[] = [budget.id, payment.id, third.id];
  const living = new Set<number>(tickets);
  const tagged = new Map<number, Set<number>>(tickets.map((id) => [id, new Set()]));
  const laneTags = new Set<number>(order);
  const laneOf = (id: number): number => {
    const own = tagged.get(id) ?? new Set();
    return order.filter((one) => laneTags.has(one)).findLast((one) => own.has(one)) ?? 0;
  };
  const steps: Record<string, (id: number) => Promise<void>> = {
    async move(id) {
      const to = pick([0, ...laneTags]);
      const reply = await move(agent, id, laneOf(id) || null, to || null);
      if (!living.has(id)) return expect(reply.body.code).toBe("ERR_TICKET_CLOSED");
      expect(reply.status).toBe(200);
      if (laneOf(id) === to) return;
      const rest = [...(tagged.get(id) ?? [])].filter((one) => !laneTags.has(one));
      tagged.set(id, new Set(to === 0 ? rest : [...rest, to]));
    },
    async sync(id) {
      const ids = [...order, plain.id].filter(() => random() < 0.3);
      await sync(admin, id, ids);
      tagged.set(id, new Set(ids));
    },
    async remove(id) {
      await app.as(admin).delete(`/ticket-tags/${id}`);
      tagged.set(id, new Set([...(tagged.get(id) ?? [])].filter((one) => !laneTags.has(one))));
    },
    async put(id) {
      const tagId = pick([...order, plain.id]);
      await app.as(admin).put(`/ticket-tags/${id}/${tagId}`);
      tagged.get(id)?.add(tagId);
    },
    async resolve(id) {
      const status = living.has(id) ? "closed" : "open";
      const body = { status, userId: living.has(id) ? undefined : agent.id };
      const reply = await app.as(admin).put(`/tickets/${id}`, body);
      expect(reply.status).toBe(200);
      if (living.has(id)) living.delete(id);
      else living.add(id);
    },
    async order() {
      order = order.toSorted(() => random() - 0.5);
      await app.as(admin).put("/kanban/lanes", { tagIds: order });
    },
    async flag() {
      const tagId = pick(order);
      const kanban = laneTags.has(tagId) ? 0 : 1;
      await app.as(admin).put(`/tags/${tagId}`, { kanban });
      if (kanban === 1) laneTags.add(tagId);
      else laneTags.delete(tagId);
    },
  };
  for (let step = 0; step < STEPS; step += 1) {
    const name = pick([
      "move",
      "move",
      "move",
      "sync",
      "remove",
      "put",
      "resolve",
      "order",
      "flag",
    ]);
    await steps[name]?.(pick(tickets));
    const expected: Record<number, number[]> = { 0: [] };
    for (const one of laneTags) expected[one] = [];
    for (const id of [...living].toSorted((a, b) => a - b)) expected[laneOf(id)]?.push(id);
    const cards = await cardsOf(admin);
    for (const ids of Object.values(cards)) ids.sort((a, b) => a - b);
    expect(cards, `after step ${step}, ${name}`).toEqual(expected);
    const counts = await app
      .as(admin)
      .get<{ lanes: { id: number | null; count: number }[] }>("/kanban/counts");
    expect(counts.body.lanes.map(({ id, count }) => [id ?? 0, count])).toEqual(
      [0, ...order.filter((one) => laneTags.has(one))].map((id) => [id, expected[id]?.length]),
    );
  }
});
