import type {
  CompanyId,
  ConnectionId,
  ContactId,
  QueueId,
  TagId,
  TicketId,
  UserId,
} from "@balcao/contract";
import { acks } from "@balcao/contract";
import { addSeconds } from "date-fns/addSeconds";
import { eq } from "drizzle-orm";
import type { OutboundBody } from "../../channels/port.ts";
import { chatKeyOf } from "../../channels/runtime/journal.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { attendances } from "../../platform/db/schema/index.ts";
import {
  messageMedia,
  messageReactions,
  messages,
  outbound,
  ticketTags,
} from "../../platform/db/schema/index.ts";
import type { Sources } from "../../platform/sources.ts";
import { mediaBody, mediaTypeOf } from "../messages/index.ts";
import type { InsertedMessage, MessageValues, TicketRow } from "./builders.ts";
import {
  buildContacts,
  insertAttendances,
  insertMessages,
  insertTickets,
  settleTickets,
} from "./builders.ts";
import type { WantedFile } from "./demo-files.ts";
import { demoFiles } from "./demo-files.ts";
import type {
  AgentName,
  Conversation,
  DatedCycle,
  DatedLine,
  QueueName,
  TagName,
} from "./demo-script.ts";
import { dateConversation } from "./demo-script.ts";

/** An agent accepts this long before the first answer and resolves this long after the last message. */
const ACCEPT_LEAD_SECONDS = 20;
const RESOLVE_DELAY_SECONDS = 40;

type Dated = {
  conversation: Conversation;
  cycles: readonly DatedCycle[];
  lines: readonly DatedLine[];
  first: DatedLine;
};
type Stored = Dated & { contactId: ContactId; ticketId: TicketId };

/**
 * Stores the conversations as if they had happened. Returns the chat network's part of them, and the messages whose files
 * are still to be stored.
 */
export async function writeHistory(
  tx: Tx,
  sources: Sources,
  company: DemoCompany,
  conversations: readonly Conversation[],
  clock: { now: Date; timeZone: string },
): Promise<{ history: ChannelHistory; files: WantedFile[] }> {
  // The customer who wrote first has the lower ticket number.
  const dated = conversations
    .map((conversation) => toDated(conversation, clock.now, clock.timeZone))
    .toSorted((a, b) => a.first.at.getTime() - b.first.at.getTime());
  const stored = await storeTickets(tx, sources, company, dated);
  await insertAttendances(
    tx,
    stored.flatMap((each) =>
      each.cycles.map((cycle) => attendanceRow(company, each.ticketId, cycle)),
    ),
  );
  const tagRows = stored.flatMap(({ conversation, ticketId }) =>
    (conversation.tags ?? []).map((tag) => ({
      companyId: company.companyId,
      ticketId,
      tagId: company.tagIds[tag],
    })),
  );
  await tx.orm.insert(ticketTags).values(tagRows);

  const written = stored
    .flatMap((each) => messagesOf(company, each))
    .toSorted((a, b) => a.values.at.getTime() - b.values.at.getTime());
  const inserted = await insertMessages(
    tx,
    sources,
    written.map(({ values }) => values),
  );
  const sent = written.map((each, index) => ({
    ...each,
    inserted: existing(inserted[index], each.conversation),
  }));
  await storeRefusals(tx, company, sent);
  const files = await storeExtras(tx, company, sent);
  await settleTickets(
    tx,
    company.companyId,
    stored.map(({ ticketId }) => ticketId),
  );
  return { history: channelHistory(company, stored, sent), files };
}

function toDated(conversation: Conversation, now: Date, timeZone: string): Dated {
  const cycles = dateConversation(conversation, now, timeZone);
  const lines = cycles.flatMap((cycle) => cycle.lines);
  return { conversation, cycles, lines, first: existing(lines[0], conversation) };
}

async function storeTickets(
  tx: Tx,
  sources: Sources,
  company: DemoCompany,
  dated: readonly Dated[],
): Promise<Stored[]> {
  const { companyId } = company;
  const contactIds = await buildContacts(
    tx,
    dated.map(({ conversation, first }) => ({
      companyId,
      name: conversation.customer,
      number: conversation.phone,
      createdAt: first.at,
    })),
  );
  const people = dated.map((each, index) => ({
    ...each,
    contactId: existing(contactIds[index], each.conversation),
  }));
  const ticketIds = await insertTickets(
    tx,
    sources,
    people.map((each) => ticketRow(company, each)),
  );
  return people.map((each, index) => ({
    ...each,
    ticketId: existing(ticketIds[index], each.conversation),
  }));
}

