import type { CompanyId, UserId } from "@balcao/contract";
import type { App } from "@balcao/server/src/app.ts";
import { createApp } from "@balcao/server/src/app.ts";
import type { ChannelAdapter } from "@balcao/server/src/channels/port.ts";
import { createTokens } from "@balcao/server/src/features/auth/tokens.ts";
import { findAccount } from "@balcao/server/src/features/users/index.ts";
import { readConfig } from "@balcao/server/src/platform/config/config.ts";
import { createLogger } from "@balcao/server/src/platform/logging/logger.ts";
import { systemSources } from "@balcao/server/src/platform/sources.ts";
import type { BenchDatabase } from "./postgres.ts";

export type Product = { app: App; url: string };

/** The whole product in this process, configured as it comes, but for the number of calls a reader may make. */
export async function startProduct(
  database: BenchDatabase,
  dataDir: string,
  adapter: ChannelAdapter,
  environment: Record<string, string> = {},
): Promise<Product> {
  const config = readConfig({
    PORT: "0",
    HOST: "127.0.0.1",
    BALCAO_DATA: dataDir,
    BALCAO_DEMO: "off",
    BALCAO_REQUESTS_PER_MINUTE: "10000000",
    ...environment,
  });
  const app = await createApp({
    config,
    installation: database,
    sources: systemSources,
    log: createLogger(config.log),
    distributed: false,
    adapters: new Map([["simulator", adapter]]),
  });
  const address = await app.listen();
  if (address === null) throw new Error("the product does not serve");
  return { app, url: address.replace("localhost", "127.0.0.1") };
}

/** A valid access token of a user, as the sign-in would give it. */
export async function tokenOf(
  { app }: Product,
  { secrets }: BenchDatabase,
  companyId: CompanyId,
  userId: UserId,
): Promise<string> {
  const account = await app.db.acrossCompanies((tx) => findAccount(tx, companyId, userId));
  if (!account) throw new Error("the user is not there");
  return createTokens({ secrets, clock: systemSources.clock }).signAccess(account, null);
}
