import { describe, expect, test } from "vitest";
import type { MessageRow, RowOptions } from "./message-rows.ts";
import { listedMessages, messageRows } from "./message-rows.ts";
import { givenMessage, messageIdOf } from "../testing/given-message.ts";
import { givenUnsent } from "../testing/given-unsent.ts";
import type { UnsentMessage } from "../sending/unsent-messages.ts";

const dayOf = (iso: string): string => iso.slice(0, 10);
const noMark: RowOptions = {
  hasMore: false,
  hasNewer: false,
  unread: null,
  waitingSince: null,
  dayOf,
  entries: [],
  pageStarts: new Set(),
};

function at(day: string, time: string) {
  return { createdAt: `2026-11-${day}T${time}:00.000Z` };
}

function unsentMessage(clientId: string, time = "11:00"): UnsentMessage {
  return givenUnsent({ clientId, body: "x", ...at("20", time) });
}

/** Prints the rows in short; `|` ends a group. */
function show(rows: readonly MessageRow[]): string {
  return rows
    .map((row) => {
      if (row.kind === "day") return `[${row.key.slice(-2)}]`;
      if (row.kind === "unread" || row.kind === "waiting") return `[${row.kind}]`;
      if (row.kind === "entry") return `(${row.entry.kind})`;
      const { item } = row;
      const name = item.kind === "stored" ? item.message.body.slice(9) : item.unsent.clientId;
      return row.endsGroup ? `${name}|` : name;
    })
    .join(" ");
}

function rowsOf(messages: Parameters<typeof listedMessages>[0], options = noMark): string {
  return show(messageRows(listedMessages(messages, []), options));
}

describe("groups", () => {
  test("one sender within 5 minutes", () => {
    const messages = [
      givenMessage(1, at("20", "10:00")),
      givenMessage(2, at("20", "10:05")),
      givenMessage(3, at("20", "10:11")),
    ];
    expect(rowsOf(messages)).toBe("[20] 1 2| 3|");
  });

  test("the other sender starts a new one", () => {
    const messages = [givenMessage(1), givenMessage(2, { fromMe: true }), givenMessage(3)];
    expect(rowsOf(messages)).toBe("[20] 1| 2| 3|");
  });

  test("the chatbot is an author of its own; another signature in a group is shown too", () => {
    const own = (n: number, body: string, isAutomatic = false) =>
      givenMessage(n, { fromMe: true, body, isAutomatic });
    const messages = [
      own(1, "mensagem menu", true),
      own(2, "mensagem file", true),
      own(3, "*Marina:*\nOi"),
      own(4, "*Marina:*\nTudo bem?"),
      own(5, "mensagem photo"),
      own(6, "*Caio:*\nEu sigo"),
    ];
    const rows = messageRows(listedMessages(messages, []), noMark).filter(
      (row) => row.kind === "message",
    );
    expect(rows.map((row) => [row.position, row.startsGroup, row.showsAuthor])).toEqual([
      [1, true, true],
      [2, false, false],
      [3, true, true],
      [4, false, false],
      [5, false, false],
      [6, false, true],
    ]);
  });

  test("a new day starts a new one", () => {
    const messages = [givenMessage(1, at("20", "23:59")), givenMessage(2, at("21", "00:01"))];
    expect(rowsOf(messages)).toBe("[20] 1| [21] 2|");
  });
});

describe("days", () => {
  const messages = [
    givenMessage(1, at("18", "10:00")),
    givenMessage(2, at("20", "10:00")),
    givenMessage(3, at("20", "10:01")),
  ];

  test("each is shown above its first message", () => {
    expect(rowsOf(messages)).toBe("[18] 1| [20] 2 3|");
  });

  test("the first message has none while older ones exist", () => {
    expect(rowsOf(messages, { ...noMark, hasMore: true })).toBe("1| [20] 2 3|");
  });

  test("an older page adds rows above and changes none below", () => {
    const before = messageRows(listedMessages(messages.slice(1), []), { ...noMark, hasMore: true });
    const after = messageRows(listedMessages(messages, []), noMark);
    const keysBefore = before.map((row) => row.key);
    expect(after.map((row) => row.key).slice(-keysBefore.length)).toEqual(keysBefore);
  });
});

