import type { CompanyId, ConnectionId, ConnectionStatus, SimulatorNetwork } from "@balcao/contract";
import { simulatorNetwork } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Random } from "../../platform/sources.ts";
import type { Address, NumberAnswer } from "../port.ts";

/** A simulated connection: the company's phone number on the network. */
export type LineRef = { companyId: CompanyId; connectionId: ConnectionId };

export type Line = {
  linked: boolean;
  network: SimulatorNetwork;
  /** The database's clock at this moment. */
  readAt: Date;
};

export type LineConnection = {
  connectionId: ConnectionId;
  name: string;
  status: ConnectionStatus;
  qrcode: string;
  linked: boolean | null;
  network: unknown;
};

const defaultNetwork: SimulatorNetwork = {
  online: true,
  delayMs: 0,
  sendMode: "deliver",
  autoDeliver: true,
  autoRead: false,
  mediaMode: "deliver",
};

/** Some of the network's settings. */
type NetworkChange = { [K in keyof SimulatorNetwork]?: SimulatorNetwork[K] | undefined };

/** The settings with a change. */
export function withChange(network: SimulatorNetwork, change: NetworkChange): SimulatorNetwork {
  return {
    online: change.online ?? network.online,
    delayMs: change.delayMs ?? network.delayMs,
    sendMode: change.sendMode ?? network.sendMode,
    autoDeliver: change.autoDeliver ?? network.autoDeliver,
    autoRead: change.autoRead ?? network.autoRead,
    mediaMode: change.mediaMode ?? network.mediaMode,
  };
}

/** The stored settings: those that differ from the defaults, or nothing. */
export function networkOf(stored: unknown): SimulatorNetwork {
  return withChange(defaultNetwork, simulatorNetwork.partial().parse(stored ?? {}));
}

/** A line's number on the network, derived from its connection. */
export function lineNumber(connectionId: ConnectionId): string {
  return `55119${String(40_000_000 + connectionId).slice(-8)}`;
}

const readLineStatement = {
  name: "simulator-line",
  text: `select coalesce(line.linked, false) as linked, line.network, now() as "readAt"
           from (values ($1::int, $2::int)) as wanted (company_id, connection_id)
           left join simulator_lines line using (company_id, connection_id)`,
};

/** The line; an untouched one is unlinked and on a good network. */
export async function readLine(tx: Tx, line: LineRef): Promise<Line> {
  const [row] = await tx.query<{ linked: boolean; network: unknown; readAt: Date }>(
    readLineStatement,
    [line.companyId, line.connectionId],
  );
  if (!row) throw new Error("the line was not read");
  return { ...row, network: networkOf(row.network) };
}

/** Shows a code to scan, or none. False: the line is linked already. */
export async function showPairingCode(tx: Tx, line: LineRef, code: string | null) {
  const rows = await tx.query(sql`
    insert into simulator_lines (company_id, connection_id, pairing_code)
    values (${line.companyId}, ${line.connectionId}, ${code})
    on conflict (connection_id) do update set pairing_code = excluded.pairing_code, updated_at = now()
      where simulator_lines.company_id = ${line.companyId} and not simulator_lines.linked
    returning 1`);
  return rows.length > 0;
}

/** The company's phone scans a code. False: it is not the shown one. */
export async function scanPairingCode(tx: Tx, line: LineRef, code: string): Promise<boolean> {
  const rows = await tx.query(sql`
    update simulator_lines set linked = true, pairing_code = null, updated_at = now()
     where company_id = ${line.companyId} and connection_id = ${line.connectionId}
       and not linked and pairing_code = ${code}
    returning 1`);
  return rows.length > 0;
}

/** Links the line without a scan, for demo data and tests. */
export async function linkLine(tx: Tx, line: LineRef): Promise<void> {
  await tx.query(sql`
    insert into simulator_lines (company_id, connection_id, linked)
    values (${line.companyId}, ${line.connectionId}, true)
    on conflict (connection_id) do update set linked = true, pairing_code = null, updated_at = now()
      where simulator_lines.company_id = ${line.companyId}`);
}

