import { endpoints } from "@balcao/contract";
import pg from "pg";
import { expect, onTestFailed, test, vi } from "vitest";
import { createDatabase } from "../../database.ts";
import { sized } from "../../soak.ts";
import { newInstallation } from "./installation.ts";
import { signIn } from "./patient-client.ts";

const patience = { timeout: 90_000, interval: 100 };
/** For a state that may soon be over. */
const often = { ...patience, interval: 20 };

const environment = { DATABASE_URL: await createDatabase() };
const installation = await newInstallation({ environment });
const client = await signIn(installation, installation.accounts().admin);

const KILLS = sized({ test: 2, soak: 8 });

type Customer = { contactId: number; ticketId: number; phone: string; connectionId: number };

/** Customers of the demo with a ticket on a connection that works. */
async function customers(count: number): Promise<Customer[]> {
  return vi.waitFor(async () => {
    const rows = await installation.query<Customer>(
      `select distinct on (c.id) c.id as "contactId", t.id as "ticketId", c.number as phone, w.id as "connectionId"
         from tickets t
         join contacts c on c.id = t.contact_id
         join connections w on w.id = t.connection_id and w.status = 'CONNECTED'
        where not c.is_group and c.number is not null
        limit $1`,
      [count],
    );
    expect(rows).toHaveLength(count);
    return rows;
  }, patience);
}

async function schedule(customer: Customer, body: string): Promise<number> {
  const sendAt = new Date(Date.now() + 1_500).toISOString();
  const sent = { body, contactId: customer.contactId, sendAt };
  return (await client.call("POST /schedules", "/schedules", sent)).id;
}

async function statusesOf(ids: readonly number[]): Promise<string[]> {
  const rows = await installation.query<{ status: string }>(
    "select status from schedules where id = any($1::int[])",
    [ids],
  );
  return rows.map(({ status }) => status);
}

/**
 * Messages claimed by a crashed process are found again after five minutes, which pass at once here. Only its claims
 * get old: to make those of the running process old again and again would take each one away before its message is sent.
 */
const passFiveMinutes = (startedAt: Date) =>
  installation.query(
    "update schedules set locked_at = locked_at - interval '6 minutes' where locked_at < $1",
    [startedAt],
  );

/** Kills the process, and starts another one that finds no lease of the killed one. Answers when it was started. */
async function killAndStart(): Promise<Date> {
  await installation.kill();
  // The lease of a killed process lasts seventeen seconds: they pass at once.
  await installation.query("update connection_leases set expires_at = now()");
  const startedAt = new Date();
  await installation.start();
  return startedAt;
}

/** A schedule whose connection is not back after the restart is tried again a minute later: that passes at once. */
const passMinute = () =>
  installation.query(
    "update schedules set due_at = now() where status = 'PENDENTE' and error_code is not null",
  );

/** Resolves when all are sent; `startedAt` is the last start of the process. */
async function untilSent(ids: readonly number[], startedAt: Date): Promise<void> {
  await vi.waitFor(async () => {
    // Each time, because the database may complete a claim after the kill of the process that made it.
    await passFiveMinutes(startedAt);
    await passMinute();
    expect(await statusesOf(ids)).toEqual(ids.map(() => "ENVIADA"));
  }, patience);
}

/** How often the text stands on the customer's phone. */
async function timesArrived(customer: Customer, body: string) {
  const { connectionId, phone } = customer;
  const messages = await client.call(
    "GET /simulator/connections/:connectionId/chats/:phone/messages",
    `/simulator/connections/${connectionId}/chats/${phone}/messages`,
  );
  return messages.filter((message) => message.body === body).length;
}

test(
  "a scheduled message is sent once, though the process that took it is killed before it handed it over",
  { timeout: 300_000 },
  async () => {
    onTestFailed(() => void process.stderr.write(installation.output()));
    const [customer] = await customers(1);
    if (!customer) throw new Error("the demo has no customer");

    // A lock of the ticket's row holds the process between its two transactions.
    const holder = new pg.Client({ connectionString: environment.DATABASE_URL });
    await holder.connect();
    await holder.query("begin");
    await holder.query("select 1 from tickets where id = $1 for update", [customer.ticketId]);
    const body = "Enviada uma vez só";
    const id = await schedule(customer, body);
    await vi.waitFor(async () => expect(await statusesOf([id])).toEqual(["AGENDADA"]), patience);
    await installation.kill();
    await holder.query("rollback");
    await holder.end();
    expect(await installation.query("select 1 from messages where body = $1", [body])).toEqual([]);

    await untilSent([id], await killAndStart());
    expect(await timesArrived(customer, body)).toBe(1);
  },
);

test(
  "scheduled messages are sent once each, whenever the process is killed",
  { timeout: sized({ test: 300_000, soak: 900_000 }) },
  async () => {
    onTestFailed(() => void process.stderr.write(installation.output()));
    const people = await customers(6);
    const planned: { id: number; body: string; customer: Customer }[] = [];
    for (const customer of people) {
      for (const n of [1, 2, 3]) {
        const body = `Para ${customer.phone}, número ${n}`;
        planned.push({ id: await schedule(customer, body), body, customer });
      }
    }
    const ids = planned.map(({ id }) => id);
    let startedAt = new Date();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const seen = kill % 2 === 0 ? "AGENDADA" : "ENVIADA";
      // At the first sign of each step, a little later every time.
      await vi.waitFor(async () => {
        await passFiveMinutes(startedAt);
        await passMinute();
        const statuses = await statusesOf(ids);
        const isOver = statuses.every((status) => status === "ENVIADA");
        expect(statuses.includes(seen) || isOver).toBe(true);
      }, often);
      await new Promise((resolve) => setTimeout(resolve, kill * 7));
      startedAt = await killAndStart();
    }
    await untilSent(ids, startedAt);
    for (const { id, body, customer } of planned) {
      const shown = endpoints["GET /schedules/:scheduleId"].reply.parse(
        await client.call("GET /schedules/:scheduleId", `/schedules/${id}`),
      );
      expect(shown.sentAt).not.toBeNull();
      expect([body, await timesArrived(customer, body)]).toEqual([body, 1]);
    }
  },
);
