import type {
  CompanyId,
  ConnectionId,
  ContactId,
  MessageId,
  PlanFlags,
  Profile,
  QueueId,
  SettingKey,
  TicketId,
  TicketStatus,
  UserId,
} from "@balcao/contract";
import { sql } from "drizzle-orm";
import { linkLine } from "../channels/simulator/line.ts";
import { hashPassword } from "../features/auth/index.ts";
import type { Tokens } from "../features/auth/tokens.ts";
import { createTokens } from "../features/auth/tokens.ts";
import {
  buildCompany,
  buildConnection,
  buildContact,
  buildMessage,
  buildPlan,
  buildQueue,
  buildTicket,
  buildUser,
} from "../features/provisioning/index.ts";
import { findAccount } from "../features/users/index.ts";
import type { Tx } from "../platform/db/database.ts";
import type { Sources } from "../platform/sources.ts";
import type { TestDatabase } from "./database.ts";

export const PASSWORD = "segredo-123";
const passwordHash = hashPassword(PASSWORD);

export type GivenCompany = { id: CompanyId; name: string };
export type GivenUser = {
  id: UserId;
  companyId: CompanyId;
  name: string;
  email: string;
  /** A valid access token. */
  token: string;
};
export type GivenTicket = {
  id: TicketId;
  uuid: string;
  companyId: CompanyId;
  contactId: ContactId;
  connectionId: ConnectionId;
  phone: string;
};

export type UserWish = {
  company?: GivenCompany;
  name?: string;
  queueIds?: QueueId[];
  allTicket?: "enabled" | "desabled";
  super?: boolean;
};
export type TicketWish = {
  connectionId?: ConnectionId;
  contactName?: string;
  phone?: string;
  status?: TicketStatus;
  userId?: UserId | null;
  queueId?: QueueId | null;
  servedBy?: { userId?: UserId | null; queueId?: QueueId | null };
  at?: Date;
};

export type Given = ReturnType<typeof createGiven>;

type GivenDeps = TestDatabase & { sources: Sources; idle(): Promise<void> };

let made = 0;
/** A number that no other thing of this process has. */
export function unique(): number {
  made += 1;
  return made;
}

