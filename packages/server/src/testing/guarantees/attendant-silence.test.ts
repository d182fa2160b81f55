import type { TicketId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { createDesk } from "../../features/attendant/testing/desk.ts";
import { channelSide, textEvent } from "../../features/messages/testing/channel-side.ts";
import { testApp } from "../app.ts";
import { seed, seededRandom, sized } from "../soak.ts";

/** The seed repeats them as far as a machine repeats itself. */
const INTERLEAVINGS = sized({ test: 150, soak: 1_000 });
const AT_ONCE = 8;
const random = seededRandom(seed);
const pick = <T>(list: readonly T[]): T => {
  const found = list[Math.floor(random() * list.length)];
  if (found === undefined) throw new Error("nothing to pick from");
  return found;
};

/** Requests and turns only when the dice say so. */
const app = await testApp({ environment: { ROLES: "http" }, attends: false });
const phones = await channelSide({ database: app.database });
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
const elsewhere = await app.given.queue({ company: desk.company });
const line = { companyId: desk.company.id, connectionId: desk.connectionId };
const colleague = await app.given.agent({
  company: desk.company,
  queueIds: [...desk.queueIds, elsewhere],
  allTicket: "enabled",
});
const agents = [desk.admin, colleague];

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
type Ticket = { id: TicketId; phone: string; steps: Step[]; script: string[] };

const ownDevice = "Do celular da empresa";

async function say(ticket: Pick<Ticket, "phone">, text: string, isOwn = false): Promise<void> {
  const chat = { kind: "pn", value: ticket.phone } as const;
  await phones.receive(textEvent({ chat, text, fromMe: isOwn }), line);
}

async function change(ticket: Ticket, body: object): Promise<boolean> {
  return (await app.as(pick(agents)).put(`/tickets/${ticket.id}`, body)).status === 200;
}

const moves: Record<string, { kind: Step["kind"]; run: (ticket: Ticket) => Promise<boolean> }> = {
  customer: {
    kind: "other",
    run: (ticket) => say(ticket, pick(["Oi", "1", "2", "#", "0", "Alô?"])).then(() => true),
  },
  bot: { kind: "other", run: () => app.app.runDueTurns().then(() => true) },
  accept: { kind: "act", run: (ticket) => change(ticket, { status: "open" }) },
  // Where the bot never leads anybody: it is a change whenever it is the first one.
  transfer: { kind: "act", run: (ticket) => change(ticket, { queueId: elsewhere, userId: null }) },
  return: { kind: "other", run: (ticket) => change(ticket, { status: "pending", userId: null }) },
  close: { kind: "close", run: (ticket) => change(ticket, { status: "closed" }) },
  answer: {
    kind: "act",
    run: async (ticket) =>
      !hasEnded(ticket) &&
      (await app.as(desk.admin).post(`/messages/${ticket.id}`, { body: "Um momento" })).status ===
        200,
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
  const phone = desk.newPhone();
  await say({ phone }, "Olá");
  const [row] = await desk.rows<{ id: TicketId }>(sql`
    select t.id from tickets t join contacts c on c.company_id = t.company_id and c.id = t.contact_id
    where c.number = ${phone}`);
  if (!row) throw new Error("the customer has no ticket");
  return { id: row.id, phone, steps: [], script: [] };
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
  await app.app.runDueTurns();
  return ticket;
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

    const said = await desk.rows<{ ticketId: TicketId; at: Date; body: string }>(sql`
      select ticket_id as "ticketId", created_at as at, body from messages
      where from_me and user_id is null and body <> ${ownDevice}`);
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
    expect(said.length).toBeGreaterThan(INTERLEAVINGS / 2);
    const acted = tickets.filter((ticket) => silentTimes(ticket).length > 0);
    expect(acted.length).toBeGreaterThan(INTERLEAVINGS / 2);
    expect(await app.app.runDueTurns()).toBe(0);
  },
);
