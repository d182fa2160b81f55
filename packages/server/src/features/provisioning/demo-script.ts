import { tz } from "@date-fns/tz";
import { addSeconds } from "date-fns/addSeconds";
import { constructFrom } from "date-fns/constructFrom";
import { set } from "date-fns/set";
import { startOfSecond } from "date-fns/startOfSecond";
import { subDays } from "date-fns/subDays";
import { subMinutes } from "date-fns/subMinutes";
import type { DemoFileName } from "./demo-files.ts";

/** The demo's people and records by name: the names are unique in the demo company and serve as keys. */
export type QueueName = "Vendas" | "Suporte" | "Financeiro";
export type TagName = "Cliente VIP" | "Troca" | "Pós-venda" | "Orçamento";
export type AgentName = "Marina Prado" | "Caio Nunes" | "Beatriz Lopes";

type Line = {
  /** An agent, or null for the customer. */
  agent: AgentName | null;
  /** The text on the customer's screen, without the agent's signature. */
  text: string;
  /** The pause before it; absent: the time it takes to read and type. */
  afterMinutes?: number;
  /** For an agent's line. Absent: read if the customer wrote later, else delivered. */
  ack?: number;
  /** An agent's line that the network refused. */
  failed?: true;
  /** An attached file; the text is its caption. */
  file?: DemoFileName;
  /** It replies to the line that stands this many lines before it. */
  repliesBack?: number;
  /** The reaction of the other side: the customer, or the agent who serves the ticket. */
  reaction?: string;
  /** The text is the edited one. */
  edited?: true;
  deleted?: true;
};

/** The time of a block: it starts at a wall-clock time some days ago, or ends some minutes ago. */
type When = { daysAgo: number; time: `${number}:${number}` } | { endedMinutesAgo: number };
type Block = { when: When; lines: Line[] };

/** One attendance of the ticket; `unread` counts the customer's last lines. */
type Attendance =
  | { status: "open"; agent: AgentName; queue: QueueName; unread: number }
  | { status: "pending"; queue: QueueName | null }
  | { status: "closed"; agent: AgentName; queue: QueueName };
type Cycle = Attendance & { blocks: Block[] };

type Person = {
  customer: string;
  /** Digits with country code; such numbers are never assigned. */
  phone: `55119${number}`;
  tags?: readonly TagName[];
};
/** The whole history of one customer. All cycles but the last are closed. */
export type Conversation = Person & { cycles: Cycle[] };

type Entry = Person | Attendance | When | Line;

/** Groups a script: a customer, an attendance and a time apply to all lines until the next one of their kind. */
export function readScript(script: readonly Entry[]): Conversation[] {
  const conversations: Conversation[] = [];
  const cycles = () => lastOf(conversations).cycles;
  for (const entry of script) {
    if ("customer" in entry) conversations.push({ ...entry, cycles: [] });
    else if ("status" in entry) cycles().push({ ...entry, blocks: [] });
    else if ("text" in entry) lastOf(lastOf(cycles()).blocks).lines.push(entry);
    else lastOf(cycles()).blocks.push({ when: entry, lines: [] });
  }
  return conversations;
}

function lastOf<T>(list: readonly T[]): T {
  const last = list.at(-1);
  if (last === undefined) throw new Error("the demo's script has a line without customer or time");
  return last;
}

export const conversation = (
  customer: string,
  phone: Person["phone"],
  ...tags: readonly TagName[]
): Person => ({ customer, phone, ...(tags.length > 0 && { tags }) });

export const open = (agent: AgentName, queue: QueueName, unread: number): Attendance => ({
  status: "open",
  agent,
  queue,
  unread,
});
export const pending = (queue: QueueName | null): Attendance => ({ status: "pending", queue });
export const closed = (agent: AgentName, queue: QueueName): Attendance => ({
  status: "closed",
  agent,
  queue,
});

