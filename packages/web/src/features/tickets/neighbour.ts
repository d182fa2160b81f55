/** The ticket before (-1) or after (1) another in a list; the first one when that is not listed. */
export function neighbourOf<T extends { id: number }>(
  tickets: readonly T[],
  ticketId: number | null,
  by: 1 | -1,
): T | undefined {
  const index = tickets.findIndex((ticket) => ticket.id === ticketId);
  return index === -1 ? tickets[0] : tickets[index + by];
}

/** Who gets the focus when a ticket leaves the list: the next one, else the one before. */
export function successorOf<T extends { id: number }>(
  tickets: readonly T[],
  ticketId: number,
): T | undefined {
  const index = tickets.findIndex((ticket) => ticket.id === ticketId);
  return index === -1 ? undefined : (tickets[index + 1] ?? tickets[index - 1]);
}
