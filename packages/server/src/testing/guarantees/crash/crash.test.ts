import { expect, onTestFailed, test } from "vitest";
import type { Conversation } from "./conversation.ts";
import { converse } from "./conversation.ts";
import { causeFaults, createWork } from "./faults.ts";
import type { Installation } from "./installation.ts";
import { newInstallation, untilQuiet } from "./installation.ts";
import { signIn } from "./patient-client.ts";
import { seed, seededRandom, sized } from "../../soak.ts";

const CUSTOMERS = sized({ test: 10, soak: 44 });
const MESSAGES_EACH = sized({ test: 14, soak: 48 });
const ANSWERS_EACH = sized({ test: 4, soak: 12 });
const KILLS = sized({ test: 3, soak: 10 });
/** So many times the next start is killed as well, before it is done. */
const KILLS_IN_START = sized({ test: 1, soak: 2 });

test(
  `${KILLS} kill -9 and a killed database lose, double and reorder no message (seed ${seed})`,
  { timeout: 420_000 },
  async () => {
    const installation = await newInstallation();
    onTestFailed(() => void process.stderr.write(installation.output()));
    const accounts = installation.accounts();
    const admin = await signIn(installation, accounts.admin);
    const agents = await Promise.all(accounts.agents.map((agent) => signIn(installation, agent)));
    const [line] = await admin.call("GET /simulator/connections", "/simulator/connections");
    if (!line) throw new Error("the demo has no simulated connection");

    const work = createWork(CUSTOMERS * (MESSAGES_EACH + ANSWERS_EACH), KILLS);
    const waiting = () => [admin, ...agents].reduce((sum, client) => sum + client.waiting(), 0);
    const faults = causeFaults(installation, work, {
      ...{ kills: KILLS, killsInStart: KILLS_IN_START, database: true },
      ...{ random: seededRandom(seed), waiting },
    });
    const conversations = await Promise.all(
      Array.from({ length: CUSTOMERS }, (_, index) => {
        const agent = agents[index % agents.length];
        if (!agent) throw new Error("the demo has no agents");
        return converse({
          ...{ customer: admin, agent, connectionId: line.id, phone: `55119${60_000_000 + index}` },
          ...{ messages: MESSAGES_EACH, answers: ANSWERS_EACH },
          turn: work.turn,
          onProgress: work.advance,
        });
      }),
    );
    const { underLoad, ...done } = await faults;
    expect(done).toEqual({ kills: KILLS, killsInStart: KILLS_IN_START, databaseKills: 1 });
    // It would prove nothing if nobody had been talking.
    expect(underLoad).toBeGreaterThan(KILLS / 2);

    await untilQuiet(installation);
    await expectComplete(installation, conversations);
  },
);

type Stored = {
  phone: string;
  contacts: number;
  tickets: number;
  unread: number;
  countedUnread: number;
  received: string[];
  receivedByTime: string[];
  onPhone: string[];
  sent: string[];
  answersOnPhone: string[];
  unsent: number;
};

async function expectComplete(
  installation: Installation,
  conversations: readonly Conversation[],
): Promise<void> {
  const phones = conversations.map(({ phone }) => phone);
  const stored = await installation.query<Stored>(storedStatement, [phones]);
  expect(stored.map(({ phone }) => phone)).toEqual(phones);
  for (const [index, { phone, written, answered }] of conversations.entries()) {
    expect(written).toHaveLength(MESSAGES_EACH);
    expect(answered).toHaveLength(ANSWERS_EACH);
    const now = stored[index];
    expect(now, phone).toMatchObject({ contacts: 1, tickets: 1, unsent: 0 });
    // The network's own order is the one that was acknowledged, and the product's is the network's.
    expect(now?.onPhone).toEqual(written);
    expect(now?.received).toEqual(written);
    expect(now?.receivedByTime).toEqual(written);
    expect(now?.sent).toEqual(answered);
    expect(now?.answersOnPhone).toEqual(answered);
    expect(now?.countedUnread).toBe(now?.unread);
  }
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
         (select sum(t.unread_messages)::int from tickets t join contacts c on c.id = t.contact_id
           where c.number = asked.phone) as unread,
         (select count(*)::int from said m where m.phone = asked.phone and not m.from_me and not m.read)
           as "countedUnread",
         (select array_agg(m.provider_id order by m.seq) from said m
           where m.phone = asked.phone and not m.from_me) as received,
         (select array_agg(m.provider_id order by m.created_at, m.seq) from said m
           where m.phone = asked.phone and not m.from_me) as "receivedByTime",
         (select array_agg(s.id order by s.seq) from simulator_messages s
           where s.phone = asked.phone and s.from_customer) as "onPhone",
         (select array_agg(m.body order by m.created_at, m.seq) from said m
           where m.phone = asked.phone and m.from_me) as sent,
         (select array_agg(s.body order by s.seq) from simulator_messages s
           where s.phone = asked.phone and not s.from_customer) as "answersOnPhone",
         (select count(*)::int from said m where m.phone = asked.phone and m.from_me
             and (m.failed_code is not null or m.ack < 3)) as unsent
    from unnest($1::text[]) with ordinality as asked (phone, place)
   order by asked.place`;
