import { randomUUID } from "node:crypto";
import type { ConnectionId, TicketId } from "@balcao/contract";
import { expect } from "vitest";
import type { Installation } from "./installation.ts";
import type { PatientClient } from "./patient-client.ts";

/** The messages of one chat that the product has accepted, in order. */
export type Conversation = {
  phone: string;
  /** Network ids of the customer's messages. */
  written: string[];
  /** Texts of the answers. */
  answered: string[];
};

export type Talk = {
  customer: PatientClient;
  agent: PatientClient;
  connectionId: ConnectionId;
  phone: string;
  messages: number;
  answers: number;
  /** Awaited before each message and answer. */
  turn?(): Promise<void>;
  /** Told after each accepted message or answer. */
  onProgress?(): void;
};

/** A customer writes and an agent answers, side by side. Each waits for its own last word to be accepted. */
export async function converse(talk: Talk): Promise<Conversation> {
  const [written, answered] = await Promise.all([write(talk), answer(talk)]);
  return { phone: talk.phone, written, answered };
}

async function write(talk: Talk): Promise<string[]> {
  const { customer, connectionId, phone, messages } = talk;
  const path = `/simulator/connections/${connectionId}/chats/${phone}/messages`;
  const written: string[] = [];
  for (let number = 1; number <= messages; number += 1) {
    await talk.turn?.();
    const messageId = `PHONE-${phone}-${number}`;
    const body = `Mensagem ${number} de ${phone}`;
    // The same id at each try: a phone that heard nothing sends the same message again.
    const kept = await customer.call(
      "POST /simulator/connections/:connectionId/chats/:phone/messages",
      path,
      { body, messageId },
    );
    written.push(kept.id);
    talk.onProgress?.();
  }
  return written;
}

/** An agent's part: the ticket is accepted, then answered. Answers the texts. */
export async function answer(
  talk: Pick<Talk, "agent" | "phone" | "answers" | "turn" | "onProgress">,
): Promise<string[]> {
  const { agent, phone, answers } = talk;
  const ticketId = await findTicket(agent, phone);
  await agent.call("PUT /tickets/:ticketId", `/tickets/${ticketId}`, { status: "open" });
  const answered: string[] = [];
  for (let number = 1; number <= answers; number += 1) {
    await talk.turn?.();
    const body = `Resposta ${number} a ${phone}`;
    const clientId = randomUUID();
    await agent.call("POST /messages/:ticketId", `/messages/${ticketId}`, { body, clientId });
    answered.push(body);
    talk.onProgress?.();
  }
  return answered;
}

/** Resolves when the customer's ticket waits in the agent's list. */
async function findTicket(agent: PatientClient, phone: string): Promise<TicketId> {
  for (;;) {
    const { tickets } = await agent.call(
      "GET /tickets",
      `/tickets?status=pending&searchParam=${phone}`,
    );
    const [ticket] = tickets;
    if (ticket) return ticket.id;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

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

/** Expects each message and answer once, in the accepted order, on both sides. */
export async function expectComplete(
  installation: Pick<Installation, "query">,
  conversations: readonly Conversation[],
  { messages, answers }: Pick<Talk, "messages" | "answers">,
): Promise<void> {
  const phones = conversations.map(({ phone }) => phone);
  const stored = await installation.query<Stored>(storedStatement, [phones]);
  expect(stored.map(({ phone }) => phone)).toEqual(phones);
  for (const [index, { phone, written, answered }] of conversations.entries()) {
    expect(written).toHaveLength(messages);
    expect(answered).toHaveLength(answers);
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