/** Removes the link, from either side. False: the line was not linked. */
export async function unlinkLine(tx: Tx, line: LineRef): Promise<boolean> {
  const rows = await tx.query<{ wasLinked: boolean }>(sql`
    update simulator_lines line set linked = false, pairing_code = null, updated_at = now()
      from (select linked from simulator_lines
             where company_id = ${line.companyId} and connection_id = ${line.connectionId}
               for update) as before
     where line.company_id = ${line.companyId} and line.connection_id = ${line.connectionId}
    returning before.linked as "wasLinked"`);
  return rows[0]?.wasLinked ?? false;
}

export async function changeNetwork(tx: Tx, line: LineRef, change: NetworkChange): Promise<void> {
  await tx.query(sql`
    insert into simulator_lines (company_id, connection_id, network)
    values (${line.companyId}, ${line.connectionId}, ${JSON.stringify(change)}::jsonb)
    on conflict (connection_id) do update
       set network = simulator_lines.network || excluded.network, updated_at = now()
      where simulator_lines.company_id = ${line.companyId}`);
}

/** The company's simulated connections; with an id only that one. */
export async function readLineConnections(
  tx: Tx,
  companyId: CompanyId,
  only?: ConnectionId,
): Promise<LineConnection[]> {
  return tx.query<LineConnection>(connectionsStatement, [companyId, only ?? null]);
}

const connectionsStatement = {
  name: "simulator-connections",
  text: `select c.id as "connectionId", c.name, c.status, c.qrcode, line.linked, line.network
           from connections c
           left join simulator_lines line on line.company_id = c.company_id and line.connection_id = c.id
          where c.company_id = $1 and c.channel = 'simulator' and c.deleted_at is null and ($2::int is null or c.id = $2)
          order by c.id`,
};

/** Phones are shorter than this, groups are not. */
const GROUP_DIGITS = 16;
const GROUP_PREFIX = "120363";

/** The address of a conversation: a customer's phone, or a group. */
export function addressOf(chat: string): Address {
  return { kind: isGroupNumber(chat) ? "group" : "pn", value: chat };
}

/** The conversation of an address on this network, null for any other text. */
export function chatOfAddress({ kind, value }: Address): string | null {
  if (kind === "pn") return /^\d{8,15}$/.test(value) ? value : null;
  return kind === "group" && /^\d{16,20}$/.test(value) ? value : null;
}

export function isGroupNumber(chat: string): boolean {
  return chat.length >= GROUP_DIGITS;
}

export function newGroupNumber(random: { integer(min: number, max: number): number }): string {
  return `${GROUP_PREFIX}${random.integer(100_000, 1_000_000)}${random.integer(100_000, 1_000_000)}`;
}

/** The number and, for a Brazilian mobile, the same one with or without its ninth digit. */
export function formsOf(phone: string): string[] {
  const long = /^55(\d\d)9([6-9]\d{7})$/.exec(phone);
  if (long) return [phone, `55${long[1]}${long[2]}`];
  const short = /^55(\d\d)([6-9]\d{7})$/.exec(phone);
  return short ? [phone, `55${short[1]}9${short[2]}`] : [phone];
}

const findPhones = {
  name: "simulator-find-phones",
  text: `select phone from simulator_customers
          where company_id = $1 and connection_id = $2 and phone = any ($3) and members is null`,
};

async function readKnown(tx: Tx, line: LineRef, phones: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ phone: string }>(findPhones, [
    line.companyId,
    line.connectionId,
    phones,
  ]);
  return new Set(rows.map(({ phone }) => phone));
}

/** The phone in the form that the network has, else unchanged. */
export async function readAccount(tx: Tx, line: LineRef, phone: string): Promise<string> {
  const forms = formsOf(phone);
  if (forms.length === 1) return phone;
  const known = await readKnown(tx, line, forms);
  return forms.find((form) => known.has(form)) ?? phone;
}

/** A number without country code is a Brazilian one; those that end in 0000 are not on the network. */
export async function checkAccounts(
  tx: Tx,
  line: LineRef,
  asked: readonly string[],
): Promise<NumberAnswer[]> {
  const numbers = asked.map((digits) => ({ asked: digits, number: withCountry(digits) }));
  const known = await readKnown(
    tx,
    line,
    numbers.flatMap(({ number }) => formsOf(number)),
  );
  return numbers.map((entry) => ({
    asked: entry.asked,
    exists: !entry.number.endsWith("0000"),
    number: formsOf(entry.number).find((form) => known.has(form)) ?? entry.number,
  }));
}

