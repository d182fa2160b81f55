import type { Ticket } from "@balcao/contract";
import { sql } from "drizzle-orm";
import pg from "pg";
import { expect, test, vi } from "vitest";
import type { TestApp } from "../app.ts";
import { testApp } from "../app.ts";
import { testDatabase } from "../database.ts";
import type { GivenTicket, GivenUser } from "../given.ts";
import { seed, seededRandom, sized } from "../soak.ts";

// ADR 34: while users come and go, limits change and tickets are closed and returned in two processes at once, nobody is given
// more than the limit, nobody who is away is given anything, and every ticket is served in the end.

const BURSTS = sized({ test: 25, soak: 1_000 });
const CALLS_AT_ONCE = 8;
const TICKETS = 14;
const PEOPLE = 4;
/** So many bursts, then everybody works until nothing waits. */
const BURSTS_BETWEEN_RESTS = 25;

const database = await testDatabase();
const options = { database, distributed: true, assignmentLookMs: 500 };
const environment = { ROLES: "http,jobs" };
const left = await testApp({ ...options, environment });
const right = await testApp({ ...options, environment });

type Assigned = { userId: number; open: number; allowed: number; isReady: boolean };

/** Notes each assignment with what was true at that moment, in its own transaction: the lock of the company is held. */
async function noteAssignments(): Promise<void> {
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  await owner.query(`
    create table assignment_notes (
      n serial, company_id int, ticket_id int, user_id int, open int, allowed int, is_ready boolean);
    create function note_assignment() returns trigger language plpgsql security definer
    set search_path = public as $$
    begin
      insert into assignment_notes (company_id, ticket_id, user_id, open, allowed, is_ready)
      select new.company_id, new.id, u.id,
        (select count(*) from tickets t
          where t.company_id = new.company_id and t.user_id = u.id and t.status = 'open'),
        u.ticket_limit, u.online and u.availability = 'available'
      from users u where u.company_id = new.company_id and u.id = new.user_id;
      return null;
    end $$;
    create trigger note_assignment after update on tickets for each row
      when (old.status = 'pending' and new.status = 'open') execute function note_assignment();`);
  await owner.end();
}

const read = <Row>(statement: ReturnType<typeof sql>): Promise<Row[]> =>
  database.db.acrossCompanies((tx) => tx.query<Row>(statement));

