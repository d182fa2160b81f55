import { expect, onTestFailed, onTestFinished, test } from "vitest";
import type { CompanyAccount } from "../../../channels/whatsapp-web/testing/company.ts";
import type { Contact } from "../../../channels/whatsapp-web/testing/contact.ts";
import type { Peer } from "../../../channels/whatsapp-web/testing/peer.ts";
import { startPeer } from "../../../channels/whatsapp-web/testing/peer.ts";
import type { Conversation } from "./conversation.ts";
import { answer } from "./conversation.ts";
import { causeFaults, createWork, until } from "./faults.ts";
import type { Installation } from "./installation.ts";
import { newInstallation } from "./installation.ts";
import type { PatientClient } from "./patient-client.ts";
import { signIn } from "./patient-client.ts";
import { seed, seededRandom, sized } from "../../soak.ts";

const CUSTOMERS = sized({ test: 8, soak: 40 });
const MESSAGES_EACH = sized({ test: 14, soak: 25 });
const ANSWERS_EACH = sized({ test: 6, soak: 13 });
const KILLS = sized({ test: 3, soak: 10 });
const KILLS_IN_START = sized({ test: 1, soak: 2 });

test(
  `through WhatsApp Web, ${KILLS} kill -9 lose, double and reorder no message (seed ${seed})`,
  { timeout: 420_000 },
  async () => {
    const peer = await startPeer();
    onTestFinished(peer.close);
    const installation = await newInstallation({
      environment: { WHATSAPP_WEB_URL: peer.url, WHATSAPP_WEB_ROOT_KEY: peer.rootKeyHex },
    });
    onTestFailed(() => void process.stderr.write(installation.output()));
    const accounts = installation.accounts();
    const admin = await signIn(installation, accounts.admin);
    const agents = await Promise.all(accounts.agents.map((agent) => signIn(installation, agent)));
    const account = await linkByCode(admin, peer);

    const work = createWork(CUSTOMERS * (MESSAGES_EACH + ANSWERS_EACH), KILLS);
    const faults = causeFaults(installation, work, {
      ...{ kills: KILLS, killsInStart: KILLS_IN_START, database: false },
      random: seededRandom(seed),
      waiting: () =>
        agents.reduce((sum, client) => sum + client.waiting(), 0) + account.undelivered(),
    });
    const conversations = await Promise.all(
      Array.from({ length: CUSTOMERS }, async (_, index): Promise<Conversation> => {
        const agent = agents[index % agents.length];
        if (!agent) throw new Error("the demo has no agents");
        const contact = account.contact(`55119${60_000_000 + index}`);
        // Some show their phone's number, some only the address that hides it, with the number told along.
        contact.setAddressing({ from: index % 2 === 0 ? "pn" : "lid", alone: false });
        const talk = { turn: work.turn, onProgress: work.advance };
        const [written, answered] = await Promise.all([
          write(account, contact, talk),
          answer({ agent, phone: contact.phone, answers: ANSWERS_EACH, ...talk }),
        ]);
        return { phone: contact.phone, written, answered };
      }),
    );
    const { underLoad, ...done } = await faults;
    expect(done).toEqual({ kills: KILLS, killsInStart: KILLS_IN_START, databaseKills: 0 });
    // It would prove nothing if nobody had been talking.
    expect(underLoad).toBeGreaterThan(KILLS / 2);

    await untilQuiet(installation, account);
    await expectNoneLost(installation, account, conversations);
    await expectNoneMissing(installation, account);
    await expectStored(installation, conversations);
    expectShown(account, conversations);
    expect(peer.errors()).toEqual([]);
  },
);

/** A new connection of the company, linked by scanning the code that its screen shows. */
async function linkByCode(admin: PatientClient, peer: Peer): Promise<CompanyAccount> {
  const account = peer.account("5511900000001");
  const created = await admin.call("POST /whatsapp", "/whatsapp", {
    ...{ name: "Telefone", channel: "whatsapp-web" },
  });
  const look = () => admin.call("GET /whatsapp/:connectionId", `/whatsapp/${created.id}`);
  await until(async () => (await look()).qrcode !== "");
  await account.scanQr((await look()).qrcode);
  await until(async () => (await look()).status === "CONNECTED");
  return account;
}

type Talk = { turn(): Promise<void>; onProgress(): void };

/** Each one waits for the confirmation of its last message; a message in transit at a crash is sent again. */
async function write(account: CompanyAccount, contact: Contact, talk: Talk): Promise<string[]> {
  const written: string[] = [];
  for (let number = 1; number <= MESSAGES_EACH; number += 1) {
    await talk.turn();
    const id = await contact.sends(`Mensagem ${number} de ${contact.phone}`);
    await until(
      () => account.hasConfirmed(id),
      () =>
        `message ${number} of ${contact.phone} was not confirmed: ${account.trailOf(id).join()}`,
    );
    written.push(id);
    talk.onProgress();
  }
  return written;
}

