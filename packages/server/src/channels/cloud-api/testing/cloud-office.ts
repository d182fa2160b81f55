import type { ConnectionId, Message, Ticket } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { v7 } from "uuid";
import { buildConnection } from "../../../features/provisioning/index.ts";
import { createSeal } from "../../../platform/secrets/seal.ts";
import type { TestApp, TestAppOptions } from "../../../testing/app.ts";
import { testApp } from "../../../testing/app.ts";
import type { GivenCompany, GivenUser } from "../../../testing/given.ts";
import { unique } from "../../../testing/given.ts";
import { eventually } from "../../testing/eventually.ts";
import { saveAccount } from "../accounts.ts";
import type { GraphStub, StubAccount, StubMessage } from "./graph-stub.ts";
import { deliver, startGraphStub } from "./graph-stub.ts";
import type { Person } from "./webhook-bodies.ts";
import { contactOf, delivery, textMessage } from "./webhook-bodies.ts";

/** Times for tests. Each of a file's many lines looks for silent sends on its own. */
const quick = { lookEveryMs: 50, silenceLookMs: 500, callMs: 5_000 };

/** The product with a stubbed Meta beside it. */
export type CloudWorld = {
  product: TestApp;
  stub: GraphStub;
  newLine(wish?: { wanted?: boolean; account?: StubAccount }): Promise<CloudLine>;
};

/** A company with one connection on the official API. */
export type CloudLine = {
  company: GivenCompany;
  companyId: GivenCompany["id"];
  admin: GivenUser;
  connectionId: ConnectionId;
  account: StubAccount;
  webhookUrl: string;
  /** Delivers a change of the number, signed; answers the status. */
  deliver(value: Readonly<Record<string, unknown>>, field?: string): Promise<number>;
  /** A customer writes. Answers Meta's id. */
  writes(from: Person, text: string, more?: { id?: string; at?: Date }): Promise<string>;
  /** The ticket of whoever wrote, once it is there. */
  ticketOf(phoneOrName: string): Promise<Ticket>;
  messages(ticketId: number): Promise<Message[]>;
  /** The next message that Meta gets, beyond those known. */
  sent(count: number): Promise<StubMessage[]>;
};

export async function cloudWorld(options: TestAppOptions = {}): Promise<CloudWorld> {
  const stub = await startGraphStub();
  const { environment, cloudApiSettings, channelSettings, ...rest } = options;
  const product = await testApp({
    environment: { GRAPH_API_URL: stub.url, ...environment },
    cloudApiSettings: { ...quick, ...cloudApiSettings },
    channelSettings: {
      lookEveryMs: 100,
      reconnectDelaysMs: [20, 40, 80],
      outboundRetriesMs: [20, 40],
      fileRetriesMs: [20, 40],
      ...channelSettings,
    },
    ...rest,
  });
  return { product, stub, newLine: (wish = {}) => newLine({ product, stub }, wish) };
}

async function newLine(
  { product, stub }: Pick<CloudWorld, "product" | "stub">,
  { wanted = true, account = stub.newAccount() }: { wanted?: boolean; account?: StubAccount },
): Promise<CloudLine> {
  const { given, database } = product;
  const company = await given.company();
  const companyId = company.id;
  const admin = await given.admin({ company });
  const seal = createSeal(database.secrets.seal);
  const webhookKey = v7();
  const connectionId = await database.db.acrossCompanies(async (tx) => {
    const id = await buildConnection(tx, {
      companyId,
      name: `Oficial ${unique()}`,
      channel: "cloud-api",
      wanted,
    });
    await saveAccount(tx, seal, { companyId, connectionId: id }, { ...account, webhookKey });
    return id;
  });
  const webhookUrl = `${product.url}/webhooks/cloud-api/${webhookKey}`;
  const line: CloudLine = {
    company,
    companyId,
    admin,
    connectionId,
    account,
    webhookUrl,
    deliver: (value, field) => deliver(webhookUrl, account, delivery(account, value, field)),
    async writes(from, text, more) {
      const message = textMessage(from, text, more);
      const status = await line.deliver({ contacts: [contactOf(from)], messages: [message] });
      if (status !== 200) throw new Error(`the delivery was answered ${status}`);
      return message.id;
    },
    ticketOf: (phoneOrName) =>
      eventually(async () => {
        const path = "/tickets?status=pending&showAll=true&pageNumber=1";
        const { body } = await product.as(admin).get<{ tickets: Ticket[] }>(path);
        const found = body.tickets.find(
          ({ contact }) => contact.number === phoneOrName || contact.name === phoneOrName,
        );
        if (!found) throw new Error(`no ticket of ${phoneOrName} yet`);
        return found;
      }),
    async messages(ticketId) {
      const path = `/messages/${ticketId}?pageNumber=1`;
      const { body } = await product.as(admin).get<{ messages: Message[] }>(path);
      return body.messages;
    },
    sent: (count) =>
      eventually(() => {
        const messages = stub.sent(account);
        if (messages.length < count) throw new Error(`${messages.length} messages were sent yet`);
        return messages;
      }),
  };
  return line;
}

/** Waits until the connection has the status. */
export async function hasStatus(
  { product }: Pick<CloudWorld, "product">,
  { connectionId }: Pick<CloudLine, "connectionId">,
  status: string,
): Promise<{ number: string | null; closeReason: string | null }> {
  return eventually(async () => {
    const [row] = await product.database.db.acrossCompanies((tx) =>
      tx.query<{ status: string; number: string | null; closeReason: string | null }>(
        sql`select status, number, close_reason as "closeReason" from connections where id = ${connectionId}`,
      ),
    );
    if (row?.status !== status) throw new Error(`the connection is ${row?.status ?? "gone"}`);
    return row;
  });
}

export async function deliveriesOf(
  { product }: Pick<CloudWorld, "product">,
  { connectionId }: Pick<CloudLine, "connectionId">,
): Promise<{ body: string; isFailed: boolean }[]> {
  return product.database.db.acrossCompanies((tx) =>
    tx.query<{ body: string; isFailed: boolean }>(
      sql`select body, failed_at is not null as "isFailed" from cloud_deliveries
           where connection_id = ${connectionId} order by id`,
    ),
  );
}
