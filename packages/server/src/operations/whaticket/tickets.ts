import type { TicketStatus, WhaticketRowKind } from "@balcao/contract";
import type { Item, Move } from "./bring.ts";
import { add, bring, pairOf } from "./bring.ts";
import { dates, refer } from "./setup.ts";
import type { SourceRow } from "./values.ts";
import { boolOf, dateOf, idOf, intOf, textOf } from "./values.ts";

/** What messages need of the ticket that they are in. */
export type TicketPlace = {
  companyId: number;
  ticketId: number;
  connectionId: number | null;
  contactId: number;
  /** Its messages count as read. */
  isRead: boolean;
};

type Ticket = {
  row: SourceRow;
  id: string;
  contactId: number;
  connectionId: number | null;
  userId: number | null;
  queueId: number | null;
  status: TicketStatus;
  created: Date;
  updated: Date;
};

/**
 * Tickets with their attendances. There, a contact may have a ticket for each conversation; here it has one for each
 * connection, and every conversation is an attendance of it.
 */
export async function bringTickets(move: Move): Promise<Map<string, TicketPlace>> {
  const groups = new Map<string, Ticket[]>();
  for await (const page of move.source.rows("tickets", move.from)) {
    for (const row of page) {
      const ticket = readTicket(move, row);
      if (!ticket) continue;
      const key = `${ticket.contactId} ${ticket.connectionId ?? ""}`;
      const group = groups.get(key) ?? [];
      group.push(ticket);
      groups.set(key, group);
    }
  }
  const known = move.ids("ticket");
  const items = [...groups.values()].map((group) => {
    const main = newestOf(group);
    const id = group.find((ticket) => known.has(ticket.id))?.id ?? main.id;
    return ticketItem(move, group, main, id);
  });
  await bring(move, "ticket", "tickets", items);
  await bringAttendances(move, [...groups.values()]);
  await bringTags(move);
  return placesOf(move, [...groups.values()]);
}

const statusOf: Record<string, TicketStatus> = {
  ...{ open: "open", pending: "pending", closed: "closed", group: "open", bot: "pending" },
  ...{ chatbot: "pending", lgpd: "pending", nps: "closed", campaign: "closed" },
};

function readTicket(move: Move, row: SourceRow): Ticket | null {
  const id = row["id"] ?? "";
  const contactId = move.ids("contact").get(row["contactId"] ?? "");
  if (contactId === undefined) {
    move.tally.problem("ticket", "contactMissing", id);
    move.tally.count("ticket", { read: 1, left: 1 });
    return null;
  }
  const userId = refer(move, "ticket", "user", row, "userId");
  const wanted = statusOf[row["status"] ?? ""];
  if (wanted === undefined)
    move.tally.problem("ticket", "statusUnknown", id, { status: row["status"] ?? "" });
  const named = wanted ?? "pending";
  const created = dateOf(row["createdAt"]) ?? new Date(0);
  return {
    ...{ row, id, contactId, userId, created },
    connectionId: refer(move, "ticket", "connection", row, "whatsappId"),
    queueId: refer(move, "ticket", "queue", row, "queueId"),
    // An open ticket whose user is gone waits for another one.
    status: named === "open" && userId === null ? "pending" : named,
    updated: dateOf(row["updatedAt"]) ?? created,
  };
}

/** The one that is served, else the one that waits, else the newest: its state is the ticket's. */
function newestOf(group: readonly Ticket[]): Ticket {
  const rank = { open: 2, pending: 1, closed: 0 } as const;
  const [first, ...others] = group;
  if (first === undefined) throw new Error("a group of tickets is never empty");
  return others.reduce((best, one) => {
    const byStatus = rank[one.status] - rank[best.status];
    return byStatus > 0 || (byStatus === 0 && one.updated >= best.updated) ? one : best;
  }, first);
}

