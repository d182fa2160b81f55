import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Contact, Erasure, HeldPerson } from "@balcao/contract";
import { clientEvents } from "@balcao/contract";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import pg from "pg";
import { pino } from "pino";
import { expect, test } from "vitest";
import { erasuresAfter, repeatErasures } from "../../operations/backup/erasures.ts";
import { testApp } from "../../testing/app.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import type { GivenUser } from "../../testing/given.ts";
import { seed, sized } from "../../testing/soak.ts";
import type { GivenPerson } from "./testing/person.ts";
import { nobody } from "./people.ts";
import { textPlaces } from "./places.ts";
import {
  givenPerson,
  rowsByTable,
  runnerOf,
  searchDatabase,
  tablesWith,
} from "./testing/person.ts";

/** Tables that stores of the channels and the audit answer for. */
const storePlaces = [
  ...["audit_entries", "cloud_deliveries", "cloud_message_ids", "simulator_customers"],
  ...["simulator_messages", "whatsapp_keys", "whatsapp_sent"],
];

const logged: string[] = [];
const log = pino({ level: "trace" }, { write: (line: string) => void logged.push(line) });
const app = await testApp({ log });
const run = runnerOf(app);

async function given() {
  const company = await app.given.company();
  const admin = await app.given.admin({ company });
  return { company, admin, person: await givenPerson(app, company, admin) };
}

async function begin(by: GivenUser, contactId: number, confirmation: string): Promise<string> {
  const reply = await app.as(by).post<Erasure>("/privacy/erasures", { contactId, confirmation });
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return reply.body.id;
}

async function ended(by: GivenUser, id: string): Promise<Erasure> {
  const read = async () => {
    const { body } = await app.as(by).get<{ erasures: Erasure[] }>("/privacy/erasures");
    return body.erasures.find((one) => one.id === id);
  };
  await expect.poll(async () => (await read())?.state).toBe("done");
  return (await read()) ?? expect.unreachable();
}

const lookAgain = () => run(sql`select pg_notify('balcao_wake', 'erasures')`);

async function found(by: GivenUser, term: string) {
  type Found = { people: { id: number }[]; stray: { counts: object } | null; erased: Erasure[] };
  return (await app.as(by).post<Found>("/privacy/find", { term })).body;
}

test("a person is found by every identity, with what is held", async () => {
  const { admin, person } = await given();
  const { number, lid, email, name, contactId, marks } = person;
  const local = number.slice(5);
  const terms = [
    ...[
      number,
      number.slice(2),
      `+55 (11) 9${local.slice(0, 4)}-${local.slice(4)}`,
      `5511${local}`,
    ],
    ...[lid, `${lid}@lid`, `${number}@s.whatsapp.net`, email.toUpperCase(), name.toLowerCase()],
    ...["39053344705", "390.533.447-05", marks[5] ?? "", marks[6] ?? ""],
  ];
  for (const term of terms) {
    const { people } = await found(admin, term);
    expect([term, people.map(({ id }) => id)]).toEqual([term, [contactId]]);
  }
  const { body } = await app.as(admin).get<HeldPerson>(`/privacy/contacts/${contactId}`);
  expect(body.counts).toMatchObject({
    ...{ tickets: 1, messages: 4, files: 1, notes: 1, drafts: 1, schedules: 1, campaigns: 1 },
    ...{ lists: 1, imports: 1, phoneBook: 2 },
  });
  expect(body.bytes).toBe(9);
});

