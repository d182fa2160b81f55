import type { DemoFileName } from "./demo-files.ts";

/** The words in which the demo conversations are written. Names double as keys: they are unique in the demo company. */
export type QueueName = "Vendas" | "Suporte" | "Financeiro";
export type TagName = "Cliente VIP" | "Troca" | "Pós-venda" | "Orçamento";
export type AgentName = "Marina Prado" | "Caio Nunes" | "Beatriz Lopes";

export type Line = {
  /** An agent, or null for the customer. */
  agent: AgentName | null;
  /** What is on the customer's screen, without the agent's signature. */
  text: string;
  /** Silence before it; absent = the time it takes to read and type. */
  afterMinutes?: number;
  /** An agent's line; absent = read when the customer wrote later, else delivered. */
  ack?: number;
  /** An agent's line that the network refused. */
  failed?: true;
  /** A file goes with it; the text is its caption. */
  file?: DemoFileName;
  /** It answers the line that stands this many lines before it. */
  repliesBack?: number;
  /** How the other side reacts: the customer, or the agent who serves the ticket. */
  reaction?: string;
  /** The text is the one after the edit. */
  edited?: true;
  deleted?: true;
};

/** When a block of lines was written: from a wall-clock time some days ago, or until some minutes ago. */
export type When = { daysAgo: number; time: `${number}:${number}` } | { endedMinutesAgo: number };
export type Block = { when: When; lines: readonly Line[] };

/** One attendance of the ticket; `unread` counts the customer's last lines. */
export type Cycle = { blocks: readonly Block[] } & (
  | { status: "open"; agent: AgentName; queue: QueueName; unread: number }
  | { status: "pending"; queue: QueueName | null }
  | { status: "closed"; agent: AgentName; queue: QueueName }
);

/** The whole history of one customer. All cycles but the last are closed. */
export type Conversation = {
  customer: string;
  /** Digits with country code; no such numbers are given out. */
  phone: `55119${number}`;
  tags?: readonly TagName[];
  cycles: readonly Cycle[];
};

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

/** `from(1, "10:12", …)`: yesterday from twelve past ten. */
export const from = (
  daysAgo: number,
  time: `${number}:${number}`,
  ...lines: readonly Line[]
): Block => ({ when: { daysAgo, time }, lines });

/** `until(4, …)`: the last line is four minutes old. */
export const until = (endedMinutesAgo: number, ...lines: readonly Line[]): Block => ({
  when: { endedMinutesAgo },
  lines,
});

export const open = (
  agent: AgentName,
  queue: QueueName,
  unread: number,
  ...blocks: readonly Block[]
): Cycle => ({ status: "open", agent, queue, unread, blocks });

export const pending = (queue: QueueName | null, ...blocks: readonly Block[]): Cycle => ({
  status: "pending",
  queue,
  blocks,
});

export const closed = (agent: AgentName, queue: QueueName, ...blocks: readonly Block[]): Cycle => ({
  status: "closed",
  agent,
  queue,
  blocks,
});
