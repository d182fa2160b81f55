import { expect, onTestFailed, onTestFinished, test } from "vitest";
import type { CompanyAccount } from "../../../channels/whatsapp-web/testing/company.ts";
import type { Peer } from "../../../channels/whatsapp-web/testing/peer.ts";
import { startPeer } from "../../../channels/whatsapp-web/testing/peer.ts";
import { createDatabase } from "../../database.ts";
import { seed, seededRandom, sized } from "../../soak.ts";
import { until } from "./faults.ts";
import type { Installation } from "./installation.ts";
import { newInstallation } from "./installation.ts";
import type { PatientClient } from "./patient-client.ts";
import { signIn } from "./patient-client.ts";

/** On the simulator in two campaigns, and on WhatsApp Web in one. */
const SIMULATED = sized({ test: 20, soak: 5_000 });
const LINKED = sized({ test: 8, soak: 1_000 });
const PEOPLE = SIMULATED + LINKED;
const KILLS = sized({ test: 2, soak: 20 });

test(
  `${KILLS} kill -9 over two processes, lost connections and restarts in the middle of campaigns: everybody gets each message exactly once (seed ${seed})`,
  { timeout: sized({ test: 420_000, soak: 3 * 3_600_000 }) },
  async () => {
    const random = seededRandom(seed);
    const peer = await startPeer();
    onTestFinished(peer.close);
    const environment = {
      DATABASE_URL: await createDatabase(),
      ...{ WHATSAPP_WEB_URL: peer.url, WHATSAPP_WEB_ROOT_KEY: peer.rootKeyHex },
    };
    const left = await newInstallation({ environment });
    const right = await newInstallation({ environment });
    onTestFailed(() => void process.stderr.write(`${left.output()}\n${right.output()}`));
    const { admin } = left.accounts();
    const client = await signIn(left, admin);
    const { account, connectionId } = await linkByCode(client, peer);
    const [line] = await client.call("GET /simulator/connections", "/simulator/connections");
    if (!line) throw new Error("the demo has no simulated connection");
    const simulated = { connectionId: line.id, prefix: "5511970", campaigns: 2, people: SIMULATED };
    const linked = { connectionId, prefix: "5511960", campaigns: 1, people: LINKED };
    // The people of the chat network, each with a phone of their own.
    for (const phone of phonesOf(linked)) account.contact(phone);
    const ids = [...(await plan(left, simulated)), ...(await plan(left, linked))];

    const hurrying = hurry(left);
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const [killed, other] = kill % 2 === 0 ? [left, right] : [right, left];
      const done = Math.floor((PEOPLE * kill) / (KILLS + 2));
      while ((await countDone(left)) < done) await pause(50);
      await pause(random() * 50);
      await killed.kill();
      await left.query("update connection_leases set expires_at = now()");
      const chosen = ids[Math.floor(random() * ids.length)] ?? 0;
      const disturber = await signIn(other, admin);
      await disturb(kill, { client: disturber, account, connectionId: line.id, chosen });
      await killed.start();
    }
    while ((await countRunning(left, ids)) > 0) await pause(100);
    await hurrying.end();
    await untilNothingIsOnItsWay(left);

    expect(await timesOnSimulator(left, line.id)).toEqual([{ times: 1, people: SIMULATED }]);
    const shown = phonesOf(linked).map((phone) => account.contact(phone).received().length);
    expect(shown.filter((times) => times !== 1)).toEqual([]);
    // The report says what the network saw.
    const stood = await left.query<{ status: string; people: number }>(
      "select status, count(*)::int as people from campaign_recipients where status not in ('sent', 'delivered', 'read') group by status",
    );
    expect(stood).toEqual([]);
    expect(peer.errors()).toEqual([]);
  },
);

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A campaign is stopped and goes on, or the connections are lost and come back: by turns. */
async function disturb(
  turn: number,
  of: { client: PatientClient; account: CompanyAccount; connectionId: number; chosen: number },
): Promise<void> {
  const { client, account, connectionId, chosen } = of;
  if (turn % 2 === 1) {
    for (const action of ["cancel", "restart"]) {
      const path = `/campaigns/${chosen}/${action}`;
      // 409: it was over before.
      await until(async () => {
        const { status } = await client.tryOnce("POST", path).catch(() => ({ status: 0 }));
        return status === 204 || status === 409;
      });
    }
    return;
  }
  account.drop();
  const path = `/simulator/connections/${connectionId}/network`;
  await client.call("PUT /simulator/connections/:connectionId/network", path, { online: false });
  await pause(300);
  await client.call("PUT /simulator/connections/:connectionId/network", path, { online: true });
}