function withCountry(digits: string): string {
  return digits.length === 10 || digits.length === 11 ? `55${digits}` : digits;
}

/** Prefix of the wake-ups between the customers' calls and the process that owns the line. */
export const LINE_TOPIC = "simulator:";

/** A person's activity in a chat; `author` is the member of a group. */
export type Typing = {
  phone: string;
  state: "composing" | "recording" | "paused";
  author: string | null;
};

function lineTopic(connectionId: ConnectionId): string {
  return `${LINE_TOPIC}${connectionId}`;
}

/** Typing is reported only to current listeners, so the wake-up itself carries it. */
function typingTopic(connectionId: ConnectionId, { phone, state, author }: Typing): string {
  return `${LINE_TOPIC}${connectionId}:${phone}:${state}:${author ?? ""}`;
}

export function parseLineTopic(topic: string): { connectionId: ConnectionId; typing?: Typing } {
  const [id, phone, state, author] = topic.slice(LINE_TOPIC.length).split(":");
  const connectionId = Number(id) as ConnectionId;
  if (phone === undefined) return { connectionId };
  const isActive = state === "composing" || state === "recording";
  const typing = { phone, state: isActive ? state : "paused", author: author || null } as const;
  return { connectionId, typing };
}

type Change = { companyId: CompanyId; connectionId: ConnectionId; phone: string | null };

const GATHER_MS = 50;

/** Reports changes to the simulator pages of a company; changes of a chat at nearly the same time are one. */
export class Changes {
  readonly #realtime: Realtime;
  readonly #gathered = new Map<string, Change>();
  #timer: NodeJS.Timeout | undefined;

  constructor(realtime: Realtime) {
    this.#realtime = realtime;
  }

  /** `phone` null: the line itself. */
  notice(companyId: CompanyId, connectionId: ConnectionId, phone: string | null): void {
    this.#gathered.set(`${connectionId}:${phone ?? ""}`, { companyId, connectionId, phone });
    this.#timer ??= setTimeout(() => this.#publish(), GATHER_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#gathered.clear();
  }

  #publish(): void {
    this.#timer = undefined;
    const changes = [...this.#gathered.values()];
    this.#gathered.clear();
    for (const { companyId, connectionId, phone } of changes) {
      const audience = [rooms.holders(companyId, "simulator:use")];
      this.#realtime.publish(companyId, "simulator", { connectionId, phone }, audience);
    }
  }
}

export type Lines = {
  /** Runs with a simulated connection of the company; any other id is "not found". */
  on<T>(
    scope: { companyId: CompanyId },
    connectionId: ConnectionId,
    work: (tx: Tx, line: LineRef, connection: LineConnection) => Promise<T>,
  ): Promise<T>;
  /** After the commit, notifies the line's owner and the pages; `phone` null: the line itself. */
  changed(tx: Tx, line: LineRef, phone: string | null): void;
  /** After the commit, reports a person's activity to the line's owner. */
  typed(tx: Tx, line: LineRef, typing: Typing): void;
  /** A new id for a customer's message or change. */
  newId(): string;
  random: Random;
};

export function createLines({
  db,
  wake,
  changes,
  random,
}: {
  db: Database;
  wake: Wake;
  changes: Changes;
  random: Random;
}): Lines {
  return {
    on: ({ companyId }, connectionId, work) =>
      db.transaction({ companyId }, async (tx) => {
        const [connection] = await readLineConnections(tx, companyId, connectionId);
        if (!connection) throw new DomainError("ERR_NO_WAPP_FOUND");
        return work(tx, { companyId, connectionId }, connection);
      }),
    changed: (tx, line, phone) => {
      wake.notify(tx, lineTopic(line.connectionId));
      tx.onCommit(() => changes.notice(line.companyId, line.connectionId, phone));
    },
    typed: (tx, line, typing) => wake.notify(tx, typingTopic(line.connectionId, typing)),
    newId: () => `SIM${random.hex(9).toUpperCase()}`,
    random,
  };
}