test.each(["turns", "load"] as const)(
  `%s: nobody over the limit, nobody starves, one owner each: ${BURSTS} interleavings (seed ${seed})`,
  async (assignment) => {
    const random = seededRandom(assignment === "turns" ? seed : seed + 1);
    const below = (n: number): number => Math.floor(random() * n);
    if (
      (
        await read(
          sql`select to_regclass('assignment_notes') as t where to_regclass('assignment_notes') is not null`,
        )
      ).length === 0
    ) {
      await noteAssignments();
    }

    const { given } = left;
    const company = await given.company();
    const admin = await given.admin({ company });
    const queues = [await given.queue({ company }), await given.queue({ company })] as const;
    const connectionId = await given.connection({ company, linked: false });
    for (const id of queues) await left.as(admin).put(`/queue/${id}`, { assignment });
    const people: GivenUser[] = [];
    for (let n = 0; n < PEOPLE; n += 1) {
      // The last one is in both queues, as is the first.
      const queueIds = n % (PEOPLE - 1) === 0 ? [...queues] : [queues[n % 2] ?? queues[0]];
      people.push(await given.agent({ company, queueIds }));
    }
    // Seen far ahead: no heartbeats come from them, and the job for silent users runs here too.
    await read(
      sql`update users set online = true, last_seen_at = now() + interval '1 day' where company_id = ${company.id}`,
    );
    const tickets: GivenTicket[] = [];
    for (let n = 0; n < TICKETS; n += 1)
      tickets.push(await given.ticket({ company, connectionId }));

    const person = (): GivenUser => people[below(PEOPLE)] ?? admin;
    const limitOf = (user: GivenUser, ticketLimit: number) => (on: TestApp) =>
      on.as(admin).put(`/users/${user.id}`, { ticketLimit });
    const becomes = (user: GivenUser, availability: string) => (on: TestApp) =>
      on.as(user).put("/users/availability", {
        availability,
        ...(availability === "paused" ? { pauseReason: "Almoço" } : {}),
      });
    const ticketChange = (body: Record<string, unknown>) => {
      const { id } = tickets[below(TICKETS)] ?? { id: 0 };
      return (on: TestApp) => on.as(admin).put(`/tickets/${id}`, body);
    };
    function anyCall(): (on: TestApp) => Promise<{ status: number }> {
      const wish = below(10);
      if (wish < 4)
        return ticketChange({ queueId: queues[below(2)], status: "pending", userId: null });
      if (wish < 6) return ticketChange({ status: "closed" });
      if (wish < 7) return ticketChange({ status: "pending", userId: null });
      if (wish < 8) return limitOf(person(), 1 + below(3));
      return becomes(person(), ["available", "available", "paused", "away"][below(4)] ?? "away");
    }

    /** Everybody is there and has room: what waits is served, and no decision was wrong until now. */
    async function rest(): Promise<void> {
      for (const user of people) {
        const replies = [await limitOf(user, 100)(left), await becomes(user, "available")(right)];
        expect(replies.map(({ status }) => status)).toEqual([200, 200]);
      }
      await vi.waitFor(
        async () => {
          const waiting = await read(
            sql`select id from tickets where company_id = ${company.id} and status = 'pending' and queue_id is not null`,
          );
          expect(waiting).toEqual([]);
        },
        { interval: 25 },
      );
      const notes = await read<Assigned>(sql`
        select user_id as "userId", open, allowed, is_ready as "isReady" from assignment_notes
        where company_id = ${company.id}`);
      expect(notes.filter(({ open, allowed, isReady }) => open > allowed || !isReady)).toEqual([]);
      // The attendance says the same owner as the ticket, and there is one of them.
      const torn = await read(sql`
        select t.id from tickets t
        where t.company_id = ${company.id} and t.status = 'open' and 1 <> (
          select count(*) from attendances a where a.company_id = t.company_id and a.ticket_id = t.id
            and a.finished_at is null and a.user_id = t.user_id and a.queue_id = t.queue_id)`);
      expect(torn).toEqual([]);
    }

    for (let burst = 1; burst <= BURSTS; burst += 1) {
      const calls = Array.from({ length: CALLS_AT_ONCE }, anyCall);
      const replies = await Promise.all(
        calls.map((call, index) => call(index % 2 === 0 ? left : right)),
      );
      expect(replies.filter(({ status }) => status >= 500)).toEqual([]);
      if (burst % BURSTS_BETWEEN_RESTS === 0) await rest();
    }
    await rest();
    const served = await read<{ count: number }>(
      sql`select count(distinct user_id)::int as count from assignment_notes where company_id = ${company.id}`,
    );
    expect(served).toEqual([{ count: PEOPLE }]);

    if (assignment !== "turns") return;
    // With everybody there, a round gives each user of a queue one ticket.
    const [queueId] = queues;
    const members = people.filter((_, n) => n % (PEOPLE - 1) === 0 || n % 2 === 0);
    const fresh = [];
    for (let n = 0; n < 2 * members.length; n += 1) {
      fresh.push((await given.ticket({ company, connectionId })).id);
    }
    const assigned = await Promise.all(
      fresh.map((id, n) =>
        (n % 2 === 0 ? left : right).as(admin).put<Ticket>(`/tickets/${id}`, { queueId }),
      ),
    );
    const owners = assigned.map(({ body }) => body.userId);
    for (const { id } of members) expect(owners.filter((owner) => owner === id)).toHaveLength(2);
  },
  120_000 + BURSTS * 1_000,
);
