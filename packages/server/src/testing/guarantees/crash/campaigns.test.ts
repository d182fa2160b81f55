import { expect, onTestFailed, test } from "vitest";
import { newInstallation, untilQuiet } from "./installation.ts";
import { seed, seededRandom, sized } from "../../soak.ts";

const PEOPLE = sized({ test: 30, soak: 5_000 });
const KILLS = sized({ test: 2, soak: 20 });
const CAMPAIGNS = 2;

test(
  `${KILLS} kill -9 in the middle of campaigns: everybody gets each message exactly once (seed ${seed})`,
  { timeout: sized({ test: 420_000, soak: 3_600_000 }) },
  async () => {
    const random = seededRandom(seed);
    const installation = await newInstallation();
    onTestFailed(() => void process.stderr.write(installation.output()));
    const ids = await plan(installation, PEOPLE / CAMPAIGNS);
    // Seconds pass at once, so that the pace does not take hours.
    const over = new AbortController();
    const hurrying = (async () => {
      while (!over.signal.aborted) {
        await installation
          .query(
            `update campaign_lines set ended_at = ended_at - interval '2 seconds', due_at = least(due_at, now())
             where due_at is not null`,
          )
          .catch(() => []);
        await pause(20);
      }
    })();
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const done = Math.floor((PEOPLE * kill) / (KILLS + 2));
      while ((await countDone(installation)) < done) await pause(20);
      await pause(random() * 50);
      await installation.kill();
      await installation.query("update connection_leases set expires_at = now()");
      await installation.start();
    }
    while ((await countRunning(installation, ids)) > 0) await pause(100);
    over.abort();
    await hurrying;
    await untilQuiet(installation);
    const received = await installation.query<{ times: number; people: number }>(
      `select times, count(*)::int as people from (
         select count(m.phone)::int as times from campaign_recipients r
         join campaigns c on c.id = r.campaign_id
         left join simulator_messages m on m.phone = r.number and m.connection_id = c.connection_id and not m.from_customer
         group by r.id) heard
       group by times`,
    );
    expect(received).toEqual([{ times: 1, people: PEOPLE }]);
    // The report says what the network saw.
    const stood = await installation.query<{ status: string; people: number }>(
      "select status, count(*)::int as people from campaign_recipients where status not in ('sent', 'delivered', 'read') group by status",
    );
    expect(stood).toEqual([]);
  },
);

type Installation = Awaited<ReturnType<typeof newInstallation>>;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Campaigns on one connection of the demo, each to people of its own; they are due. */
async function plan(installation: Installation, people: number): Promise<number[]> {
  const rows = await installation.query<{ id: number }>(
    `with line as (
       select company_id, id from connections where channel = 'simulator' and deleted_at is null order by id limit 1
     ), list as (
       insert into contact_lists (company_id, name)
       select company_id, 'Clientes ' || n from line, generate_series(1, $2::int) n returning id, company_id
     ), quick as (
       insert into campaign_settings (company_id, key, value)
       select company_id, key, '0' from line, unnest(array['messageInterval', 'greaterInterval']) key
     ), person as (
       insert into contact_list_items (company_id, contact_list_id, name, number, email, is_valid, checked_at)
       select company_id, list.id, 'Pessoa ' || n, '55119' || (70000000 + (row_number() over ())), '', true, now()
       from list, generate_series(1, $1::int) n
     )
     insert into campaigns (company_id, name, messages, confirmations, status, scheduled_at, connection_id, contact_list_id)
     select list.company_id, 'Oferta', '["Oi {nome}"]', '[]', 'PROGRAMADA', now(), line.id, list.id from list, line
     returning id`,
    [people, CAMPAIGNS],
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