/** Resolves when nothing is on its way between the phones and the product, in either direction. */
async function untilQuiet(installation: Installation, account: CompanyAccount): Promise<void> {
  let complaint = "";
  await until(
    async () => {
      const [waiting] = await installation.query<{ journal: number; outbound: object | null }>(`
        select (select count(*) from inbound_journal)::int as journal,
               (select json_object_agg(id, state) from outbound where state in ('queued', 'sending', 'sent')) as outbound`);
      complaint = JSON.stringify({ waiting, undelivered: account.undeliveredTrails() });
      return waiting?.journal === 0 && !waiting.outbound && account.undelivered() === 0;
    },
    () => `not quiet: ${complaint}`,
  );
}

/** Says of each answer that a phone does not show what became of it there. */
async function expectNoneMissing(
  installation: Installation,
  account: CompanyAccount,
): Promise<void> {
  const sent = await installation.query<{ id: string; phone: string; body: string }>(
    `select m.provider_id as id, c.number as phone, m.body from messages m
       join tickets t on t.id = m.ticket_id join contacts c on c.id = t.contact_id
      where m.from_me and c.number like '551196%'`,
  );
  const missing = sent.flatMap(({ id, phone, body }) => {
    const contact = account.contact(phone);
    const isShown = contact.received().some((one) => one.id === id);
    return isShown ? [] : [{ body, trail: contact.trailOf(id) }];
  });
  expect(missing).toEqual([]);
}

/** Says of each lost message what became of it on its way. */
async function expectNoneLost(
  installation: Installation,
  account: CompanyAccount,
  conversations: readonly Conversation[],
): Promise<void> {
  const rows = await installation.query<{ id: string }>(
    "select provider_id as id from messages where not from_me",
  );
  const stored = new Set(rows.map(({ id }) => id));
  const lost = conversations.flatMap(({ phone, written }) =>
    written.flatMap((id, index) =>
      stored.has(id) ? [] : [{ phone, number: index + 1, trail: account.trailOf(id) }],
    ),
  );
  expect(lost).toEqual([]);
}

type Stored = {
  phone: string;
  contacts: number;
  tickets: number;
  received: string[];
  receivedByTime: string[];
  sent: string[];
  unsent: unknown[] | null;
};

async function expectStored(
  installation: Installation,
  conversations: readonly Conversation[],
): Promise<void> {
  const phones = conversations.map(({ phone }) => phone);
  const stored = await installation.query<Stored>(storedStatement, [phones]);
  const expected = conversations.map(({ phone, written, answered }) => ({
    ...{ phone, contacts: 1, tickets: 1, unsent: null },
    ...{ received: written, receivedByTime: written, sent: answered },
  }));
  expect(stored).toEqual(expected);
  expect(expected.flatMap(({ received }) => received)).toHaveLength(CUSTOMERS * MESSAGES_EACH);
}

/**
 * The customers' phones show each answer once, in order; and the company's own phone has a copy of each. A message sent
 * again after a crash is the same message: a phone counts it, and shows it once.
 */
function expectShown(account: CompanyAccount, conversations: readonly Conversation[]): void {
  const shownIds = new Set<string>();
  for (const { phone, answered } of conversations) {
    const shown = account.contact(phone).received();
    expect(shown.map(({ text }) => text)).toEqual(answered);
    for (const { id } of shown) shownIds.add(id);
  }
  expect(shownIds.size).toBe(CUSTOMERS * ANSWERS_EACH);
  expect(new Set(account.phone.received().map(({ id }) => id))).toEqual(shownIds);
}

/** One row per phone; lists in the order that each side has. */
const storedStatement = `
  with said as (
    select c.number as phone, m.* from messages m
      join tickets t on t.id = m.ticket_id
      join contacts c on c.id = t.contact_id)
  select asked.phone,
         (select count(*)::int from contacts c where c.number = asked.phone) as contacts,
         (select count(*)::int from tickets t join contacts c on c.id = t.contact_id
           where c.number = asked.phone) as tickets,
         (select array_agg(m.provider_id order by m.seq) from said m
           where m.phone = asked.phone and not m.from_me) as received,
         (select array_agg(m.provider_id order by m.created_at, m.seq) from said m
           where m.phone = asked.phone and not m.from_me) as "receivedByTime",
         (select array_agg(m.body order by m.created_at, m.seq) from said m
           where m.phone = asked.phone and m.from_me) as sent,
         (select json_agg(json_build_object('body', m.body, 'ack', m.ack, 'failed', m.failed_code,
                                           'state', o.state, 'attempt', o.attempt, 'why', o.error_code))
            from said m left join outbound o on o.message_id = m.id
           where m.phone = asked.phone and m.from_me
             and (m.failed_code is not null or m.ack < 3)) as unsent
    from unnest($1::text[]) with ordinality as asked (phone, place)
   order by asked.place`;
