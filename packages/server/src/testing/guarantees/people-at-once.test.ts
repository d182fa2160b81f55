import type { ContactId, ContactImport, ReplyOf, ShownContactImport } from "@balcao/contract";
import { sql } from "drizzle-orm";
import pg from "pg";
import { afterEach, expect, test, vi } from "vitest";
import type { Address } from "../../channels/port.ts";
import type { ConnectionRef } from "../../channels/runtime/index.ts";
import { addressKey } from "../../features/contacts/index.ts";
import type { ChannelSide } from "../../features/messages/testing/channel-side.ts";
import { channelSide, textEvent } from "../../features/messages/testing/channel-side.ts";
import { testApp } from "../app.ts";
import { testDatabase } from "../database.ts";
import type { GivenUser } from "../given.ts";
import { unique } from "../given.ts";
import { seed, seededRandom, sized } from "../soak.ts";

// docs/people.md: whatever comes together, imports, merges by hand and by the network's word, and messages in every form of a
// number, one person is one contact, no message or ticket is lost, and imports end with true counts.

const ROUNDS = sized({ test: 1, soak: 60 });
const PEOPLE = 14;
const STEPS = sized({ test: 110, soak: 400 });
const AT_ONCE = 8;
const IMPORTS = 3;
const DEADLOCK = "40P01";
/** Rows of a batch: small, so that much happens between two of them. */
const BATCH_ROWS = 3;

const database = await testDatabase();
const app = await testApp({ database, importBatchRows: BATCH_ROWS });
afterEach(() => {
  vi.restoreAllMocks();
});

/** A person with a number in both forms of the ninth digit, and a private id. */
type Person = { long: Address; short: Address; lid: Address };

function newPerson(): Person {
  const end = String(70_000_000 + unique());
  return {
    long: { kind: "pn", value: `55119${end}` },
    short: { kind: "pn", value: `5511${end}` },
    lid: { kind: "lid", value: `44${end}` },
  };
}

const nameOf = (address: Address): string => `${address.kind} ${addressKey(address)}`;

/** The addresses of each person in one text, in a fixed order. */
function inWords(people: Iterable<string[]>): string[] {
  return [...people].map((names) => names.toSorted().join(", ")).toSorted();
}

/** Which addresses are one person's, as far as anybody was told. */
function createPeople() {
  const parents = new Map<string, string>();
  const rootOf = (name: string): string => {
    const parent = parents.get(name);
    if (parent === undefined) parents.set(name, name);
    return parent === undefined || parent === name ? name : rootOf(parent);
  };
  return {
    see: (address: Address): string => rootOf(nameOf(address)),
    join: (a: string, b: string): void => void parents.set(rootOf(a), rootOf(b)),
    /** The addresses of each. */
    groups(): string[] {
      const groups = Map.groupBy(parents.keys(), rootOf);
      return inWords(groups.values());
    },
    rootOf,
  };
}

async function send<T>(user: GivenUser, path: string, rows: readonly string[][]): Promise<T> {
  const body = new FormData();
  const content = rows.map((row) => row.join(";")).join("\n");
  body.append("file", new Blob([content]), "clientes.csv");
  const headers = { authorization: `Bearer ${user.token}` };
  const reply = await fetch(`${app.url}/api${path}`, { method: "POST", headers, body });
  expect(reply.ok).toBe(true);
  return (await reply.json()) as T;
}

const showImport = async (user: GivenUser, id: number) =>
  (await app.as(user).get<ShownContactImport>(`/contact-imports/${id}`)).body;

type Owned = { name: string; contactId: ContactId };
const ownersOf = (side: ChannelSide): Promise<Owned[]> =>
  side.rows(sql`
    select kind || ' ' || key as name, contact_id as "contactId" from contact_addresses
    where company_id = ${side.companyId}`);

