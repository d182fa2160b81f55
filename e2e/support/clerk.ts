import { randomUUID } from "node:crypto";
import type { ListedTicket, Message, RequestOf } from "@balcao/contract";
import type { Api } from "./api.ts";
import type { Dice } from "./dice.ts";

/** A user of the product who works through the API, as from another window. */
export type Clerk = {
  id: number;
  name: string;
  api: Api;
  queueIds: readonly number[];
};

type Action = "accept" | "answer" | "transfer" | "return" | "resolve" | "reopen" | "touch";

const wishes: readonly Action[] = [
  ...(["accept", "accept", "accept", "answer", "answer", "answer", "answer"] as const),
  ...(["transfer", "transfer", "return", "resolve", "reopen", "touch", "touch"] as const),
];

let answers = 0;

/**
 * Does something to one of the customers' tickets that the clerk sees. A refusal because a colleague was quicker is
 * expected; returns whether the action succeeded.
 */
export async function clerkWorks(
  clerk: Clerk,
  colleagues: readonly Clerk[],
  { names, dice }: { names: readonly string[]; dice: Dice },
): Promise<boolean> {
  const wish = dice.pick(wishes) ?? "answer";
  const statuses = { accept: "pending", reopen: "closed" } as const;
  const status = wish === "accept" || wish === "reopen" ? statuses[wish] : "open";
  const ticket = dice.pick(await ticketsOf(clerk, status, names));
  if (!ticket) return false;
  try {
    await act(wish, clerk, { ticket, colleague: dice.pick(colleagues) ?? clerk, dice });
    return true;
  } catch (error) {
    if (error instanceof Error && /answered 40[034]/.test(error.message)) return false;
    throw error;
  }
}

/** The customers' tickets in a list of the clerk; an admin's holds everybody's. */
export async function ticketsOf(
  { api }: Clerk,
  status: "open" | "pending" | "closed",
  names: readonly string[],
): Promise<readonly ListedTicket[]> {
  const noFilter = { queueIds: undefined, tags: undefined, users: undefined };
  const query = { status, showAll: "true", ...noFilter } as const;
  const { tickets } = await api("GET /tickets", { query });
  return tickets.filter(({ contact }) => names.includes(contact.name));
}

export async function acceptAs({ api, id: userId }: Clerk, { id }: ListedTicket): Promise<void> {
  const params = { ticketId: id };
  await api("PUT /tickets/:ticketId", { params, body: { status: "open", userId } });
}

/** An admin gives a ticket to somebody else. */
export async function giveAs(
  { api }: Clerk,
  { id }: ListedTicket,
  to: { queueId: number; userId: number },
): Promise<void> {
  await api("PUT /tickets/:ticketId", { params: { ticketId: id }, body: to });
}

type Case = { ticket: ListedTicket; colleague: Clerk; dice: Dice };

async function act(action: Action, clerk: Clerk, { ticket, colleague, dice }: Case): Promise<void> {
  const { api, id: userId } = clerk;
  const params = { ticketId: ticket.id };
  const change = (body: RequestOf<"PUT /tickets/:ticketId">["body"]): Promise<unknown> =>
    api("PUT /tickets/:ticketId", { params, body });
  switch (action) {
    case "accept":
    case "reopen":
      await change({ status: "open", userId });
      return;
    case "return":
      await change({ status: "pending", userId: null });
      return;
    case "resolve":
      await change({ status: "closed", userId });
      return;
    case "transfer": {
      const queueId = dice.pick(colleague.queueIds);
      if (queueId === undefined) return;
      if (dice.isLucky(0.5)) await change({ queueId, userId: colleague.id });
      else await change({ queueId, userId: null, status: "pending" });
      return;
    }
    case "answer": {
      answers += 1;
      const body = { body: `Resposta ${answers} de ${clerk.name}`, clientId: randomUUID() };
      await api("POST /messages/:ticketId", { params, body });
      return;
    }
    case "touch":
      await touchMessage(clerk, ticket, dice);
  }
}

/** Edits, deletes or reacts. */
async function touchMessage({ api }: Clerk, ticket: ListedTicket, dice: Dice): Promise<void> {
  const { messages } = await api("GET /messages/:ticketId", {
    params: { ticketId: ticket.id },
    query: { markRead: "false" },
  });
  const standing = messages.filter(({ isDeleted }) => !isDeleted).slice(-8);
  const own = dice.pick(standing.filter(({ fromMe, ack }) => fromMe && ack >= 1));
  const message = dice.pick(standing);
  const what = dice.between(1, 3);
  if (what === 1 && message) {
    const params = { messageId: message.id };
    await api("POST /messages/:messageId/reactions", { params, body: { type: "❤️" } });
  }
  if (what === 2 && own) await editMessage(api, own);
  if (what === 3 && own) {
    await api("DELETE /messages/:messageId", { params: { messageId: own.id } });
  }
}

async function editMessage(api: Api, { id: messageId }: Message): Promise<void> {
  answers += 1;
  const body = { body: `Melhor dito ${answers}` };
  await api("POST /messages/edit/:messageId", { params: { messageId }, body });
}
