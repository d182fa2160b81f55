import { acks } from "@balcao/contract";
import type { Tx } from "../../platform/db/database.ts";
import type { LineRef } from "./line.ts";
import { lineNumber, linkLine } from "./line.ts";
import { simulatorCustomers, simulatorMessages } from "./schema.ts";

type SeededMessage = {
  id: string;
  fromCustomer: boolean;
  body: string;
  /** A customer's: 2 taken by the connection, 4 read by an agent. The company's: 2 to 4. */
  ack: number;
  at: Date;
};

type SeededCustomer = {
  phone: string;
  name: string;
  /** Oldest first. */
  messages: readonly SeededMessage[];
};

type SeededLine = LineRef & { customers: readonly SeededCustomer[] };

/**
 * Links a line and puts past conversations on its customers' phones. All of them count as delivered and their
 * acknowledgements as reported, so the connection hears nothing of them again. Answers the line's number.
 */
export async function seedSimulator(tx: Tx, line: SeededLine): Promise<{ number: string }> {
  const { connectionId, customers } = line;
  await linkLine(tx, line);
  await storeCustomers(tx, line, customers);
  await storeMessages(tx, line, customers);
  return { number: lineNumber(connectionId) };
}

async function storeCustomers(
  tx: Tx,
  { companyId, connectionId }: LineRef,
  customers: readonly SeededCustomer[],
): Promise<void> {
  if (customers.length === 0) return;
  await tx.orm
    .insert(simulatorCustomers)
    .values(customers.map((customer) => ({ companyId, connectionId, ...customerRow(customer) })));
}

async function storeMessages(
  tx: Tx,
  { companyId, connectionId }: LineRef,
  customers: readonly SeededCustomer[],
): Promise<void> {
  const messages = customers
    .flatMap(({ phone, messages }) => messages.map((message) => ({ phone, ...message })))
    .toSorted((a, b) => a.at.getTime() - b.at.getTime());
  if (messages.length === 0) return;
  await tx.orm.insert(simulatorMessages).values(
    messages.map(({ at, ...message }) => ({
      companyId,
      connectionId,
      ...message,
      reportedAck: message.fromCustomer ? 0 : message.ack,
      delivered: true,
      createdAt: at,
    })),
  );
}

function customerRow({ phone, name, messages }: SeededCustomer) {
  const first = messages[0];
  const last = messages.at(-1);
  return {
    phone,
    name,
    lastMessage: last?.body ?? "",
    lastMessageAt: last?.at ?? null,
    unread: messages.filter(({ fromCustomer, ack }) => !fromCustomer && ack < acks.read).length,
    ...(first && { createdAt: first.at }),
  };
}
