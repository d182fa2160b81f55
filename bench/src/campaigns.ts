import { setTimeout as delay } from "node:timers/promises";
import type { Campaign, ConnectionId } from "@balcao/contract";
import type { ChannelAdapter, ChatProvider } from "@balcao/server/src/channels/port.ts";
import pg from "pg";
import type { Company } from "./companies.ts";
import { addCompany, addUser, fill } from "./companies.ts";
import { createLoadNetwork } from "./load-adapter.ts";
import { collectGarbage, forgetPeak, peakMbOf, rssMbOf } from "./memory.ts";
import type { BenchDatabase, BenchPostgres } from "./postgres.ts";
import type { Product } from "./product.ts";
import { startProduct, tokenOf } from "./product.ts";
import { recordTransactions } from "./recorder.ts";
import type { PartReport } from "./report.ts";
import { figure } from "./report.ts";
import { percentile } from "./statistics.ts";

const PEOPLE = 20_000;
const COMPANIES = 200;
const RUNNING = 50;
const WAITING_EACH = 400;
const LOOKS = 200;
const REPORTS = 30;
/** Reports that do not count. */
const WARM_UP = 5;
const AGENT_MESSAGES = 25;
/** What the chat network takes for a message. */
const NETWORK_MS = 30;
const SENDING_MS = 40_000;
/** How often garbage is collected meanwhile. */
const COLLECT_MS = 5_000;
const PATIENCE_MS = 60_000;

type Found = {
  look: { ms: number[]; statements: number };
  prepareSeconds: number;
  preparingMb: number;
  reportMs: number[];
  agentMs: { alone: number[]; beside: number[] };
  sent: number;
  sendingMb: number;
};

/** Campaigns to very many people, and very many campaigns. */
export async function measureCampaigns(postgres: BenchPostgres): Promise<PartReport> {
  const look = await measureLook(postgres);
  return describe({ look, ...(await measureOne(postgres)) });
}

/** The sender's look for what is due, while all campaigns of many companies wait for their next message. */
async function measureLook(postgres: BenchPostgres): Promise<Found["look"]> {
  const database = await postgres.create("campaign_look");
  const companies = await fill(database, async (tx) => {
    const made: Company[] = [];
    for (let n = 1; n <= COMPANIES; n += 1) {
      made.push(await addCompany(tx, { name: `Empresa ${n}`, queues: 1, connections: 1 }));
    }
    return made;
  });
  await onDatabase(database, async (client) => {
    for (const company of companies.slice(0, RUNNING)) {
      const { companyId, connectionId } = lineOf(company);
      const listId = await writeList(client, company, WAITING_EACH);
      await client.query(
        `with c as (
           insert into campaigns (company_id, name, messages, confirmations, status, connection_id, contact_list_id, run, started_at)
           values ($1, 'Oferta', '["Oi"]', '[]', 'EM_ANDAMENTO', $2, $3, 1, now()) returning id
         )
         insert into campaign_recipients (company_id, campaign_id, position, item_id, name, number, message, is_known, checked_at, changed_at)
         select $1, c.id, i.id, i.id, i.name, i.number, 'Oi', false, now(), now() - interval '1 hour'
         from c, contact_list_items i where i.company_id = $1 and i.contact_list_id = $3`,
        [companyId, connectionId, listId],
      );
      await client.query(
        `insert into campaign_lines (company_id, connection_id, due_at, updated_at) values ($1, $2, now() + interval '1 hour', now())`,
        [companyId, connectionId],
      );
    }
    await client.query("vacuum analyze");
  });
  // Nothing works by itself: what is counted is the look's.
  const environment = { ROLES: "http" };
  const { adapter } = createLoadNetwork();
  const product = await startProduct(database, postgres.folder("look"), adapter, environment);
  try {
    const ms: number[] = [];
    let statements = 0;
    const stop = recordTransactions((transaction) => (statements += transaction.statements.length));
    for (let n = 0; n < LOOKS; n += 1) {
      const beginMs = performance.now();
      const taken = await product.app.runDueCampaigns();
      if (taken > 0) throw new Error("a campaign went on that should wait");
      ms.push(performance.now() - beginMs);
    }
    stop();
    return { ms, statements: statements / LOOKS };
  } finally {
    await product.app.close();
  }
}

