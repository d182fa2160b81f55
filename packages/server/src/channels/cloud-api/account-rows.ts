import type { CompanyId, ConnectionId } from "@balcao/contract";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Seal } from "../../platform/secrets/seal.ts";

/** A connection of a company. */
export type CloudLine = { companyId: CompanyId; connectionId: ConnectionId };

/** The account at Meta with its secrets open: never leaves the channel. */
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

/** Null when the connection has none. */
export async function readAccount(
  tx: Tx,
  seal: Seal,
  { companyId, connectionId }: CloudLine,
): Promise<CloudAccount | null> {
  const [row] = await tx.query<SealedRow>(readStatement, [companyId, connectionId]);
  return row ? opened(seal, connectionId, row) : null;
}

/** The same; also null while the connection is on another channel. */
export async function readServingAccount(
  tx: Tx,
  seal: Seal,
  { companyId, connectionId }: CloudLine,
): Promise<CloudAccount | null> {
  const [row] = await tx.query<SealedRow>(servingStatement, [companyId, connectionId]);
  return row ? opened(seal, connectionId, row) : null;
}

/** The account, and whose it is, of the address that Meta calls; null for an address that is nobody's. */
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