function ticketRow(company: DemoCompany, each: Dated & { contactId: ContactId }): TicketRow {
  const { cycle } = existing(each.cycles.at(-1), each.conversation);
  const queue = cycle.status === "closed" ? null : cycle.queue;
  return {
    companyId: company.companyId,
    contactId: each.contactId,
    connectionId: company.connectionId,
    status: cycle.status,
    userId: cycle.status === "open" ? company.userIds[cycle.agent] : null,
    queueId: queue === null ? null : company.queueIds[queue],
    createdAt: each.first.at,
  };
}

/** The attendance of one cycle (behaviour 2.13). */
function attendanceRow(
  company: DemoCompany,
  ticketId: TicketId,
  { cycle, lines }: DatedCycle,
): typeof attendances.$inferInsert {
  const firstAt = lines[0]?.at ?? null;
  const lastAt = lines.at(-1)?.at ?? null;
  const answers = lines.filter((line) => line.agent !== null);
  const common = {
    companyId: company.companyId,
    ticketId,
    connectionId: company.connectionId,
    queueId: cycle.queue === null ? null : company.queueIds[cycle.queue],
    ...(firstAt && { createdAt: firstAt }),
  };
  if (cycle.status === "pending") {
    // An agent who answered returned the ticket to the queue: it has waited since then.
    return { ...common, queuedAt: answers.at(-1)?.at ?? firstAt };
  }
  const userId = company.userIds[cycle.agent];
  const answeredAt = answers[0]?.at;
  const started = {
    ...common,
    userId,
    queuedAt: firstAt,
    startedAt: answeredAt ? addSeconds(answeredAt, -ACCEPT_LEAD_SECONDS) : firstAt,
  };
  if (cycle.status === "open" || lastAt === null) return started;
  return { ...started, finishedAt: addSeconds(lastAt, RESOLVE_DELAY_SECONDS), closedBy: userId };
}

function messagesOf(company: DemoCompany, each: Stored): Written[] {
  const { conversation, contactId, ticketId, lines } = each;
  const lastWord = lines.findLastIndex((line) => line.agent === null);
  const current = existing(each.cycles.at(-1), conversation);
  const unreadFrom = lines.length - unreadCount(current);
  const queues = each.cycles.flatMap(({ cycle, lines }) => lines.map(() => cycle.queue));

  return lines.map((line, index) => {
    const queue = queues[index] ?? null;
    const fromMe = line.agent !== null;
    return {
      conversation,
      line,
      repliesTo: line.repliesBack === undefined ? null : (lines[index - line.repliesBack] ?? null),
      values: {
        companyId: company.companyId,
        ticketId,
        connectionId: company.connectionId,
        contactId,
        queueId: queue === null ? null : company.queueIds[queue],
        userId: line.agent === null ? null : company.userIds[line.agent],
        ...contentOf(line),
        fromMe,
        read: fromMe || index < unreadFrom,
        ack: line.ack ?? (index < lastWord ? acks.read : acks.delivered),
        at: line.at,
        isEdited: line.edited ?? false,
        isDeleted: line.deleted ?? false,
        ...(line.failed && { failedCode: "ERR_SENDING_WAPP_MSG" }),
      },
    };
  });
}

function contentOf(line: DatedLine): Pick<MessageValues, "body" | "mediaType"> {
  const text = line.agent === null ? line.text : signed(line.agent, line.text);
  if (line.file === undefined) return { body: text };
  const file = demoFiles[line.file];
  return { body: mediaBody(file, text), mediaType: mediaTypeOf(file) };
}

/** The number of unread lines at the end of the conversation; of a pending one, all since the last answer. */
function unreadCount({ cycle, lines }: DatedCycle): number {
  if (cycle.status === "closed") return 0;
  if (cycle.status === "open") return cycle.unread;
  return lines.length - 1 - lines.findLastIndex((line) => line.agent !== null);
}

/** As the composer signs (behaviour 3, "Signature"). */
function signed(agent: AgentName, text: string): string {
  return `*${agent}:*\n${text}`;
}

/** Stores refused messages in the outbox, where "try again" finds them. */
async function storeRefusals(tx: Tx, company: DemoCompany, sent: readonly Sent[]): Promise<void> {
  const rows = sent
    .filter(({ line }) => line.failed)
    .map(({ conversation: { phone }, values, inserted }) => ({
      companyId: company.companyId,
      connectionId: company.connectionId,
      messageId: inserted.id,
      providerId: inserted.providerId,
      chatKey: chatKeyOf({ kind: "pn", value: phone }),
      toKind: "pn" as const,
      toValue: phone,
      body: JSON.stringify({ kind: "text", text: values.body } satisfies OutboundBody),
      state: "failed" as const,
      errorCode: "temporary",
      attempt: 1,
      dueAt: values.at,
      attemptedAt: values.at,
    }));
  await tx.orm.insert(outbound).values(rows);
}

