import { setTimeout as delay } from "node:timers/promises";
import type { Connection } from "@balcao/contract";
import { endpoints } from "@balcao/contract";
import type { CompanyAccount } from "@balcao/server/src/channels/whatsapp-web/testing/company.ts";
import type { Peer } from "@balcao/server/src/channels/whatsapp-web/testing/peer.ts";
import { startPeer } from "@balcao/server/src/channels/whatsapp-web/testing/peer.ts";
import pg from "pg";
import type { Account, BuiltProduct } from "./built-product.ts";
import { ownerUrlOf, startBuilt } from "./built-product.ts";
import { rssMbOf } from "./memory.ts";
import type { BenchPostgres } from "./postgres.ts";
import type { PartReport } from "./report.ts";
import { figure } from "./report.ts";
import { median } from "./statistics.ts";

const CONNECTIONS = 50;
const RESTARTS = 3;
const LINKING_AT_ONCE = 5;
const IDLE_MS = 20_000;
const POLL_MS = 20;
const PATIENCE_MS = 120_000;

type Restart = { readyMs: number; connectedMs: number; rssMb: number };

/** The built product with 50 connections linked over WhatsApp Web, whose service is a scripted one in this process. */
export async function measureLinked(postgres: BenchPostgres): Promise<PartReport> {
  const peer = await startPeer();
  const environment = {
    // The looks at 50 connections come from one user.
    BALCAO_REQUESTS_PER_MINUTE: "100000",
    WHATSAPP_WEB_URL: peer.url,
    WHATSAPP_WEB_ROOT_KEY: peer.rootKeyHex,
  };
  const dataDir = postgres.folder("linked");
  let product = await startBuilt(dataDir, environment);
  try {
    const { admin } = product;
    await product.stop();
    // As it is without linked connections, after a start that had nothing to make.
    product = await startBuilt(dataDir, environment);
    await delay(IDLE_MS);
    const aloneMb = await rssMbOf(product.pid);
    const accounts = await linkAll(product, admin, peer);
    const restarts: Restart[] = [];
    for (let number = 0; number < RESTARTS; number += 1) {
      await product.stop();
      const logins = accounts.map((account) => account.logins());
      const waiting = peer.waitingForLink();
      const beginMs = performance.now();
      product = await startBuilt(dataDir, environment);
      await until(() => accounts.every((account, at) => account.logins() > (logins[at] ?? 0)));
      await untilShown(product);
      const connectedMs = performance.now() - beginMs;
      if (peer.waitingForLink() > waiting) throw new Error("a linked connection shows a code");
      await delay(IDLE_MS);
      restarts.push({ readyMs: product.readyMs, connectedMs, rssMb: await rssMbOf(product.pid) });
    }
    return describe(aloneMb, restarts);
  } finally {
    await product.stop();
    await peer.close();
  }
}

async function linkAll(
  product: BuiltProduct,
  admin: Account | null,
  peer: Peer,
): Promise<CompanyAccount[]> {
  if (admin === null) throw new Error("the demo company has no admin");
  // More than a plan sells.
  await query(product, "update plans set connections = 1000");
  const login = await call(product, null, "POST", "/auth/login", admin);
  const { token } = endpoints["POST /auth/login"].reply.parse(login);
  const numbers = Array.from({ length: CONNECTIONS }, (_, index) => `5511900${100_000 + index}`);
  const accounts: CompanyAccount[] = [];
  const waiting = [...numbers];
  const linker = async (): Promise<void> => {
    for (let number = waiting.shift(); number; number = waiting.shift()) {
      const account = peer.account(number);
      accounts.push(account);
      await linkOne(product, token, account);
    }
  };
  await Promise.all(Array.from({ length: LINKING_AT_ONCE }, linker));
  return accounts;
}

async function linkOne(product: BuiltProduct, token: string, account: CompanyAccount) {
  const wish = { name: `Linha ${account.phoneNumber}`, channel: "whatsapp-web" };
  const { id } = endpoints["POST /whatsapp"].reply.parse(
    await call(product, token, "POST", "/whatsapp", wish),
  );
  const look = async (): Promise<Connection> =>
    endpoints["GET /whatsapp/:connectionId"].reply.parse(
      await call(product, token, "GET", `/whatsapp/${id}`),
    );
  await until(async () => (await look()).qrcode !== "");
  await account.scanQr((await look()).qrcode);
  await until(async () => (await look()).status === "CONNECTED");
}

/** Resolves when people are shown that all of them are connected. */
async function untilShown(product: BuiltProduct): Promise<void> {
  await until(async () => {
    const [row] = await query(
      product,
      "select count(*)::int as count from connections where channel = 'whatsapp-web' and status = 'CONNECTED'",
    );
    return row?.["count"] === CONNECTIONS;
  });
}

async function call(
  { url }: BuiltProduct,
  token: string | null,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const reply = await fetch(`${url}/api${path}`, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}`);
  return reply.json();
}

async function query(product: BuiltProduct, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: await ownerUrlOf(product) });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error("what was waited for did not come");
    await delay(POLL_MS);
  }
}

function describe(aloneMb: number, restarts: readonly Restart[]): PartReport {
  const connectedSeconds = median(restarts.map(({ connectedMs }) => connectedMs)) / 1_000;
  const rssMb = median(restarts.map((restart) => restart.rssMb));
  const eachMb = (rssMb - aloneMb) / CONNECTIONS;
  return {
    name: "linked",
    title: `restart with ${CONNECTIONS} connections linked over WhatsApp Web (${RESTARTS} restarts)`,
    tables: [
      {
        headings: ["restart", "until ready", "until all connected", "memory"],
        rows: restarts.map((restart, index) => [
          String(index + 1),
          `${figure(restart.readyMs / 1_000)} s`,
          `${figure(restart.connectedMs / 1_000)} s`,
          `${figure(restart.rssMb)} MB`,
        ]),
      },
    ],
    goals: [
      {
        ...{ figure: "all connected, no code shown", value: connectedSeconds, unit: "s" },
        ...{ limit: 20, want: "≤" },
      },
      {
        ...{ figure: "memory of each connection", value: eachMb, unit: "MB" },
        ...{ limit: 20, want: "≤" },
      },
    ],
    notes: [
      "From the spawn of the process to the last login at the service and the last CONNECTED shown.",
      `Memory: RSS ${IDLE_MS / 1_000} s after that, less the ${figure(aloneMb)} MB without linked connections, per connection.`,
    ],
  };
}