function ticketItem(move: Move, group: readonly Ticket[], main: Ticket, id: string): Item {
  const { row, status, userId, queueId } = main;
  const isClosed = status === "closed";
  const promptId = isClosed ? null : refer(move, "ticket", "prompt", row, "promptId");
  const others = group.filter((ticket) => ticket.id !== id).map((ticket) => ticket.id);
  if (others.length > 0) {
    move.tally.problem("ticket", "ticketsMerged", `${id}+${others.slice(0, 20).join("+")}`);
  }
  return {
    id,
    more: others,
    values: {
      ...{
        uuid: move.sources.ids.uuid(),
        contact_id: main.contactId,
        connection_id: main.connectionId,
        status,
      },
      user_id: status === "open" ? userId : null,
      queue_id: isClosed ? null : queueId,
      is_group: boolOf(row["isGroup"]),
      chatbot: !isClosed && boolOf(row["chatbot"]),
      queue_option_id: isClosed ? null : refer(move, "ticket", "option", row, "queueOptionId"),
      ...{ use_integration: false, prompt_id: promptId },
      integration_id:
        isClosed || promptId !== null
          ? null
          : refer(move, "ticket", "integration", row, "integrationId"),
      last_message: textOf(row["lastMessage"], 200),
      created_at: new Date(Math.min(...group.map((ticket) => ticket.created.getTime()))),
      updated_at: main.updated,
    },
  };
}

type Attendance = {
  id: string;
  ticket: Ticket;
  userId: number | null;
  queueId: number | null;
  row: SourceRow | null;
  created: Date;
  finished: Date | null;
};

async function bringAttendances(move: Move, groups: readonly Ticket[][]): Promise<void> {
  const tracking = byTicket(move, "attendance", await move.source.all("tracking", move.from));
  const ratings = byTicket(move, "rating", await move.source.all("ratings", move.from));
  const items: Item[] = [];
  const rated: { attendance: string; rating: SourceRow; rate: number; userId: number | null }[] =
    [];
  for (const group of groups) {
    const ticketId = move.ids("ticket").get(group[0]?.id ?? "");
    if (ticketId === undefined) continue;
    const attendances = attendancesOf(move, group, tracking);
    const rates = ratesOf(
      move,
      attendances,
      group.flatMap(({ id }) => ratings.get(id) ?? []),
    );
    rated.push(
      ...[...rates].map(([attendance, { rating, rate }]) => ({
        ...{ attendance, rating, rate, userId: refer(move, "rating", "user", rating, "userId") },
      })),
    );
    items.push(
      ...attendances.map((one) => attendanceItem(one, ticketId, rates.get(one.id)?.rate ?? null)),
    );
  }
  const ids = await bring(move, "attendance", "attendances", items);
  await bring(
    move,
    "rating",
    "ratings",
    rated.flatMap(({ attendance, rating, rate, userId }): Item[] => {
      const attendanceId = ids.get(attendance);
      const ticketId = move.ids("ticket").get(rating["ticketId"] ?? "");
      if (attendanceId === undefined || ticketId === undefined) return [];
      const values = { attendance_id: attendanceId, ticket_id: ticketId, user_id: userId, rate };
      return [
        { id: rating["id"] ?? "", values: { ...values, created_at: dates(rating).created_at } },
      ];
    }),
  );
}

/** Rows by the id of their ticket; those without one are left out. */
function byTicket(
  move: Move,
  kind: WhaticketRowKind,
  rows: readonly SourceRow[],
): Map<string, SourceRow[]> {
  const sorted = new Map<string, SourceRow[]>();
  for (const row of rows) {
    const id = idOf(row["ticketId"]) ?? "";
    if (!move.ids("ticket").has(id)) {
      move.tally.problem(kind, "ticketMissing", row["id"]);
      move.tally.count(kind, { read: 1, left: 1 });
      continue;
    }
    const list = sorted.get(id) ?? [];
    list.push(row);
    sorted.set(id, list);
  }
  return sorted;
}

/** In the order of time. All are finished but the last one of a ticket that waits or is served. */
function attendancesOf(
  move: Move,
  group: readonly Ticket[],
  tracking: Map<string, SourceRow[]>,
): Attendance[] {
  const main = newestOf(group);
  const all = group.flatMap((ticket): Attendance[] => {
    const rows = tracking.get(ticket.id) ?? [];
    if (rows.length === 0) {
      const finished = ticket.status === "closed" ? ticket.updated : null;
      const { created, userId, queueId } = ticket;
      return [{ id: `ticket ${ticket.id}`, ticket, userId, queueId, row: null, created, finished }];
    }
    return rows.map((row) => ({
      ...{ id: row["id"] ?? "", ticket, row },
      userId: refer(move, "attendance", "user", row, "userId") ?? ticket.userId,
      queueId: refer(move, "attendance", "queue", row, "queueId") ?? ticket.queueId,
      created: dateOf(row["createdAt"]) ?? dateOf(row["queuedAt"]) ?? ticket.created,
      finished: dateOf(row["finishedAt"]),
    }));
  });
  const isOpen = main.status !== "closed";
  // The attendance of the ticket that goes on is the last one.
  all.sort(
    (a, b) =>
      Number(isOpen && a.ticket === main) - Number(isOpen && b.ticket === main) ||
      a.created.getTime() - b.created.getTime(),
  );
  const last = all.at(-1);
  if (isOpen && last && last.finished !== null) {
    const { userId, queueId } = main;
    all.push({
      id: `open ${main.id}`,
      ticket: main,
      userId,
      queueId,
      row: null,
      created: last.finished,
      finished: null,
    });
  }
  return all.map((one, index) => {
    if (isOpen && index === all.length - 1)
      return { ...one, userId: main.status === "open" ? main.userId : null, queueId: main.queueId };
    const ends = [one.finished, one.ticket.updated, one.created];
    return {
      ...one,
      finished: ends.find((end) => end !== null && end >= one.created) ?? one.created,
    };
  });
}