describe("the unread line", () => {
  const messages = [
    givenMessage(1),
    givenMessage(2),
    givenMessage(3, { fromMe: true }),
    givenMessage(4),
    givenMessage(5),
  ];
  const lines = (count: number, lastMessageId: string, hasMore = false) =>
    rowsOf(messages, { ...noMark, hasMore, unread: { count, lastMessageId } });

  test("does not count a call, which is stored as read", () => {
    const call = givenMessage(4, { details: { kind: "call", isVideo: false } });
    const told = [givenMessage(1), givenMessage(2), givenMessage(3), call, givenMessage(5)];
    const unread = { count: 2, lastMessageId: messageIdOf(5) };
    expect(rowsOf(told, { ...noMark, unread })).toBe("[20] 1 2 [unread] 3| 4| 5|");
  });

  test("is above the first unread message of the customer", () => {
    expect(lines(1, messageIdOf(5))).toBe("[20] 1 2| 3| 4 [unread] 5|");
    expect(lines(3, messageIdOf(5))).toBe("[20] 1 [unread] 2| 3| 4 5|");
  });

  test("does not move when more arrives", () => {
    expect(lines(1, messageIdOf(4))).toBe("[20] 1 2| 3| [unread] 4 5|");
  });

  test("is hidden while its place is not loaded", () => {
    expect(lines(9, messageIdOf(5), true)).toBe("1 2| 3| 4 5|");
  });
});

describe("an entry between messages", () => {
  const step = (kind: "waiting" | "started" | "resolved", n: number) => ({
    kind,
    key: `${kind} ${n}`,
    at: givenMessage(n).createdAt,
    name: null,
  });
  const entries = [step("waiting", 1), step("started", 3), step("resolved", 9)];
  const messages = [givenMessage(2), givenMessage(3), givenMessage(4)];

  test("is placed by time, and ends a group", () => {
    const rows = "[20] (waiting) 2 3| (started) 4| (resolved)";
    expect(rowsOf(messages, { ...noMark, entries })).toBe(rows);
  });

  test("waits for its page", () => {
    const options = { ...noMark, entries, hasMore: true, hasNewer: true };
    expect(rowsOf(messages, options)).toBe("2 3| (started) 4|");
  });

  test("is placed below its own day", () => {
    const late = { ...step("resolved", 1), at: at("21", "09:00").createdAt };
    expect(rowsOf(messages, { ...noMark, entries: [late] })).toBe("[20] 2 3 4| [21] (resolved)");
  });
});

describe("groups of several authors", () => {
  const from = (n: number, contactId: number) => givenMessage(n, { contactId });
  const starts = (rows: readonly MessageRow[]): boolean[] =>
    rows.flatMap((row) => (row.kind === "message" ? [row.startsGroup] : []));

  test("another author starts a new one", () => {
    const rows = messageRows(listedMessages([from(1, 7), from(2, 7), from(3, 8)], []), noMark);
    expect(starts(rows)).toEqual([true, false, true]);
  });

  test("an older page keeps the name on the former first message", () => {
    const pageStarts = new Set([messageIdOf(2)]);
    const rows = messageRows(listedMessages([from(1, 7), from(2, 7)], []), {
      ...noMark,
      pageStarts,
    });
    expect(starts(rows)).toEqual([true, true]);
  });
});

describe("an unsent message", () => {
  test("is the last row", () => {
    const items = listedMessages([givenMessage(1)], [unsentMessage("a"), unsentMessage("b")]);
    expect(show(messageRows(items, noMark))).toBe("[20] 1| a b|");
  });

  test("is shown once if the server has it already", () => {
    const clientId = messageIdOf(77);
    const stored = givenMessage(1, { fromMe: true, clientId });
    const items = listedMessages([stored], [unsentMessage(clientId)]);
    expect(show(messageRows(items, noMark))).toBe("[20] 1|");
  });

  test("keeps its row when it arrives", () => {
    const clientId = messageIdOf(77);
    const before = messageRows(listedMessages([], [unsentMessage(clientId)]), noMark);
    const stored = givenMessage(1, { fromMe: true, clientId });
    const after = messageRows(listedMessages([stored], []), noMark);
    expect(after.at(-1)?.key).toBe(before.at(-1)?.key);
  });
});

describe("the line of the wait", () => {
  const messages = [
    givenMessage(1),
    givenMessage(2, { fromMe: true }),
    givenMessage(3),
    givenMessage(4),
  ];
  const since = (n: number) => ({ ...noMark, waitingSince: givenMessage(n).createdAt });

  test("stands before the first message that nobody answered", () => {
    expect(rowsOf(messages, since(3))).toBe("[20] 1| 2| [waiting] 3 4|");
    expect(rowsOf(messages)).toBe("[20] 1| 2| 3 4|");
  });

  test("waits until that message is loaded", () => {
    const options = { ...since(1), hasMore: true };
    expect(rowsOf(messages.slice(2), options)).toBe("3 4|");
    expect(rowsOf(messages, options)).toBe("[waiting] 1| 2| 3 4|");
  });
});
