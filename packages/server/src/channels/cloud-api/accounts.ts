import type { CloudApiCredentials, CompanyId, Connection, ConnectionId } from "@balcao/contract";
import { z } from "zod";
import type { Ctx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { Sources } from "../../platform/sources.ts";
import type { Graph, GraphAccess } from "./graph.ts";
import { GraphError } from "./graph.ts";

/** A connection of a company. */
export type CloudLine = { companyId: CompanyId; connectionId: ConnectionId };

/** The account at Meta with its decrypted secrets: never leaves the channel. */
export type CloudAccount = {
  phoneNumberId: string;
  businessAccountId: string;
  accessToken: string;
  appSecret: string;
  verifyToken: string;
  webhookKey: string;
};

type SealedRow = {
  phoneNumberId: string;
  businessAccountId: string;
  accessToken: Buffer;
  appSecret: Buffer;
  verifyToken: Buffer;
  webhookKey: string;
};

const columns = `a.phone_number_id as "phoneNumberId", a.business_account_id as "businessAccountId",
  a.access_token as "accessToken", a.app_secret as "appSecret", a.verify_token as "verifyToken",
  a.webhook_key as "webhookKey"`;

const readStatement = {
  name: "cloud-account-read",
  text: `select ${columns} from cloud_accounts a where a.company_id = $1 and a.connection_id = $2`,
};
const readAllStatement = {
  name: "cloud-accounts-read",
  text: `
select ${columns}, a.connection_id as "connectionId"
from cloud_accounts a join connections c on c.company_id = a.company_id and c.id = a.connection_id
where a.company_id = $1 and c.deleted_at is null`,
};
const servingStatement = {
  name: "cloud-account-serving",
  text: `
select ${columns} from cloud_accounts a
join connections c on c.company_id = a.company_id and c.id = a.connection_id
where a.company_id = $1 and a.connection_id = $2 and c.channel = 'cloud-api' and c.deleted_at is null`,
};
const byKeyStatement = {
  name: "cloud-account-by-key",
  text: `
select ${columns}, a.company_id as "companyId", a.connection_id as "connectionId"
from cloud_accounts a join connections c on c.company_id = a.company_id and c.id = a.connection_id
where a.webhook_key = $1 and c.channel = 'cloud-api' and c.deleted_at is null`,
};
const saveStatement = {
  name: "cloud-account-save",
  text: `
insert into cloud_accounts
  (company_id, connection_id, phone_number_id, business_account_id, access_token, app_secret, verify_token, webhook_key)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (connection_id) do update set
  phone_number_id = excluded.phone_number_id, business_account_id = excluded.business_account_id,
  access_token = excluded.access_token, app_secret = excluded.app_secret, verify_token = excluded.verify_token,
  updated_at = now()
where cloud_accounts.company_id = excluded.company_id`,
};

/** A connection's account; null when it has none. */
export async function readAccount(
  tx: Tx,
  seal: Seal,
  { companyId, connectionId }: CloudLine,
): Promise<CloudAccount | null> {
  const [row] = await tx.query<SealedRow>(readStatement, [companyId, connectionId]);
  return row ? opened(seal, connectionId, row) : null;
}

/** The same; also null while the connection uses another channel. */
export async function readServingAccount(
  tx: Tx,
  seal: Seal,
  { companyId, connectionId }: CloudLine,
): Promise<CloudAccount | null> {
  const [row] = await tx.query<SealedRow>(servingStatement, [companyId, connectionId]);
  return row ? opened(seal, connectionId, row) : null;
}

/** The accounts of all connections of a company. */
async function readAccounts(
  tx: Tx,
  seal: Seal,
  { companyId }: Pick<CloudLine, "companyId">,
): Promise<Map<ConnectionId, CloudAccount>> {
  const rows = await tx.query<SealedRow & { connectionId: ConnectionId }>(readAllStatement, [
    companyId,
  ]);
  return new Map(
    rows.map((row) => [row.connectionId, opened(seal, row.connectionId, row)] as const),
  );
}

/** The account and its company by the webhook address; null for an unknown address. */
export async function findByWebhookKeyAcrossCompanies(
  db: Database,
  seal: Seal,
  key: string,
): Promise<(CloudLine & { account: CloudAccount }) | null> {
  const [row] = await db.readAcrossCompanies<SealedRow & CloudLine>(byKeyStatement, [key]);
  if (!row) return null;
  const { companyId, connectionId } = row;
  return { companyId, connectionId, account: opened(seal, connectionId, row) };
}

export async function saveAccount(
  tx: Tx,
  seal: Seal,
  { companyId, connectionId }: CloudLine,
  account: CloudAccount,
): Promise<void> {
  const sealed = (what: Secret) =>
    seal.close(Buffer.from(account[what]), purpose(connectionId, what));
  await tx.query(saveStatement, [
    companyId,
    connectionId,
    account.phoneNumberId,
    account.businessAccountId,
    sealed("accessToken"),
    sealed("appSecret"),
    sealed("verifyToken"),
    account.webhookKey,
  ]);
}

type Secret = "accessToken" | "appSecret" | "verifyToken";

const purpose = (connectionId: ConnectionId, what: Secret): string =>
  `cloud-account:${connectionId}:${what}`;

function opened(seal: Seal, connectionId: ConnectionId, row: SealedRow): CloudAccount {
  const open = (what: Secret) => seal.open(row[what], purpose(connectionId, what)).toString("utf8");
  return {
    phoneNumberId: row.phoneNumberId,
    businessAccountId: row.businessAccountId,
    accessToken: open("accessToken"),
    appSecret: open("appSecret"),
    verifyToken: open("verifyToken"),
    webhookKey: row.webhookKey,
  };
}

/** The part of an account that admins see; its secrets never leave the server. */
type ShownCloudAccount = NonNullable<Connection["cloudApi"]>;

export type CloudAccounts = {
  /**
   * An omitted or blank secret keeps its value; an omitted first verify token is generated. Throws ERR_WAPP_CREDENTIALS
   * when another secret is missing.
   */
  saveCloudAccount(
    tx: Tx,
    ctx: Ctx,
    connectionId: ConnectionId,
    credentials: CloudApiCredentials,
  ): Promise<void>;
  readCloudAccount(tx: Tx, ctx: Ctx, connectionId: ConnectionId): Promise<ShownCloudAccount | null>;
  /** The accounts of all connections of the company. */
  readCloudAccounts(tx: Tx, ctx: Ctx): Promise<ReadonlyMap<ConnectionId, ShownCloudAccount>>;
  /**
   * Asks Meta for the number; an omitted token is the connection's stored one. It waits, so call it outside of
   * transactions. Throws ERR_WAPP_CREDENTIALS when Meta refuses them, or does not answer in time.
   */
  checkCredentials(
    ctx: Ctx,
    connectionId: ConnectionId | null,
    credentials: CloudApiCredentials,
  ): Promise<void>;
};

type AccountsDeps = {
  db: Database;
  seal: Seal;
  graph: Graph;
  sources: Pick<Sources, "ids" | "random">;
  /** The product's public address for Meta; when undefined, the webhook's address is relative. */
  publicUrl: string | undefined;
  log: Logger;
};

export const WEBHOOK_PATH = "/webhooks/cloud-api";

/** The connections' accounts at Meta. */
export function createAccounts(deps: AccountsDeps): CloudAccounts {
  const { db, seal, graph, sources, publicUrl = "", log } = deps;

  return {
    async saveCloudAccount(tx, { companyId }, connectionId, credentials) {
      const line = { companyId, connectionId };
      const known = await readAccount(tx, seal, line);
      const accessToken = credentials.accessToken || known?.accessToken;
      const appSecret = credentials.appSecret || known?.appSecret;
      if (!accessToken || !appSecret) throw new DomainError("ERR_WAPP_CREDENTIALS");
      await saveAccount(tx, seal, line, {
        phoneNumberId: credentials.phoneNumberId,
        businessAccountId: credentials.businessAccountId,
        accessToken,
        appSecret,
        verifyToken: credentials.verifyToken || known?.verifyToken || sources.random.hex(16),
        webhookKey: known?.webhookKey ?? sources.ids.uuid(),
      });
    },

    async readCloudAccount(tx, { companyId }, connectionId) {
      const account = await readAccount(tx, seal, { companyId, connectionId });
      return account && shown(account);
    },

    async readCloudAccounts(tx, ctx) {
      const accounts = await readAccounts(tx, seal, ctx);
      return new Map([...accounts].map(([id, account]) => [id, shown(account)] as const));
    },

    async checkCredentials(ctx, connectionId, { phoneNumberId, accessToken }) {
      const token = accessToken || (await storedToken(ctx, connectionId));
      if (!token) throw new DomainError("ERR_WAPP_CREDENTIALS");
      try {
        await readNumber(graph, { phoneNumberId, accessToken: token });
      } catch (error) {
        if (!(error instanceof GraphError)) throw error;
        log.info({ err: error, companyId: ctx.companyId }, "credentials were not taken by Meta");
        throw new DomainError("ERR_WAPP_CREDENTIALS");
      }
    },
  };

  function shown(account: CloudAccount): ShownCloudAccount {
    const { phoneNumberId, businessAccountId, verifyToken, webhookKey } = account;
    const webhookUrl = `${publicUrl}${WEBHOOK_PATH}/${webhookKey}`;
    return { phoneNumberId, businessAccountId, verifyToken, webhookUrl };
  }

  async function storedToken(
    { companyId }: Ctx,
    connectionId: ConnectionId | null,
  ): Promise<string | undefined> {
    if (connectionId === null) return undefined;
    const account = await db.transaction({ companyId }, (tx) =>
      readAccount(tx, seal, { companyId, connectionId }),
    );
    return account?.accessToken;
  }
}

const numberInfo = z.looseObject({ display_phone_number: z.string() });

/** The digits of the account's number, as Meta shows it. Throws GraphError. */
export async function readNumber(
  graph: Graph,
  { phoneNumberId, accessToken }: GraphAccess & { phoneNumberId: string },
  signal?: AbortSignal,
): Promise<string> {
  const answer = await graph.call(
    { accessToken },
    {
      method: "GET",
      path: phoneNumberId,
      query: { fields: "display_phone_number,verified_name,quality_rating" },
      ...(signal ? { signal } : {}),
    },
  );
  return numberInfo.parse(answer).display_phone_number.replaceAll(/\D/g, "");
}
