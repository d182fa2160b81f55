import type { CloudApiCredentials, Connection, ConnectionId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { Sources } from "../../platform/sources.ts";
import { readAccount, saveAccount } from "./account-rows.ts";
import type { Graph } from "./graph.ts";
import { GraphError } from "./graph.ts";
import { readNumber } from "./number.ts";

/** What admins see of an account; its other secrets never leave the server. */
export type ShownCloudAccount = NonNullable<Connection["cloudApi"]>;

export type CloudAccounts = {
  /**
   * A secret that is left out or blank stays as it is; the first verify token may be left out and is made then. Throws
   * ERR_WAPP_CREDENTIALS where another one is missing.
   */
  saveCloudAccount(
    tx: Tx,
    ctx: Ctx,
    connectionId: ConnectionId,
    credentials: CloudApiCredentials,
  ): Promise<void>;
  readCloudAccount(tx: Tx, ctx: Ctx, connectionId: ConnectionId): Promise<ShownCloudAccount | null>;
  /**
   * Asks Meta for the number; the token that is left out is the connection's stored one. Outside of transactions: it
   * waits. Throws ERR_WAPP_CREDENTIALS when Meta refuses them, or does not answer in time.
   */
  checkCredentials(
    ctx: Ctx,
    connectionId: ConnectionId | null,
    credentials: CloudApiCredentials,
  ): Promise<void>;
};

export type AccountsDeps = {
  db: Database;
  seal: Seal;
  graph: Graph;
  sources: Pick<Sources, "ids" | "random">;
  /** Where Meta reaches the product; undefined leaves the webhook's address relative. */
  publicUrl: string | undefined;
  log: Logger;
};

export const WEBHOOK_PATH = "/webhooks/cloud-api";

/** The accounts at Meta that connections work with. */
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
      if (!account) return null;
      const { phoneNumberId, businessAccountId, verifyToken, webhookKey } = account;
      const webhookUrl = `${publicUrl}${WEBHOOK_PATH}/${webhookKey}`;
      return { phoneNumberId, businessAccountId, verifyToken, webhookUrl };
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