test("after an erasure nothing of the person is in the database, the store or the log; others keep theirs", async () => {
  const { company, admin, person } = await given();
  const other = await givenPerson(app, company, admin);
  const path = `/privacy/contacts/${person.contactId}`;
  await app.as(admin).post(`${path}/exports`, { language: "pt" });
  const copy = async () => (await app.as(admin).get<HeldPerson>(path)).body.exports[0]?.state;
  await expect.poll(copy).toBe("done");
  const foreign = await given();
  const others = [...other.marks, ...foreign.person.marks];
  const before = await searchDatabase(app, others);
  const sought = {
    ...{ companyId: company.id, contactId: person.contactId },
    person: { ...nobody, numbers: [person.number], privateIds: [person.lid] },
  };
  const rows = await rowsByTable(app, sought);
  // The person has a row in every place, but for a hold.
  expect([...rows].filter(([, keys]) => keys.length === 0).map(([name]) => name)).toEqual([
    ...["legal_holds"],
  ]);
  const places = new Set(
    (await searchDatabase(app, person.marks)).map((found) => found.replace(/:.*/s, "")),
  );
  expect([...places]).toEqual(
    expect.arrayContaining([...storePlaces, ...textPlaces.map(({ name }) => name)]),
  );
  const live = await app.live(admin);
  live.socket.emit(clientEvents.joinTickets, "pending");
  live.socket.emit(clientEvents.joinChatBox, String(person.groupTicketId));
  await app.as(admin).get(`/tickets/${person.ticket.id}`);
  const erasure = await ended(admin, await begin(admin, person.contactId, person.name));

  expect(await searchDatabase(app, person.marks)).toEqual([]);
  const files = await readdir(join(app.dataDir, "media", `company${company.id}`));
  expect(files.filter((file) => person.files.includes(file))).toEqual([]);
  expect(files).toEqual(expect.arrayContaining(other.files));
  expect(await readdir(join(app.dataDir, "company-archives", `company${company.id}`))).toEqual([]);
  // Rows that stay are figures, or the record of who asked for a copy.
  expect(await tablesWith(app, rows)).toEqual(["campaign_recipients", "person_exports", "ratings"]);
  expect(await searchDatabase(app, others)).toEqual(before);
  expect(erasure.counts).toMatchObject({ tickets: 1, messages: 4, files: 1, campaigns: 1 });
  // The campaign and the attendances keep their figures.
  expect(
    await run(sql`
      select (select count(*)::int from campaign_recipients where company_id = ${company.id} and status = 'read') as read,
             (select count(*)::int from attendances where company_id = ${company.id}) as attendances`),
  ).toEqual([{ read: 2, attendances: expect.any(Number) }]);
  // Open windows drop the conversation.
  const isDropped = () =>
    live.heard.some(
      ({ name, payload }) =>
        name.endsWith("-ticket") &&
        JSON.stringify(payload).includes(`"ticketId":${person.ticket.id}`),
    );
  await expect.poll(isDropped).toBe(true);
  expect(logged.filter((line) => person.marks.some((mark) => line.includes(mark)))).toEqual([]);

  const page = await fetch(
    `${app.url}/api/privacy/erasures/${erasure.id}/certificate?language=pt`,
    { headers: { authorization: `Bearer ${admin.token}` } },
  );
  const html = await page.text();
  expect(html).toContain(erasure.id);
  expect(person.marks.filter((mark) => html.includes(mark))).toEqual([]);
  // The person is recognised by number and private id, though neither is stored.
  for (const term of [person.number, `5511${person.number.slice(5)}`, person.lid])
    expect((await found(admin, term)).erased.map(({ id }) => id)).toEqual([erasure.id]);
});

/** Refuses the deletion of the company's rows in a table until the answer is called: each transaction there ends as by a kill. */
async function broken(table: string, companyId: number): Promise<() => Promise<unknown>> {
  await run(sql`
    create or replace function break_here() returns trigger language plpgsql as $$ begin raise exception 'broken here'; end $$`);
  await run(
    sql.raw(`create trigger broken before delete on ${table} for each row
      when (old.company_id = ${companyId}) execute function break_here()`),
  );
  return () => run(sql.raw(`drop trigger broken on ${table}`));
}

