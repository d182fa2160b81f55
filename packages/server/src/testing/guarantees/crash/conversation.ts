import { randomUUID } from "node:crypto";
import type { ConnectionId, TicketId } from "@balcao/contract";
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