/** One campaign to very many: prepared, reported, sent as fast as the network takes it, with agents who write beside it. */
async function measureOne(postgres: BenchPostgres): Promise<Omit<Found, "look">> {
  const database = await postgres.create("campaign");
  const { company, adminId } = await fill(database, async (tx) => {
    const made = await addCompany(tx, { name: "Campanhas", queues: 1, connections: 1 });
    const wish = { companyId: made.id, profile: "admin" as const, number: 0, queueIds: [] };
    return { company: made, adminId: await addUser(tx, wish) };
  });
  return onDatabase(database, async (client) => {
    const { companyId, connectionId } = lineOf(company);
    const contactListId = await writeList(client, company, PEOPLE);
    const ticketId = await writePeople(client, company);
    await client.query("vacuum analyze");
    const network = createSlowNetwork();
    const product = await startProduct(database, postgres.folder("campaign"), network.adapter);
    let collecting: NodeJS.Timeout | undefined;
    try {
      const token = await tokenOf(product, database, company.id, adminId);
      const api = apiOf(product, token);
      await network.isUp();
      const agents = () => agentsWrite(api, network, ticketId);
      await agents(); // warms up
      const alone = await agents();

      const body = {
        ...{ name: "Oferta", message1: "Oi {nome}", message2: "Olá {nome}", contactListId },
        whatsappId: connectionId,
      };
      const { id } = await api<Campaign>("POST", "/campaigns", body);
      collectGarbage();
      const idleMb = await rssMbOf(process.pid);
      await forgetPeak(process.pid);
      const beginMs = performance.now();
      await api("POST", `/campaigns/${id}/start`, {});
      while ((await statusOf(client, id)) !== "EM_ANDAMENTO") {
        if (performance.now() - beginMs > PATIENCE_MS) throw new Error("it does not start");
        await delay(20);
      }
      const prepareSeconds = (performance.now() - beginMs) / 1_000;
      const preparingMb = (await peakMbOf(process.pid)) - idleMb;

      // As the database does by itself after a moment.
      await client.query("analyze campaign_recipients");
      const reportMs: number[] = [];
      for (let n = -WARM_UP; n < REPORTS; n += 1) {
        const askedMs = performance.now();
        await api("GET", `/campaigns/${id}/report`);
        if (n >= 0) reportMs.push(performance.now() - askedMs);
      }

      await client.query(
        `insert into campaign_settings (company_id, key, value)
         select $1, key, '0' from unnest(array['messageInterval', 'greaterInterval']) key`,
        [companyId],
      );
      collectGarbage();
      collecting = setInterval(collectGarbage, COLLECT_MS);
      await forgetPeak(process.pid);
      const over = new AbortController();
      const hurrying = hurry(database, over.signal);
      const sendsUntilMs = performance.now() + SENDING_MS;
      const beside = await agents();
      await delay(Math.max(0, sendsUntilMs - performance.now()));
      over.abort();
      await hurrying;
      const sendingMb = (await peakMbOf(process.pid)) - idleMb;
      const { rows } = await client.query<{ sent: number }>(
        "select count(*)::int as sent from campaign_recipients where status in ('sent', 'delivered', 'read')",
      );
      const sent = rows[0]?.sent ?? 0;
      if (sent === 0) throw new Error("nothing of the campaign was sent");
      const agentMs = { alone, beside };
      return { prepareSeconds, preparingMb, reportMs, agentMs, sent, sendingMb };
    } finally {
      clearInterval(collecting);
      await product.app.close();
    }
  });
}

/** The gaps between two messages pass at once. */
async function hurry(database: BenchDatabase, signal: AbortSignal): Promise<void> {
  await onDatabase(database, async (client) => {
    while (!signal.aborted) {
      await client.query(
        `update campaign_lines set ended_at = ended_at - interval '2 seconds', due_at = least(due_at, now())
         where sending_id is null and due_at > now()`,
      );
      await client.query("select pg_notify('balcao_wake', 'campaigns')");
      await delay(10);
    }
  });
}

type SlowNetwork = {
  adapter: ChannelAdapter;
  isUp(): Promise<void>;
  /** When the message with this text was handed to the network. */
  handed(text: string): Promise<number>;
};

/** The network of the other parts, but that a message takes a while. */
function createSlowNetwork(): SlowNetwork {
  const { adapter, sinkOf } = createLoadNetwork();
  const waiting = new Map<string, (at: number) => void>();
  const up = Promise.withResolvers<ConnectionId>();
  return {
    adapter: {
      createProvider(context): ChatProvider {
        const provider = adapter.createProvider(context);
        up.resolve(context.connectionId);
        return {
          ...provider,
          async send(command) {
            const text = JSON.stringify(command);
            for (const [own, resolve] of waiting) {
              if (text.includes(own)) resolve(performance.now());
            }
            await delay(NETWORK_MS);
            return { result: "accepted" };
          },
        };
      },
    },
    isUp: async () => void (await sinkOf(await up.promise)),
    handed: (text) => new Promise((resolve) => waiting.set(text, resolve)),
  };
}

/** An agent writes now and then; answers how long each message took until the network had it, in ms. */
async function agentsWrite(api: Api, network: SlowNetwork, ticketId: number): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < AGENT_MESSAGES; n += 1) {
    const body = `Resposta ${performance.now()} de um atendente`;
    const handed = network.handed(body);
    const beginMs = performance.now();
    await api("POST", `/messages/${ticketId}`, { body });
    took.push((await handed) - beginMs);
    await delay(150);
  }
  return took;
}