test("an erasure that is cut off at any step goes on from there, and a merge does not lead it astray", async () => {
  const { company, admin, person } = await given();
  const bystander = await givenPerson(app, company, admin);
  const before = await searchDatabase(app, bystander.marks);
  const steps = ["messages", "contacts", "contact_list_items", "mails", "erasure_files"];
  const mends: (() => Promise<unknown>)[] = [];
  for (const table of steps) mends.push(await broken(table, company.id));
  const breaks = () => logged.filter((line) => line.includes("an erasure did not get on")).length;
  const id = await begin(admin, person.contactId, person.number);
  for (const [index, mend] of mends.entries()) {
    await expect.poll(breaks).toBe(index + 1);
    if (index === 0) {
      const read = async (one: number) =>
        (await app.as(admin).get<Contact>(`/contacts/${one}`)).body;
      const [own, its] = [await read(bystander.contactId), await read(person.contactId)];
      const merged = await app.as(admin).post(`/contacts/${own.id}/merge`, {
        ...{ otherId: its.id, name: "own", number: "own", email: "own" },
        ...{ updatedAt: own.updatedAt, otherUpdatedAt: its.updatedAt },
      });
      expect(merged).toMatchObject({ status: 400, body: { code: "ERR_CONTACTS_NOT_MERGEABLE" } });
    }
    await mend();
    await expect
      .poll(() =>
        run(
          sql`update erasures set held_until = null where id = ${id} and held_until > ${app.clock.now()} returning 1`,
        ),
      )
      .toHaveLength(1);
    await lookAgain();
  }
  await ended(admin, id);
  expect(await searchDatabase(app, person.marks)).toEqual([]);
  expect(await searchDatabase(app, bystander.marks)).toEqual(before);
  // Another run of every step changes nothing.
  await run(sql`update erasures set state = 'running', held_until = null where id = ${id}`);
  await lookAgain();
  await ended(admin, id);
  expect(await searchDatabase(app, bystander.marks)).toEqual(before);
});

test("an erasure needs the right and the name, and waits for the end of a hold", async () => {
  const { company, admin, person } = await given();
  const agent = await app.given.agent({ company });
  const wish = { contactId: person.contactId, confirmation: person.name };
  const attempt = async (by: GivenUser, body: object) =>
    (await app.as(by).post<{ error: string }>("/privacy/erasures", body)).body.error;
  expect(await attempt(agent, wish)).toBe("ERR_NO_PERMISSION");
  expect(await attempt(admin, { ...wish, confirmation: "Outra" })).toBe("ERR_PRIVACY_CONFIRMATION");
  const hold = `/privacy/contacts/${person.contactId}/hold`;
  await app.as(admin).put(hold, { reason: "Processo" });
  expect(await attempt(admin, wish)).toBe("ERR_PRIVACY_HOLD");
  // Nor by the number alone, while it belongs to the contact.
  const byNumber = { contactId: null, number: person.number, confirmation: person.number };
  expect(await attempt(admin, byNumber)).toBe("ERR_PRIVACY_HOLD");
  await app.as(admin).delete(hold);
  const { body } = await app.as(admin).post<Erasure>("/privacy/erasures", byNumber);
  await ended(admin, body.id);
  expect(await searchDatabase(app, person.marks)).toEqual([]);
});

test("a number that stands on lists alone is found and erased", async () => {
  const { company, admin } = await given();
  const number = "5521987654321";
  await run(sql`
    with list as (insert into contact_lists (company_id, name) values (${company.id}, 'Rua') returning id)
    insert into contact_list_items (company_id, contact_list_id, name, number) select ${company.id}::int, id, 'Alguém', ${number} from list`);
  expect((await found(admin, "(21) 8765-4321")).stray).toMatchObject({ counts: { lists: 1 } });
  const reply = await app
    .as(admin)
    .post<Erasure>("/privacy/erasures", { contactId: null, number, confirmation: number });
  await ended(admin, reply.body.id);
  expect(await searchDatabase(app, [number])).toEqual([]);
});

