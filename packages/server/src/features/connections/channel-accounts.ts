import type { CloudApiCredentials, Connection, ConnectionId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";

/** What admins see of an account on the official API. */
export type CloudAccount = NonNullable<Connection["cloudApi"]>;

/** Where the credentials of connections are kept that are not linked with a phone; given by the composition root. */
export type ChannelAccounts = {
  /**
   * Asks the service whether it takes them, outside of transactions; secrets that are left out are those that the
   * connection has. Throws ERR_WAPP_CREDENTIALS.
   */
  checkCredentials(
    ctx: Ctx,
    connectionId: ConnectionId | null,
    credentials: CloudApiCredentials,
  ): Promise<void>;
  /** A secret that is left out stays as it is; throws ERR_WAPP_CREDENTIALS when there is none to stay. */
  saveCloudAccount(
    tx: Tx,
    ctx: Ctx,
    connectionId: ConnectionId,
    credentials: CloudApiCredentials,
  ): Promise<void>;
  readCloudAccount(tx: Tx, ctx: Ctx, connectionId: ConnectionId): Promise<CloudAccount | null>;
};