type Api = <T>(method: string, path: string, body?: object) => Promise<T>;

const apiOf =
  ({ url }: Product, token: string): Api =>
  async <T>(method: string, path: string, body?: object): Promise<T> => {
    const reply = await fetch(`${url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  };

function lineOf({ id, connectionIds }: Company) {
  const [connectionId] = connectionIds;
  if (connectionId === undefined) throw new Error("the company has no connection");
  return { companyId: id, connectionId };
}

async function onDatabase<T>(
  { ownerUrl }: BenchDatabase,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function writeList(client: pg.Client, { id }: Company, people: number): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `with list as (insert into contact_lists (company_id, name) values ($1, 'Clientes') returning id),
     items as (
       insert into contact_list_items (company_id, contact_list_id, name, number, email, is_valid, checked_at)
       select $1, list.id, 'Pessoa ' || n, '55119' || (60000000 + n), '', true, now() from list, generate_series(1, $2::int) n)
     select id from list`,
    [id, people],
  );
  return rows[0]?.id ?? 0;
}

/** Half of the list are contacts who have written; one ticket is served by an agent. Answers that one. */
async function writePeople(client: pg.Client, company: Company): Promise<number> {
  const { companyId, connectionId } = lineOf(company);
  await client.query(
    `insert into contacts (company_id, name, number)
     select $1, name, number from contact_list_items where company_id = $1 and id % 2 = 0`,
    [companyId],
  );
  await client.query(
    `insert into contact_addresses (company_id, kind, key, value, contact_id)
     select $1, 'pn', number, number, id from contacts where company_id = $1`,
    [companyId],
  );
  await client.query(
    `insert into tickets (company_id, uuid, contact_id, connection_id, status, last_message_at, last_customer_message_at)
     select $1, gen_random_uuid(), id, $2, 'closed', now(), now() from contacts where company_id = $1`,
    [companyId, connectionId],
  );
  const { rows } = await client.query<{ id: number }>(
    `update tickets set status = 'open', user_id = (select min(id) from users where company_id = $1)
     where id = (select min(id) from tickets where company_id = $1) returning id`,
    [companyId],
  );
  return rows[0]?.id ?? 0;
}

async function statusOf(client: pg.Client, id: number): Promise<string | undefined> {
  const { rows } = await client.query<{ status: string }>(
    "select status from campaigns where id = $1",
    [id],
  );
  return rows[0]?.status;
}

function describe(found: Found): PartReport {
  const { look, prepareSeconds, preparingMb, reportMs, agentMs, sent, sendingMb } = found;
  const p95 = (values: readonly number[]): number => percentile([...values], 0.95);
  const delayMs = p95(agentMs.beside) - p95(agentMs.alone);
  const row = (name: string, value: number, unit: string): string[] => [
    ...[name, unit === "" ? figure(value) : `${figure(value)} ${unit}`],
  ];
  const at = (figureName: string, value: number, unit: string, limit: number) => ({
    ...{ figure: figureName, value, unit, limit, want: "≤" as const },
  });
  return {
    name: "campaigns",
    title: `a campaign to ${PEOPLE} people; ${RUNNING} campaigns of ${COMPANIES} companies`,
    tables: [
      {
        headings: ["what", "found"],
        rows: [
          row("start until it runs", prepareSeconds, "s"),
          row("report, p95", p95(reportMs), "ms"),
          row("the sender's look, p95", p95(look.ms), "ms"),
          row("statements of a look", look.statements, ""),
          row("an agent's message until the network has it, p95", p95(agentMs.alone), "ms"),
          row("the same beside the campaign", p95(agentMs.beside), "ms"),
          row(`sent in ${SENDING_MS / 1_000} s`, sent, "messages"),
          row("memory above idle while it is prepared", preparingMb, "MB"),
          row("memory above idle while it is sent", sendingMb, "MB"),
        ],
      },
    ],
    goals: [
      at(`${PEOPLE} people prepared`, prepareSeconds, "s", 5),
      at(`report of ${PEOPLE}, p95`, p95(reportMs), "ms", 100),
      at("the sender's look, p95", p95(look.ms), "ms", 20),
      at("statements of a look", look.statements, "", 3),
      at("an agent's message beside a campaign, p95, later by", delayMs, "ms", 1_000),
      at("memory above idle while it is prepared", preparingMb, "MB", 30),
      at("memory above idle while it is sent", sendingMb, "MB", 60),
    ],
    notes: [
      `The network takes ${NETWORK_MS} ms a message. The gaps of the campaign pass at once, so that messages follow each other.`,
      "The memory is that of the whole process, which also asks, with its garbage collected every five seconds while it sends.",
    ],
  };
}
