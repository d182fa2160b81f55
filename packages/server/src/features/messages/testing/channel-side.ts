import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SQL } from "drizzle-orm";
import { companyEvents } from "@balcao/contract";
import type {
  CompanyEventSubject,
  CompanyEvents,
  CompanyId,
  ConnectionId,
  MessageId,
} from "@balcao/contract";
import type {
  Address,
  AckEvent,
  DurableEvent,
  InboundContent,
  InboundMessage,
  MediaRef,
} from "../../../channels/port.ts";
import type { ConnectionRef, DeliveryOutcome } from "../../../channels/runtime/index.ts";
import { createOutbox } from "../../../channels/runtime/index.ts";
import type { Wake } from "../../../platform/db/wake.ts";
import { createDomainEvents } from "../../../platform/events.ts";
import type { Room } from "../../../platform/realtime/hub.ts";
import { rooms } from "../../../platform/realtime/hub.ts";
import { createFfmpeg } from "../../../platform/media/ffmpeg.ts";
import { openMediaFolder } from "../../../platform/media/media-store.ts";
import { systemSources } from "../../../platform/sources.ts";
import { quietLog } from "../../../testing/app.ts";
import type { TestDatabase } from "../../../testing/database.ts";
import { testDatabase } from "../../../testing/database.ts";
import { atEndOfFile } from "../../../testing/end-of-file.ts";
import type { Given, GivenCompany } from "../../../testing/given.ts";
import { createGiven, unique } from "../../../testing/given.ts";
import type { MediaFeature } from "../../media/index.ts";
import { createMediaFeature } from "../../media/index.ts";
import type { RatingsFeature } from "../../ratings/index.ts";
import { createRatingsFeature, findGivenRating } from "../../ratings/index.ts";
import type { TicketsFeature } from "../../tickets/index.ts";
import { createTicketsFeature } from "../../tickets/index.ts";
import type { SendAutomatically } from "../index.ts";
import { createMessagesFeature } from "../index.ts";

export type Told = {
  [S in CompanyEventSubject]: {
    subject: S;
    payload: CompanyEvents[S];
    to: readonly Room[];
    except: readonly Room[];
    within: readonly (readonly Room[])[];
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
  /** The company's stored rows. */
  rows<Row>(statement: SQL): Promise<Row[]>;
  /** One event in a transaction of its own, as the runtime does it, but without its order. */
  receive(event: DurableEvent, connection?: ConnectionRef): Promise<void>;
  sent(outcome: DeliveryOutcome, connection?: ConnectionRef): Promise<void>;
  storeMedia(
    messageId: MessageId,
    file: MediaRef,
    content: AsyncIterable<Uint8Array>,
  ): Promise<void>;
  mediaUnavailable(messageId: MessageId): Promise<void>;
  /** The feature, for other features of the same product. */
  tickets: TicketsFeature;
  ratings: RatingsFeature;
  sendAutomatically: SendAutomatically;
};

/** No channels run here: what is queued for them stays. */
const nobodyToWake: Wake = {
  notify: () => undefined,
  send: () => undefined,
  on: () => () => undefined,
  ready: async () => undefined,
  close: async () => undefined,
};

/** The company's files in a folder of the test's own. */
async function filesOf({ db }: TestDatabase): Promise<MediaFeature> {
  const folder = await mkdtemp(join(tmpdir(), "balcao-files-"));
  atEndOfFile(() => rm(folder, { recursive: true, force: true }));
  return createMediaFeature({
    db,
    clock: systemSources.clock,
    ids: systemSources.ids,
    store: await openMediaFolder(folder),
    ffmpeg: createFfmpeg(undefined),
    log: quietLog(),
    secret: "secret",
    publicUrl: undefined,
  });
}

/** The product as channels use it, on its own database: every call is its own transaction. */
export async function channelSide(
  wish: { queues?: number; settings?: Record<string, string>; database?: TestDatabase } = {},
): Promise<ChannelSide> {
  const { database = await testDatabase(), queues = 0, settings = {} } = wish;
  const { db } = database;
  const told: Told[] = [];
  const realtime = {
    publish: <S extends CompanyEventSubject>(
      companyId: CompanyId,
      subject: S,
      payload: CompanyEvents[S],
      to: readonly Room[],
      except: readonly Room[] = [],
      within: readonly (readonly Room[])[] = [],
    ) => {
      companyEvents[subject].parse(payload);
      // Events for other clients of the product family have tests of their own (ADR 24).
      if (within.some((some) => some.includes(rooms.otherClients(companyId)))) return;
      told.push({ subject, payload, to, except, within } as Told); // one S: subject and payload belong together
    },
    refreshTicket: () => undefined,
  };
  const outbox = createOutbox(nobodyToWake);
  const sources = systemSources;
  const media = await filesOf(database);
  const domainEvents = createDomainEvents();
  const tickets: TicketsFeature = createTicketsFeature({
    db,
    sources,
    realtime,
    domainEvents,
    log: quietLog(),
    files: media,
    sendClosingMessage: (...args) => ratings.sendClosingMessage(...args),
    withdrawMessage: (...args) => messages.withdrawMessage(...args),
  });
  const quiet = { firstMs: 0, answerMs: 0, longestMs: 0 };
  const messages = createMessagesFeature({
    ...{ db, sources, realtime, domainEvents, tickets, outbox, media, quiet, findGivenRating },
  });
  const ratings: RatingsFeature = createRatingsFeature({
    ...{ db, domainEvents },
    clock: sources.clock,
    sendAutomatically: messages.sendAutomatically,
  });
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
    rows: (statement) => db.transaction(home, (tx) => tx.query(statement)),
    receive: (event, connection = home) =>
      db.transaction(connection, (tx) => messages.receive(tx, connection, event)),
    storeMedia: (messageId, file, content) => messages.storeMedia(home, messageId, file, content),
    mediaUnavailable: (messageId) =>
      db.transaction(home, (tx) => messages.mediaUnavailable(tx, home, messageId)),
    sent: (outcome, connection = home) =>
      db.transaction(connection, (tx) => messages.sent(tx, connection, outcome)),
    tickets,
    ratings,
    sendAutomatically: messages.sendAutomatically,
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

/** A message of any content. */
export function contentEvent(
  content: InboundContent,
  wish: Omit<TextWish, "text"> = {},
): InboundMessage {
  return { ...textEvent(wish), content };
}