test("a restored backup repeats the erasures that are newer than it", async () => {
  const { company, admin, person } = await given();
  const id = await begin(admin, person.contactId, person.name);
  await ended(admin, id);
  const client = new pg.Client({ connectionString: app.database.ownerUrl });
  await client.connect();
  atEndOfFile(() => client.end());
  const place = { list: async () => [], open: () => expect.unreachable() };
  const archive = {
    name: "balcao-00000000-20200101T000000Z.tar",
    createdAt: "2020-01-01T00:00:00.000Z",
  };
  // One that still runs when its database is replaced counts, too.
  for (const state of ["running", "done"]) {
    await run(sql`
      update erasures set state = ${state}, ended_at = case when ${state} = 'done' then now() end,
             held_until = now() + interval '1 hour' where id = ${id}`);
    const found = await erasuresAfter(client, place, archive);
    expect(found.map((one) => one.id)).toContain(id);
  }
  const later = await erasuresAfter(client, place, archive);
  // The backup has the person, as two contacts, and not the erasure.
  await run(sql`delete from erasures where id = ${id}`);
  const restored = await app.given.ticket({
    company,
    contactName: person.name,
    phone: person.number,
  });
  await app.given.message(restored, { body: person.words });
  await run(sql`
    insert into contact_addresses (company_id, kind, key, value, contact_id)
    values (${company.id}, 'pn', ${person.number}, ${person.number}, ${restored.contactId}) on conflict do nothing`);
  const twin = await app.given.ticket({
    company,
    contactName: person.name,
    phone: "5511900000077",
  });
  await run(sql`
    insert into contact_addresses (company_id, kind, key, value, contact_id)
    values (${company.id}, 'lid', ${person.lid}, ${person.lid}, ${twin.contactId})`);
  await run(sql`
    insert into known_numbers (company_id, key, number, checked_at)
    values (${company.id}, ${person.number}, ${person.number}, now())`);
  await repeatErasures(
    client,
    later.filter((one) => one.id === id),
  );
  await lookAgain();
  await ended(admin, id);
  expect(await searchDatabase(app, person.marks)).toEqual([]);
});

test(`random people and merges leave nothing behind (seed ${seed})`, async () => {
  const company = await app.given.company();
  const admin = await app.given.admin({ company });
  const choice = fc.constantFrom("own", "other");
  const merges = fc.array(fc.record({ name: choice, number: choice, email: choice }), {
    ...{ minLength: 1, maxLength: 3 },
  });
  await fc.assert(
    fc.asyncProperty(merges, async (wishes) => {
      const bystander = await givenPerson(app, company, admin);
      const before = await searchDatabase(app, bystander.marks);
      const people: GivenPerson[] = [await givenPerson(app, company, admin)];
      const [kept] = people;
      const contactId = kept?.contactId ?? expect.unreachable();
      const read = async (id: number) => (await app.as(admin).get<Contact>(`/contacts/${id}`)).body;
      for (const wish of wishes) {
        const other = await givenPerson(app, company, admin);
        people.push(other);
        const [own, its] = [await read(contactId), await read(other.contactId)];
        const merged = await app.as(admin).post(`/contacts/${contactId}/merge`, {
          ...{ otherId: other.contactId, ...wish },
          ...{ updatedAt: own.updatedAt, otherUpdatedAt: its.updatedAt },
        });
        expect([merged.status, merged.body]).toEqual([200, expect.anything()]);
      }
      const { name } = await read(contactId);
      await ended(admin, await begin(admin, contactId, name));
      // An e-mail address that lost a merge is in the history, which goes too.
      expect(
        await searchDatabase(
          app,
          people.flatMap(({ marks }) => marks),
        ),
      ).toEqual([]);
      expect(await searchDatabase(app, bystander.marks)).toEqual(before);
    }),
    { seed, numRuns: sized({ test: 2, soak: 60 }) },
  );
});
