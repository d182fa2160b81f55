import type { CompanyEventSubject, CompanyEvents, CompanyId, ConnectionId } from "@balcao/contract";
import type { Address, AckEvent, DurableEvent, InboundMessage } from "../../../channels/port.ts";
import type {
  ConnectionRef,
  DeliveryOutcome,
  OutboundMessage,
  ReadMark,
} from "../../../channels/runtime/index.ts";
import type { Room } from "../../../platform/realtime/hub.ts";
import { systemSources } from "../../../platform/sources.ts";
import type { TestDatabase } from "../../../testing/database.ts";
import { testDatabase } from "../../../testing/database.ts";
import type { Given, GivenCompany } from "../../../testing/given.ts";
import { createGiven, unique } from "../../../testing/given.ts";
import { createTicketsFeature } from "../../tickets/index.ts";
import { createMessagesFeature } from "../index.ts";

export type Told = {
  [S in CompanyEventSubject]: {
    subject: S;
    payload: CompanyEvents[S];
    to: readonly Room[];
    except: readonly Room[];
  };
}[CompanyEventSubject];

export type ChannelSide = {
  database: TestDatabase;
  given: Given;
  company: GivenCompany;
  companyId: CompanyId;
  connectionId: ConnectionId;
  /** Live events since the last `take()`. */
  told: { take(): Told[] };
  /** What went to the channels. */
  outbound: OutboundMessage[];
  receipts: ReadMark[];
  /** One event in a transaction of its own, as the runtime does it, but without its order. */
  receive(event: DurableEvent, connection?: ConnectionRef): Promise<void>;
  sent(outcome: DeliveryOutcome): Promise<void>;
};

/** What channels see of the product, on a database of its own: every call is its own transaction. */
export async function channelSide(
  wish: { queues?: number; settings?: Record<string, string>; database?: TestDatabase } = {},
): Promise<ChannelSide> {
  const { database = await testDatabase(), queues = 0, settings = {} } = wish;
  const { db } = database;
  const told: Told[] = [];
  const outbound: OutboundMessage[] = [];
  const receipts: ReadMark[] = [];
  const realtime = {
    publish: <S extends CompanyEventSubject>(
      _companyId: CompanyId,
      subject: S,
      payload: CompanyEvents[S],
      to: readonly Room[],
      except: readonly Room[] = [],
    ) => void told.push({ subject, payload, to, except } as Told), // one S: subject and payload belong together
    refreshTicket: () => undefined,
  };
  const outbox = {
    enqueueOutbound: async (_tx: unknown, _ctx: unknown, message: OutboundMessage) =>
      void outbound.push(message),
    enqueueReadReceipt: async (_tx: unknown, _ctx: unknown, mark: ReadMark) =>
      void receipts.push(mark),
    requeueFailed: async () => true,
  };
  const sources = systemSources;
  const tickets = createTicketsFeature({ db, sources, realtime });
  const messages = createMessagesFeature({ db, sources, realtime, tickets, outbox });
  const given = createGiven({ ...database, sources, idle: async () => undefined });
  const company = await given.company({ settings });
  const queueIds = [];
  for (let n = 0; n < queues; n += 1) queueIds.push(await given.queue({ company }));
  const connectionId = await given.connection({ company, queueIds, linked: false });
  const home = { companyId: company.id, connectionId };

  return {
    database,
    given,
    company,
    companyId: company.id,
    connectionId,
    told: { take: () => told.splice(0) },
    outbound,
    receipts,
    receive: (event, connection = home) =>
      db.transaction(connection, (tx) => messages.receive(tx, connection, event)),
    sent: (outcome) => db.transaction(home, (tx) => messages.sent(tx, home, outcome)),
  };
}

/** A phone that nobody else has. */
export function newPhone(): Address {
  return { kind: "pn", value: `55119${70_000_000 + unique()}` };
}

export type TextWish = Partial<Omit<InboundMessage, "ref" | "content" | "type">> & {
  id?: string;
  chat?: Address;
  text?: string;
  name?: string;
  fromMe?: boolean;
};

/** A customer's text, or one of the company's phone. */
export function textEvent(wish: TextWish = {}): InboundMessage {
  const {
    id = `P${unique()}`,
    chat = newPhone(),
    text = "Olá",
    name,
    fromMe = false,
    ...rest
  } = wish;
  return {
    type: "message",
    ref: { chat, id, fromMe },
    from: { addresses: [chat], ...(name === undefined ? {} : { displayName: name }) },
    at: new Date(),
    origin: fromMe ? "own-device" : "live",
    content: { kind: "text", text },
    ...rest,
  };
}

export function ackEvent(
  providerId: string,
  level: AckEvent["level"],
  chat = newPhone(),
): AckEvent {
  return { type: "ack", providerId, level, chat };
}
