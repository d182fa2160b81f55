import type { Message } from "@balcao/contract";

type Handler = (message: Message) => void;

const handlers = new Map<number, Set<Handler>>();

/** Calls `handler` with each message of the ticket that the agent takes back. Returns the way to stop. */
export function onUndone(ticketId: number, handler: Handler): () => void {
  const known = handlers.get(ticketId) ?? new Set();
  handlers.set(ticketId, known.add(handler));
  return () => {
    known.delete(handler);
    if (known.size === 0) handlers.delete(ticketId);
  };
}

/** A message was taken back: whoever writes in its ticket gets what it said. */
export function tellUndone(message: Message): void {
  for (const handler of handlers.get(message.ticketId) ?? []) handler(message);
}