/** The messages that reached the network, by customer. */
function channelHistory(
  company: DemoCompany,
  stored: readonly Stored[],
  sent: readonly Sent[],
): ChannelHistory {
  const reached = sent.filter(({ line }) => !line.failed);
  const byConversation = Map.groupBy(reached, ({ conversation }) => conversation);
  return {
    companyId: company.companyId,
    connectionId: company.connectionId,
    customers: stored.map(({ conversation }) => ({
      phone: conversation.phone,
      name: conversation.customer,
      messages: (byConversation.get(conversation) ?? []).map(toNetwork),
    })),
  };
}

function toNetwork({ values, inserted }: Sent): ChannelMessage {
  const { fromMe, body, at } = values;
  const takenAck = values.read ? acks.read : acks.server;
  return {
    id: inserted.providerId,
    fromCustomer: !fromMe,
    body,
    ack: fromMe ? values.ack : takenAck,
    at,
  };
}

function existing<T>(value: T | undefined, conversation: Conversation): T {
  if (value === undefined) throw new Error(`the demo lost a part of ${conversation.customer}`);
  return value;
}

/** A line of the demo with its message. */
type Written = {
  conversation: Conversation;
  line: DatedLine;
  repliesTo: DatedLine | null;
  values: MessageValues & { ack: number; read: boolean };
};
type Sent = Written & { inserted: InsertedMessage };

/** Stores quotes, reactions and media rows; a file is unavailable until it is stored. */
async function storeExtras(
  tx: Tx,
  company: DemoCompany,
  sent: readonly Sent[],
): Promise<WantedFile[]> {
  const idOf = new Map(sent.map(({ line, inserted }) => [line, inserted.id]));
  for (const { repliesTo, inserted } of sent) {
    const quotedMessageId = repliesTo && idOf.get(repliesTo);
    if (!quotedMessageId) continue;
    const reply = { quotedMessageId, mediaType: "extendedTextMessage" };
    await tx.orm.update(messages).set(reply).where(eq(messages.id, inserted.id));
  }
  await tx.orm.insert(messageReactions).values(sent.flatMap((each) => reactionRow(company, each)));
  const files = sent.flatMap(({ line, inserted }) =>
    line.file === undefined ? [] : [{ messageId: inserted.id, file: line.file }],
  );
  await tx.orm.insert(messageMedia).values(files.map((each) => mediaRow(company.companyId, each)));
  return files;
}

function reactionRow(company: DemoCompany, { conversation, line, values, inserted }: Sent) {
  if (line.reaction === undefined) return [];
  const cycle = conversation.cycles.at(-1);
  const agent = cycle && "agent" in cycle ? cycle.agent : undefined;
  const isCustomers = line.agent !== null;
  return [
    {
      companyId: company.companyId,
      messageId: inserted.id,
      author: isCustomers ? `contact:${values.contactId}` : "company",
      contactId: isCustomers ? values.contactId : null,
      userId: isCustomers || agent === undefined ? null : company.userIds[agent],
      emoji: line.reaction,
      createdAt: values.at,
    },
  ];
}

function mediaRow(companyId: CompanyId, { messageId, file }: WantedFile) {
  const { kind, name, mime } = demoFiles[file];
  return { companyId, messageId, kind, name, mime, state: "unavailable" as const };
}

/** The ids of the demo's records, by name. */
export type DemoCompany = {
  companyId: CompanyId;
  connectionId: ConnectionId;
  queueIds: Readonly<Record<QueueName, QueueId>>;
  userIds: Readonly<Record<AgentName, UserId>>;
  tagIds: Readonly<Record<TagName, TagId>>;
};

/** A message on the chat network. */
type ChannelMessage = {
  /** The network's id. */
  id: string;
  fromCustomer: boolean;
  body: string;
  /** A customer's message has 2 (delivered to the connection) or 4 (read by an agent), one of the company 2 to 4. */
  ack: number;
  at: Date;
};

/** A connection's conversations on the chat network, each oldest first. */
export type ChannelHistory = {
  companyId: CompanyId;
  connectionId: ConnectionId;
  customers: readonly { phone: string; name: string; messages: readonly ChannelMessage[] }[];
};

/**
 * Links the connection and stores the conversations on the channel's side as already delivered and reported. Returns the
 * connection's number there.
 */
export type SeedChannel = (tx: Tx, history: ChannelHistory) => Promise<{ number: string }>;
