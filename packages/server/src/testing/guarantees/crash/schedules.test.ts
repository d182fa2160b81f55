import { endpoints } from "@balcao/contract";
import pg from "pg";
import { expect, onTestFailed, test, vi } from "vitest";
import { createDatabase } from "../../database.ts";
import type { Installation } from "./installation.ts";
import { newInstallation } from "./installation.ts";
import type { PatientClient } from "./patient-client.ts";
import { signIn } from "./patient-client.ts";

const patience = { timeout: 60_000, interval: 20 };

type Customer = { contactId: number; ticketId: number; phone: string; connectionId: number };

/** Customers of the demo with a ticket on a connection that works. */
async function customers(installation: Installation, count: number): Promise<Customer[]> {
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

async function schedule(client: PatientClient, customer: Customer, body: string): Promise<number> {
  const sendAt = new Date(Date.now() + 1_500).toISOString();
  const sent = { body, contactId: customer.contactId, sendAt };
  return (await client.call("POST /schedules", "/schedules", sent)).id;
}

const statusOf = async (installation: Installation, id: number): Promise<string | undefined> => {
  const rows = await installation.query<{ status: string }>(
    "select status from schedules where id = $1",
    [id],
  );
  return rows[0]?.status;
};

/** Messages claimed by a crashed process are found again after five minutes, which pass at once here. */
const passFiveMinutes = (installation: Installation) =>
  installation.query(
    "update schedules set locked_at = locked_at - interval '6 minutes' where locked_at is not null",
  );

/** The lease of a killed process runs out after twenty seconds: they pass at once. */
const endLeases = (installation: Installation) =>
  installation.query("update connection_leases set expires_at = now()");

/** A schedule whose connection is not back after the restart is tried again a minute later: that passes at once. */
const passMinute = (installation: Installation) =>
  installation.query(
    "update schedules set due_at = now() where status = 'PENDENTE' and error_code is not null",
  );

/** How often the text stands on the customer's phone. */
async function timesArrived(client: PatientClient, customer: Customer, body: string) {
  const { connectionId, phone } = customer;
  const messages = await client.call(
    "GET /simulator/connections/:connectionId/chats/:phone/messages",
    `/simulator/connections/${connectionId}/chats/${phone}/messages`,
  );
  return messages.filter((message) => message.body === body).length;
}

test(
  "a scheduled message is sent once, though the process that took it is killed before it handed it over",
  { timeout: 180_000 },
  async () => {
    const environment = { DATABASE_URL: await createDatabase() };
    const installation = await newInstallation({ environment });
    onTestFailed(() => void process.stderr.write(installation.output()));
    const client = await signIn(installation, installation.accounts().admin);
    const [customer] = await customers(installation, 1);
    if (!customer) throw new Error("the demo has no customer");

    // A lock of the ticket's row holds the process between its two transactions.
    const holder = new pg.Client({ connectionString: environment.DATABASE_URL });
    await holder.connect();
    await holder.query("begin");
    await holder.query("select 1 from tickets where id = $1 for update", [customer.ticketId]);
    const body = "Enviada uma vez só";
    const id = await schedule(client, customer, body);
    await vi.waitFor(
      async () => expect(await statusOf(installation, id)).toBe("AGENDADA"),
      patience,
    );
    await installation.kill();
    await holder.query("rollback");
    await holder.end();
    expect(await installation.query("select 1 from messages where body = $1", [body])).toEqual([]);

    await passFiveMinutes(installation);
    await endLeases(installation);
    await installation.start();
    await vi.waitFor(async () => {
      await passMinute(installation);
      expect(await statusOf(installation, id)).toBe("ENVIADA");
    }, patience);
    expect(await timesArrived(client, customer, body)).toBe(1);
  },
);

test(
  "scheduled messages are sent once each, whenever the process is killed",
  { timeout: 240_000 },
  async () => {
    const environment = { DATABASE_URL: await createDatabase() };
    const installation = await newInstallation({ environment });
    onTestFailed(() => void process.stderr.write(installation.output()));
    const client = await signIn(installation, installation.accounts().admin);
    const people = await customers(installation, 6);
    const planned: { id: number; body: string; customer: Customer }[] = [];
    for (const customer of people) {
      for (const n of [1, 2, 3]) {
        const body = `Para ${customer.phone}, número ${n}`;
        planned.push({ id: await schedule(client, customer, body), body, customer });
      }
    }
    for (const [moment, seen] of ["AGENDADA", "ENVIADA", "AGENDADA"].entries()) {
      // At the first sign of each step, a little later every time.
      await vi.waitFor(async () => {
        await passMinute(installation);
        const rows = await installation.query<{ status: string }>("select status from schedules");
        const statuses = rows.map(({ status }) => status);
        const isOver = statuses.every((status) => status === "ENVIADA");
        expect(statuses.includes(seen) || isOver).toBe(true);
      }, patience);
      await new Promise((resolve) => setTimeout(resolve, moment * 7));
      await installation.kill();
      await passFiveMinutes(installation);
      await endLeases(installation);
      await installation.start();
    }
    await vi.waitFor(async () => {
      await passFiveMinutes(installation);
      await passMinute(installation);
      const rows = await installation.query<{ status: string }>("select status from schedules");
      expect(rows.map(({ status }) => status)).toEqual(planned.map(() => "ENVIADA"));
    }, patience);
    for (const { id, body, customer } of planned) {
      const shown = endpoints["GET /schedules/:scheduleId"].reply.parse(
        await client.call("GET /schedules/:scheduleId", `/schedules/${id}`),
      );
      expect(shown.sentAt).not.toBeNull();
      expect([body, await timesArrived(client, customer, body)]).toEqual([body, 1]);
    }
  },
);