test.each(Array.from({ length: ROUNDS }, (_, round) => seed + round))(
  `${STEPS} imports, merges and messages of ${PEOPLE} people at once: one contact each, nothing lost (seed %i)`,
  async (start) => {
    const random = seededRandom(start);
    const below = (n: number): number => Math.floor(random() * n);
    const pick = <One>(list: readonly One[]): One => {
      const one = list[below(list.length)];
      if (one === undefined) throw new Error("nothing to pick");
      return one;
    };
    const side = await channelSide({ database });
    const { company, companyId } = side;
    const admin = await side.given.admin({ company });
    const lines: ConnectionRef[] = [
      { companyId, connectionId: side.connectionId },
      { companyId, connectionId: await side.given.connection({ company, linked: false }) },
    ];
    const everybody = Array.from({ length: PEOPLE }, newPerson);
    const people = createPeople();
    const sent: { id: string; by: string; line: number }[] = [];

    const anyNumber = ({ long, short }: Person): Address => pick([long, short]);
    const sheet = (): string[][] => {
      const chosen = everybody.filter(() => below(3) > 0);
      const rows = chosen.map((person) => [
        ...[pick(["", `Cliente ${below(9)}`]), anyNumber(person).value],
        ...[pick(["", `c${below(9)}@loja.example`]), pick(["sim", "não"])],
      ]);
      return [["nome", "numero", "email", "aceita mensagens"], ...rows];
    };
    const noteSheet = (rows: readonly string[][]): void => {
      for (const [, value = ""] of rows.slice(1)) people.see({ kind: "pn", value });
    };

    const drafts: { id: number; rows: string[][] }[] = [];
    for (let n = 0; n < IMPORTS; n += 1) {
      const rows = sheet();
      const { id } = await send<ContactImport>(admin, "/contact-imports", rows);
      await expect.poll(async () => (await showImport(admin, id)).trial).not.toBeNull();
      drafts.push({ id, rows });
    }
    const started = new Set<number>();

    async function message(): Promise<void> {
      const person = pick(everybody);
      const chat = pick([person.long, person.short, person.lid]);
      const also = pick([[], [], [chat.kind === "lid" ? anyNumber(person) : person.lid]]);
      const line = below(lines.length);
      const event = textEvent({
        ...{ chat, text: `${unique()}` },
        from: { addresses: [chat, ...also], displayName: pick(["Ana", "Bia", ""]) },
      });
      sent.push({ id: event.ref.id, by: nameOf(chat), line });
      people.see(chat);
      for (const other of also) people.join(people.see(other), people.see(chat));
      await side.receive(event, lines[line]);
    }

    async function report(): Promise<void> {
      const person = pick(everybody);
      const addresses: [Address, Address] = [anyNumber(person), person.lid];
      const at = new Date();
      // Only somebody who is known already is learned about.
      const before = await ownersOf(side);
      await side.receive(
        { type: "contact", chat: addresses[0], peer: { addresses }, at },
        pick(lines),
      );
      const names = addresses.map(nameOf);
      if (before.some(({ name }) => names.includes(name)))
        people.join(...(names as [string, string]));
    }

    async function mergeByHand(): Promise<void> {
      const owners = await ownersOf(side);
      if (owners.length < 2) return;
      const [a, b] = [pick(owners), pick(owners)];
      if (a.contactId === b.contactId) return;
      type Merge = ReplyOf<"GET /contacts/:contactId/merge">;
      const path = `/contacts/${a.contactId}/merge`;
      const shown = await app.as(admin).get<Merge>(`${path}?otherId=${b.contactId}`);
      if (shown.status !== 200) return;
      const name = pick(["own", "other"]);
      const reply = await app.as(admin).post<{ code?: string }>(path, {
        ...{ otherId: b.contactId, name, email: pick(["own", "other"]) },
        ...{ number: pick(["own", "other"]), extraInfo: [] },
        updatedAt: shown.body.own.contact.updatedAt,
        otherUpdatedAt: shown.body.other.contact.updatedAt,
      });
      if (reply.status === 200) people.join(a.name, b.name);
      else expect(["ERR_CONTACT_CHANGED", "ERR_NO_CONTACT_FOUND"]).toContain(reply.body.code);
    }

    async function importStep(): Promise<void> {
      const one = pick(drafts);
      if (!started.has(one.id)) {
        started.add(one.id);
        noteSheet(one.rows);
        const reply = await app.as(admin).post(`/contact-imports/${one.id}/start`);
        expect(reply.status).toBe(200);
        return;
      }
      const reply = await app
        .as(admin)
        .post(`/contact-imports/${one.id}/${pick(["pause", "resume"])}`);
      expect([200, 409]).toContain(reply.status);
    }

    async function upload(): Promise<void> {
      const rows = sheet().slice(0, 6);
      noteSheet(rows);
      await send<unknown[]>(admin, "/contacts/upload", rows);
    }

    const queries = vi.spyOn(pg.Client.prototype, "query");
    let left = STEPS;
    const step = (): Promise<void> => {
      const wish = below(20);
      if (wish < 11) return message();
      if (wish < 14) return report();
      if (wish < 16) return mergeByHand();
      return wish < 19 ? importStep() : upload();
    };
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (left > 0) {
          left -= 1;
          await step();
        }
      }),
    );
    for (const { id, rows } of drafts) {
      if (!started.has(id)) continue;
      if ((await showImport(admin, id)).state === "paused") {
        await app.as(admin).post(`/contact-imports/${id}/resume`);
      }
      await expect.poll(async () => (await showImport(admin, id)).state).toBe("done");
      const { added, filled, kept, refused, done } = await showImport(admin, id);
      expect([added + filled + kept, refused, done]).toEqual([rows.length - 1, 0, rows.length - 1]);
    }
    const results = await Promise.allSettled(
      queries.mock.results.map(({ value }): unknown => value),
    );
    // The database may end one of two that wait for each other (docs/people.md, "Locks"); it is done again.
    const failures = results.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(failures.filter(({ code }: pg.DatabaseError) => code !== DEADLOCK)).toEqual([]);
    expect(failures.length).toBeLessThanOrEqual(STEPS / 20);

    // One contact per person, and one person per contact.
    const owners = await ownersOf(side);
    const byContact = Map.groupBy(owners, ({ contactId }) => contactId);
    const found = inWords([...byContact.values()].map((some) => some.map(({ name }) => name)));
    expect(found).toEqual(people.groups());
    const [count] = await side.rows<{ contacts: number }>(sql`
      select count(*)::int as contacts from contacts where company_id = ${companyId}`);
    expect(count?.contacts).toBe(found.length);

    // Every message once, in the one ticket of its person and connection; nobody has read any.
    const ownerOf = new Map(owners.map(({ name, contactId }) => [name, contactId]));
    const expected = Map.groupBy(
      sent,
      ({ by, line }) => `${ownerOf.get(by)} ${lines[line]?.connectionId}`,
    );
    type TicketRow = { place: string; unread: number; ids: string[] };
    const tickets = await side.rows<TicketRow>(sql`
      select t.contact_id || ' ' || t.connection_id as place, t.unread_messages as unread,
        array(select m.provider_id from messages m where m.company_id = t.company_id and m.ticket_id = t.id
          and not m.from_me order by m.provider_id) as ids
      from tickets t where t.company_id = ${companyId} order by place`);
    expect(tickets).toEqual(
      [...expected]
        .map(([place, some]) => ({
          ...{ place, unread: some.length },
          ids: some.map(({ id }) => id).toSorted(),
        }))
        .toSorted((a, b) => (a.place < b.place ? -1 : 1)),
    );
  },
);