/** The ratings of a ticket: each belongs to the attendance in which it was given; the newest of one counts. */
function ratesOf(move: Move, attendances: readonly Attendance[], ratings: readonly SourceRow[]) {
  const rates = new Map<string, { rating: SourceRow; rate: number }>();
  for (const rating of ratings) {
    const at = dateOf(rating["createdAt"])?.getTime() ?? 0;
    const ofTicket = attendances.filter(
      ({ ticket, finished }) => ticket.id === rating["ticketId"] && finished !== null,
    );
    const given = ofTicket.findLast(({ created }) => created.getTime() <= at) ?? ofTicket[0];
    const rate = intOf(rating["rate"], 0);
    if (!given || rate < 1) {
      move.tally.problem("rating", "ratingUnusable", rating["id"]);
      move.tally.count("rating", { read: 1, left: 1 });
      continue;
    }
    if (rate > 3) move.tally.problem("rating", "ratingLowered", rating["id"]);
    if (rates.has(given.id)) {
      move.tally.problem("rating", "ratingReplaced", rates.get(given.id)?.rating["id"]);
      move.tally.count("rating", { read: 1, merged: 1 });
    }
    rates.set(given.id, { rating, rate: Math.min(3, rate) });
  }
  return rates;
}

function attendanceItem(
  { id, ticket, userId, queueId, row, created, finished }: Attendance,
  ticketId: number,
  rate: number | null,
): Item {
  const within = (date: Date | null): Date | null =>
    date === null || date < created || (finished !== null && date > finished) ? null : date;
  const started = userId === null ? null : (within(dateOf(row?.["startedAt"])) ?? created);
  return {
    id,
    values: {
      ...{
        ticket_id: ticketId,
        connection_id: ticket.connectionId,
        user_id: userId,
        queue_id: queueId,
      },
      queued_at: within(dateOf(row?.["queuedAt"])) ?? created,
      chatbot_at: within(dateOf(row?.["chatbotAt"])),
      ...{ started_at: started, attended_at: started, finished_at: finished, created_at: created },
      rating_at: rate === null ? null : (within(dateOf(row?.["ratingAt"])) ?? finished),
      ...{ rated: rate !== null, rate },
      closed_by: finished === null ? null : userId,
    },
  };
}

async function bringTags(move: Move): Promise<void> {
  const pairs = new Map<string, { ticket_id: number; tag_id: number; created_at: Date }>();
  const rows = await move.source.all("ticketTags", move.from);
  for (const row of rows) {
    for (const [ticket, tag] of pairOf(
      move.ids("ticket"),
      row["ticketId"],
      move.ids("tag"),
      row["tagId"],
    )) {
      pairs.set(`${ticket} ${tag}`, {
        ticket_id: ticket,
        tag_id: tag,
        created_at: dates(row).created_at,
      });
    }
  }
  if (pairs.size < rows.length)
    move.tally.problemOfMany("ticket tag", "tagPairUnusable", rows.length - pairs.size);
  await add(move, "ticket tag", "ticket_tags", [...pairs.values()]);
}

function placesOf(move: Move, groups: readonly Ticket[][]): Map<string, TicketPlace> {
  const places = new Map<string, TicketPlace>();
  for (const group of groups) {
    for (const { id, row, status, contactId, connectionId } of group) {
      const ticketId = move.ids("ticket").get(id);
      if (ticketId === undefined) continue;
      const isRead = status === "closed" || intOf(row["unreadMessages"], 0) === 0;
      places.set(id, { companyId: move.companyId, ticketId, connectionId, contactId, isRead });
    }
  }
  return places;
}