/** Seconds pass at once, so that the pace does not take hours. */
function hurry(installation: Installation): { end(): Promise<void> } {
  const over = new AbortController();
  const hurrying = (async () => {
    while (!over.signal.aborted) {
      await installation
        .query(
          `update campaign_lines set ended_at = ended_at - interval '5 seconds', due_at = least(due_at, now())
           where due_at is not null`,
        )
        .catch(() => []);
      await pause(50);
    }
  })();
  return {
    async end() {
      over.abort();
      await hurrying;
    },
  };
}

/** A new connection of the company, linked by scanning the code that its screen shows. */
async function linkByCode(
  client: PatientClient,
  peer: Peer,
): Promise<{ account: CompanyAccount; connectionId: number }> {
  const account = peer.account("5511900000001");
  const { id } = await client.call("POST /whatsapp", "/whatsapp", {
    ...{ name: "Telefone", channel: "whatsapp-web" },
  });
  const look = () => client.call("GET /whatsapp/:connectionId", `/whatsapp/${id}`);
  await until(async () => (await look()).qrcode !== "");
  await account.scanQr((await look()).qrcode);
  await until(async () => (await look()).status === "CONNECTED");
  return { account, connectionId: id };
}

type Plan = { connectionId: number; prefix: string; campaigns: number; people: number };

const phonesOf = ({ prefix, people }: Plan): string[] =>
  Array.from({ length: people }, (_, n) => `${prefix}${String(n + 1).padStart(6, "0")}`);

/** Campaigns on one connection of the demo, each to people of its own; they are due. */
async function plan(installation: Installation, wish: Plan): Promise<number[]> {
  const { connectionId, prefix, campaigns, people } = wish;
  const rows = await installation.query<{ id: number }>(
    `with line as (
       select company_id, id from connections where id = $1
     ), list as (
       insert into contact_lists (company_id, name)
       select company_id, 'Clientes ' || $3 || n from line, generate_series(1, $2::int) n returning id, company_id
     ), quick as (
       insert into campaign_settings (company_id, key, value)
       select company_id, key, '0' from line, unnest(array['messageInterval', 'greaterInterval']) key
       on conflict (company_id, key) do nothing
     ), person as (
       insert into contact_list_items (company_id, contact_list_id, name, number, email, is_valid, checked_at)
       select company_id, list.id, 'Pessoa ' || n, $3 || lpad((row_number() over ())::text, 6, '0'), '', true, now()
       from list, generate_series(1, $4::int) n
     )
     insert into campaigns (company_id, name, messages, confirmations, status, scheduled_at, connection_id, contact_list_id)
     select list.company_id, 'Oferta', '["Oi {nome}"]', '[]', 'PROGRAMADA', now(), line.id, list.id from list, line
     returning id`,
    [connectionId, campaigns, prefix, people / campaigns],
  );
  return rows.map(({ id }) => id);
}

async function countDone(installation: Installation): Promise<number> {
  const [row] = await installation.query<{ count: number }>(
    "select count(*)::int from campaign_recipients where status not in ('waiting', 'sending')",
  );
  return row?.count ?? 0;
}

async function countRunning(installation: Installation, ids: readonly number[]): Promise<number> {
  const [row] = await installation.query<{ count: number }>(
    "select count(*)::int from campaigns where id = any($1::int[]) and status <> 'FINALIZADA'",
    [ids],
  );
  return row?.count ?? 0;
}

async function untilNothingIsOnItsWay(installation: Installation): Promise<void> {
  await until(async () => {
    const [waiting] = await installation.query<{ count: number }>(
      `select (select count(*) from inbound_journal)::int
         + (select count(*) from outbound where state in ('queued', 'sending', 'sent'))::int as count`,
    );
    return waiting?.count === 0;
  });
}

/** How many people got how many messages on the simulated network. */
const timesOnSimulator = (installation: Installation, connectionId: number) =>
  installation.query<{ times: number; people: number }>(
    `select times, count(*)::int as people from (
       select count(m.phone)::int as times from campaign_recipients r
       join campaigns c on c.id = r.campaign_id and c.connection_id = $1
       left join simulator_messages m on m.phone = r.number and m.connection_id = c.connection_id and not m.from_customer
       group by r.id) heard
     group by times`,
    [connectionId],
  );