/** `from(1, "10:12")`: the first line was written yesterday at twelve past ten. */
export const from = (daysAgo: number, time: `${number}:${number}`): When => ({ daysAgo, time });
/** `until(4)`: the last line is four minutes old. */
export const until = (endedMinutesAgo: number): When => ({ endedMinutesAgo });

export const customer = (text: string): Line => ({ agent: null, text });
export const marina = (text: string): Line => ({ agent: "Marina Prado", text });
export const caio = (text: string): Line => ({ agent: "Caio Nunes", text });
export const beatriz = (text: string): Line => ({ agent: "Beatriz Lopes", text });

export const later = (afterMinutes: number, line: Line): Line => ({ ...line, afterMinutes });
export const acknowledged = (ack: number, line: Line): Line => ({ ...line, ack });
export const refused = (line: Line): Line => ({ ...line, ack: 0, failed: true });
export const withFile = (file: DemoFileName, line: Line): Line => ({ ...line, file });
export const replying = (repliesBack: number, line: Line): Line => ({ ...line, repliesBack });
export const reacted = (reaction: string, line: Line): Line => ({ ...line, reaction });
export const edited = (line: Line): Line => ({ ...line, edited: true });
export const deleted = (line: Line): Line => ({ ...line, deleted: true });

export type DatedLine = Line & { at: Date };
/** A cycle with the time of each line, ascending. */
export type DatedCycle = { cycle: Cycle; lines: readonly DatedLine[] };

/** Minimum gap between blocks of one conversation. */
const BLOCK_GAP_SECONDS = 30 * 60;
/** Minimum age of the newest line. */
const NEWEST_AGE_SECONDS = 60;

/** Dates every line of a conversation before `now`, strictly ascending. */
export function dateConversation(
  conversation: Conversation,
  now: Date,
  timeZone: string,
): DatedCycle[] {
  const dated: DatedCycle[] = [];
  let latest = addSeconds(now, -NEWEST_AGE_SECONDS);
  // From the newest backwards: if blocks would overlap (shortly after midnight), the older one moves back.
  for (const cycle of conversation.cycles.toReversed()) {
    const lines: DatedLine[] = [];
    for (const block of cycle.blocks.toReversed()) {
      const placed = placeBlock(block, now, timeZone, latest);
      lines.unshift(...placed);
      const first = placed[0];
      if (first) latest = addSeconds(first.at, -BLOCK_GAP_SECONDS);
    }
    dated.unshift({ cycle, lines });
  }
  return dated;
}

function placeBlock(block: Block, now: Date, timeZone: string, latest: Date): DatedLine[] {
  const offsets = lineOffsets(block.lines);
  const duration = offsets.at(-1) ?? 0;
  const wanted = blockStart(block.when, duration, now, timeZone);
  const last = addSeconds(latest, -duration);
  const start = startOfSecond(wanted < last ? wanted : last);
  return block.lines.map((line, index) => ({
    ...line,
    at: addSeconds(start, offsets[index] ?? 0),
  }));
}

function blockStart(when: When, durationSeconds: number, now: Date, timeZone: string): Date {
  if ("endedMinutesAgo" in when) {
    return addSeconds(subMinutes(now, when.endedMinutesAgo), -durationSeconds);
  }
  const [hours = 0, minutes = 0] = when.time.split(":").map(Number);
  const day = subDays(now, when.daysAgo, { in: tz(timeZone) });
  return constructFrom(now, set(day, { hours, minutes, seconds: 0, milliseconds: 0 }));
}

/** Seconds from the first line of a block to each line: reading, typing, and the script's pauses. */
function lineOffsets(lines: readonly Line[]): number[] {
  let elapsed = 0;
  return lines.map((line, index) => {
    const previous = lines[index - 1];
    if (previous === undefined) return 0;
    const readingSeconds = previous.agent === line.agent ? 4 : 40;
    const typingSeconds = 6 + Math.round(line.text.length * 0.3);
    elapsed +=
      line.afterMinutes === undefined ? readingSeconds + typingSeconds : line.afterMinutes * 60;
    return elapsed;
  });
}