/** Makers of what a test starts from. Each company is a world of its own; names are unique. */
export function createGiven({ db, secrets, sources, idle }: GivenDeps) {
  const tokens = createTokens({ secrets, clock: sources.clock });

  async function company(
    wish: {
      plan?: Partial<PlanFlags> & { users?: number; connections?: number; queues?: number };
      settings?: Partial<Record<SettingKey, string>>;
      timeZone?: string;
      dueDate?: Date | null;
    } = {},
  ): Promise<GivenCompany> {
    const name = `Empresa ${unique()}`;
    const { plan = {}, dueDate = new Date("2099-12-31T00:00:00Z"), ...columns } = wish;
    const id = await db.acrossCompanies(async (tx) =>
      buildCompany(tx, {
        name,
        email: "contato@empresa.example",
        planId: await buildPlan(tx, { name: `Plano de ${name}`, ...plan }),
        dueDate,
        ...columns,
      }),
    );
    return { id, name };
  }

  let home: Promise<GivenCompany> | undefined;
  /** The company of whoever does not name one. */
  const ownCompany = (): Promise<GivenCompany> => (home ??= company());

  async function user(profile: Profile, wish: UserWish): Promise<GivenUser> {
    const { id: companyId } = wish.company ?? (await ownCompany());
    const number = unique();
    const name = wish.name ?? `Pessoa ${number}`;
    const email = `pessoa${number}@empresa.example`;
    const hash = await passwordHash;
    return db.acrossCompanies(async (tx) => {
      const id = await buildUser(tx, {
        companyId,
        name,
        email,
        passwordHash: hash,
        profile,
        super: wish.super ?? false,
        allTicket: wish.allTicket ?? "desabled",
        queueIds: wish.queueIds ?? [],
      });
      const user = { id, companyId, name, email };
      return { ...user, token: await signToken(tx, user, tokens) };
    });
  }

  async function connection(
    wish: { company?: GivenCompany; name?: string; queueIds?: QueueId[]; linked?: boolean } = {},
  ): Promise<ConnectionId> {
    const { id: companyId } = wish.company ?? (await ownCompany());
    return db.acrossCompanies(async (tx) => {
      const connectionId = await buildConnection(tx, {
        companyId,
        name: wish.name ?? `Conexão ${unique()}`,
        channel: "simulator",
        queueIds: wish.queueIds ?? [],
        wanted: wish.linked ?? true,
      });
      if (wish.linked ?? true) await linkLine(tx, { companyId, connectionId });
      return connectionId;
    });
  }

  async function ticket(wish: TicketWish & { company?: GivenCompany } = {}): Promise<GivenTicket> {
    const owner = wish.company ?? (await ownCompany());
    const connectionId = wish.connectionId ?? (await connection({ company: owner, linked: false }));
    const phone = wish.phone ?? `55119${String(10_000_000 + unique()).slice(0, 8)}`;
    return db.acrossCompanies(async (tx) => {
      const contactId = await buildContact(tx, {
        companyId: owner.id,
        name: wish.contactName ?? `Cliente ${unique()}`,
        number: phone,
      });
      const id = await buildTicket(tx, sources, {
        companyId: owner.id,
        contactId,
        connectionId,
        status: wish.status ?? "pending",
        userId: wish.userId ?? null,
        queueId: wish.queueId ?? null,
        servedBy: wish.servedBy ?? {},
        at: wish.at ?? sources.clock.now(),
      });
      const [row] = await tx.query<{ uuid: string }>(
        sql`select uuid from tickets where id = ${id}`,
      );
      if (!row) throw new Error("the ticket is not there");
      return { id, uuid: row.uuid, companyId: owner.id, contactId, connectionId, phone };
    });
  }

  return {
    company,
    admin: (wish: UserWish = {}) => user("admin", wish),
    agent: (wish: UserWish = {}) => user("user", wish),
    supervisor: (wish: UserWish = {}) => user("supervisor", wish),
    connection,
    ticket,

    async queue(wish: { company?: GivenCompany; name?: string } = {}): Promise<QueueId> {
      const { id: companyId } = wish.company ?? (await ownCompany());
      const number = unique();
      const color = `#${number.toString(16).padStart(6, "0")}`;
      return db.acrossCompanies((tx) =>
        buildQueue(tx, { companyId, name: wish.name ?? `Fila ${number}`, color }),
      );
    },

    /** A new access token of the user's present session; `at` is when it was issued. */
    token(of: Pick<GivenUser, "id" | "companyId">, { at }: { at?: Date } = {}): Promise<string> {
      const clock = at === undefined ? sources.clock : { now: () => at };
      return db.acrossCompanies((tx) => signToken(tx, of, createTokens({ secrets, clock })));
    },

    /** A message of a ticket, without a channel: history. */
    message(
      of: GivenTicket,
      wish: {
        body?: string;
        fromMe?: boolean;
        at?: Date;
        read?: boolean;
        queueId?: QueueId | null;
        failedCode?: string;
      } = {},
    ): Promise<MessageId> {
      const {
        body = `Mensagem ${unique()}`,
        fromMe = false,
        at = sources.clock.now(),
        ...rest
      } = wish;
      return db.acrossCompanies((tx) =>
        buildMessage(tx, sources, { ...of, ticketId: of.id, body, fromMe, at, ...rest }),
      );
    },

    /** Resolves when everything that was set off has been done. */
    idle,
  };
}

async function signToken(
  tx: Tx,
  { id, companyId }: Pick<GivenUser, "id" | "companyId">,
  tokens: Tokens,
): Promise<string> {
  const account = await findAccount(tx, companyId, id);
  if (!account) throw new Error("the user is not there");
  return tokens.signAccess(account, null);
}
