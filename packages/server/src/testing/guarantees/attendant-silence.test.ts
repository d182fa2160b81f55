import type { Integration, TicketId } from "@balcao/contract";
import { personComesText, queueId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { createDesk, quickAttendant } from "../../features/attendant/testing/desk.ts";
import { paragraph, startTypebotStub } from "../../features/integrations/testing/stubs.ts";
import { channelSide, textEvent } from "../../features/messages/testing/channel-side.ts";
import { givenAgent, promptBodyOf } from "../../features/prompts/testing/agent.ts";
import { startProviderStub } from "../../features/prompts/testing/provider-stub.ts";
import { testApp } from "../app.ts";
import { seed, seededRandom, sized } from "../soak.ts";

/** The seed repeats them as far as a machine repeats itself. */
const INTERLEAVINGS = sized({ test: 150, soak: 2_000 });
const AT_ONCE = 8;
const random = seededRandom(seed);
const pick = <T>(list: readonly T[]): T => {
  const found = list[Math.floor(random() * list.length)];
  if (found === undefined) throw new Error("nothing to pick from");
  return found;
};

/** Requests and turns only when the dice say so. */
const app = await testApp({
  environment: { ROLES: "http" },
  attends: false,
  attendantSettings: quickAttendant,
  outsideHosts: ["127.0.0.1:*"],
});
const phones = await channelSide({ database: app.database });
const provider = await startProviderStub();
const typebot = await startTypebotStub();

/** Half of what is asked outside is answered at once, the rest when the dice say so. */
let held: (() => void)[] = [];
let questions = 0;
const gate = async (): Promise<void> => {
  questions += 1;
  if (random() < 0.5) await new Promise<void>((resolve) => void held.push(resolve));
};
provider.gate.wait = gate;
typebot.flow.wait = gate;
typebot.flow.start = () => ({ messages: [paragraph("Olá do fluxo")] });
typebot.flow.next = (text) => ({ messages: [paragraph(`O fluxo ouviu ${text}`)] });

function answerAll(): void {
  const waiting = held;
  held = [];
  for (const answer of waiting) answer();
}

const helpers = ["none", "agent", "agent that hands over", "typebot", "webhook"] as const;

/** A company whose customers meet the menu first, or a helper. */
async function createWorld(helper: (typeof helpers)[number]) {
  const desk = await createDesk(app, {
    greeting: "Bem-vindo!",
    maxMenus: 0,
    queues: [
      { name: "Vendas", greeting: "Aqui é Vendas." },
      {
        name: "Suporte",
        greeting: "Diga.",
        options: [{ title: "A", children: [{ title: "B" }, { title: "C" }] }, { title: "D" }],
      },
    ],
  });
  const { admin, company, connectionId } = desk;
  const elsewhere = await app.given.queue({ company });
  const colleague = await app.given.agent({
    company,
    queueIds: [...desk.queueIds, elsewhere],
    allTicket: "enabled",
  });
  if (helper.startsWith("agent")) {
    const key = helper === "agent" ? "ok" : "tool";
    const body = promptBodyOf(provider.baseUrl, queueId.parse(desk.queueIds[0]), key);
    await givenAgent(app, admin, connectionId, { ...body, dayTokens: 0, ticketTokens: 0 });
  } else if (helper !== "none") {
    const urlN8N = helper === "typebot" ? typebot.url : "http://127.0.0.1:1/hook";
    const bot = { typebotSlug: "loja", typebotDelayMessage: 0 };
    const made = await app.as(admin).post<Integration>("/queueIntegration", {
      ...{ type: helper, name: "Robô", urlN8N, ...(helper === "typebot" ? bot : {}) },
    });
    expect(made.status).toBe(200);
    await desk.rows(
      sql`update connections set integration_id = ${made.body.id} where id = ${connectionId}`,
    );
  }
  const line = { companyId: company.id, connectionId };
  return { ...desk, elsewhere, line, agents: [admin, colleague] };
}

type World = Awaited<ReturnType<typeof createWorld>>;
const worlds: World[] = [];
for (const helper of helpers) worlds.push(await createWorld(helper));

/** Half of what the product sends takes a while to be stored: whoever decided before is overtaken, if that can be. */
await app.database.db.acrossCompanies((tx) =>
  tx.query(
    sql.raw(`
    create function be_slow() returns trigger language plpgsql as $$
    begin if random() < 0.5 then perform pg_sleep(random() * 0.02); end if; return new; end $$;
    create trigger be_slow before insert on outbound for each row execute function be_slow()`),
  ),
);

/** `act`: a person has the ticket from its end on, if it succeeded; `close`: the bot may speak from its begin on. */
type Step = { kind: "act" | "close" | "other"; beganAt: number; endedAt: number };
type Ticket = { id: TicketId; world: World; phone: string; steps: Step[]; script: string[] };

const ownDevice = "Do celular da empresa";

type Chat = Pick<Ticket, "world" | "phone">;

async function say({ world, phone }: Chat, text: string, isOwn = false): Promise<void> {
  const chat = { kind: "pn", value: phone } as const;
  await phones.receive(textEvent({ chat, text, fromMe: isOwn }), world.line);
}

async function change(ticket: Ticket, body: object): Promise<boolean> {
  const agent = pick(ticket.world.agents);
  return (await app.as(agent).put(`/tickets/${ticket.id}`, body)).status === 200;
}

const moves: Record<string, { kind: Step["kind"]; run: (ticket: Ticket) => Promise<boolean> }> = {
  customer: {
    kind: "other",
    run: (ticket) => say(ticket, pick(["Oi", "1", "2", "#", "0", "Alô?"])).then(() => true),
  },
  bot: { kind: "other", run: () => app.app.runDueTurns().then(() => true) },
  outside: { kind: "other", run: async () => (answerAll(), true) },
  accept: { kind: "act", run: (ticket) => change(ticket, { status: "open" }) },
  // Where the bot never leads anybody: it is a change whenever it is the first one.
  transfer: {
    kind: "act",
    run: (ticket) => change(ticket, { queueId: ticket.world.elsewhere, userId: null }),
  },
  return: { kind: "other", run: (ticket) => change(ticket, { status: "pending", userId: null }) },
  close: { kind: "close", run: (ticket) => change(ticket, { status: "closed" }) },
  answer: {
    kind: "act",
    run: async (ticket) =>
      !hasEnded(ticket) &&
      (await app.as(ticket.world.admin).post(`/messages/${ticket.id}`, { body: "Um momento" }))
        .status === 200,
  },
  phone: {
    kind: "act",
    run: async (ticket) => !hasEnded(ticket) && say(ticket, ownDevice, true).then(() => true),
  },
};
/** How often each of them is thrown. */
const dice = [
  "customer",
  "customer",
  "customer",
  "bot",
  "bot",
  "bot",
  "outside",
  "accept",
  "transfer",
  "return",
  "close",
  "answer",
  "phone",
];

/** A message to a closed ticket belongs to no attendance. */
const hasEnded = (ticket: Ticket): boolean => ticket.script.includes("close");

async function begin(): Promise<Ticket> {
  const world = pick(worlds);
  const phone = world.newPhone();
  await say({ world, phone }, "Olá");
  const [row] = await world.rows<{ id: TicketId }>(sql`
    select t.id from tickets t join contacts c on c.company_id = t.company_id and c.id = t.contact_id
    where c.number = ${phone}`);
  if (!row) throw new Error("the customer has no ticket");
  return { id: row.id, world, phone, steps: [], script: [] };
}

async function interleave(): Promise<Ticket> {
  const ticket = await begin();
  const length = 4 + Math.floor(random() * 7);
  const running: Promise<void>[] = [];
  for (let n = 0; n < length; n += 1) {
    const name = pick(dice);
    const move = moves[name];
    if (!move) throw new Error(`there is no ${name}`);
    ticket.script.push(name);
    const beganAt = Date.now();
    const done = move.run(ticket).then((hasSucceeded) => {
      if (hasSucceeded) ticket.steps.push({ kind: move.kind, beganAt, endedAt: Date.now() });
    });
    running.push(done);
    if (random() < 0.6) await done;
  }
  await Promise.all(running);
  await finish(ticket);
  return ticket;
}

/** Resolves when nothing is due for the ticket any more: what was asked outside is answered, and used or dropped. */
async function finish({ id, world }: Ticket): Promise<void> {
  await vi.waitFor(
    async () => {
      answerAll();
      await app.app.runDueTurns();
      const due = await world.rows(
        sql`select from attendant_turns where ticket_id = ${id} and due_at is not null`,
      );
      expect(due).toEqual([]);
    },
    { interval: 5, timeout: 30_000 },
  );
}

/** In milliseconds; whoever acted while somebody closed the ticket may have come first. */
function silentTimes({ steps }: Ticket): { from: number; to: number }[] {
  const closes = steps.filter(({ kind }) => kind === "close");
  return steps.flatMap(({ kind, beganAt, endedAt }) => {
    const isUnclear = closes.some((close) => close.beganAt <= endedAt && close.endedAt >= beganAt);
    if (kind !== "act" || isUnclear) return [];
    const later = closes.filter((close) => close.beganAt > endedAt).map((close) => close.beganAt);
    return [{ from: endedAt, to: Math.min(Number.POSITIVE_INFINITY, ...later) }];
  });
}

test(
  `after a person's act the bot says nothing until the ticket was closed: ${INTERLEAVINGS} interleavings (seed ${seed})`,
  { timeout: 240_000 },
  async () => {
    const tickets: Ticket[] = [];
    const lane = async (): Promise<void> => {
      while (tickets.length < INTERLEAVINGS) tickets.push(await interleave());
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));

    type Said = { ticketId: TicketId; at: Date; body: string };
    const said = (
      await Promise.all(
        worlds.map(({ rows }) =>
          rows<Said>(sql`
            select ticket_id as "ticketId", created_at as at, body from messages
            where from_me and user_id is null and body <> ${ownDevice}`),
        ),
      )
    ).flat();
    const byTicket = Map.groupBy(said, ({ ticketId }) => ticketId);
    const broken = tickets.flatMap((ticket) =>
      silentTimes(ticket).flatMap(({ from, to }) =>
        (byTicket.get(ticket.id) ?? [])
          .filter(({ at }) => at.getTime() > from && at.getTime() < to)
          .map(({ body }) => ({ script: ticket.script.join(" "), body })),
      ),
    );
    expect(broken).toEqual([]);
    // It would prove nothing if the bot had been silent anyway, or nobody had acted.
    expect(said.length).toBeGreaterThan(INTERLEAVINGS / 3);
    const acted = tickets.filter((ticket) => silentTimes(ticket).length > 0);
    expect(acted.length).toBeGreaterThan(INTERLEAVINGS / 2);
    expect(await app.app.runDueTurns()).toBe(0);
    // Helpers have answered, and more was asked than said: answers that came after a person's act were dropped.
    const outside = said.filter(
      ({ body }) => body === personComesText || /Temos sim|fluxo/.test(body),
    );
    expect(outside.length).toBeGreaterThan(INTERLEAVINGS / 10);
    expect(questions).toBeGreaterThan(outside.length);
  },
);
