import type { Database } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { ChatProvider } from "../port.ts";
import { LeaseLost } from "../port.ts";
import { Errand } from "./errand.ts";
import type { Lease } from "./fence.ts";
import { transactionUnderLease } from "./fence.ts";
import type { ChannelHandlers, PictureWish } from "./handlers.ts";
import type { ChannelSettings } from "./settings.ts";
import { within } from "./within.ts";

export type PicturesDeps = {
  db: Database;
  lease: Lease;
  handlers: ChannelHandlers;
  settings: ChannelSettings;
  log: Logger;
  onLeaseLost: () => void;
};

/**
 * Asks for profile pictures in the background, one after the other. Whom it asked for counts as asked, whatever comes of
 * it: a picture is not worth a second try on the same day.
 */
export function picturesErrand(deps: PicturesDeps): Errand {
  const { db, lease, handlers, settings, log, onLeaseLost } = deps;
  let nextLookAtMs = 0;

  async function fetchSome(provider: ChatProvider): Promise<boolean> {
    if (!provider.capabilities.profilePicture || performance.now() < nextLookAtMs) return false;
    nextLookAtMs = performance.now() + settings.picturesEveryMs;
    const wishes = await transactionUnderLease(db, lease, (tx) =>
      handlers.claimPictures(tx, lease, settings.picturesAtOnce),
    );
    for (const wish of wishes) await fetchOne(provider, wish);
    return false;
  }

  async function fetchOne(provider: ChatProvider, wish: PictureWish): Promise<void> {
    const { address, contactId } = wish;
    const { companyId, connectionId } = lease;
    const signal = AbortSignal.timeout(settings.pictureMs);
    try {
      const asked = provider.profilePicture(address, signal);
      const picture = await within(settings.pictureMs, asked);
      await handlers.storePicture(companyId, contactId, picture?.content ?? null);
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      log.info({ err: error, companyId, connectionId, contactId }, "a profile picture was not had");
    }
  }

  return new Errand({
    round: fetchSome,
    failure: "profile pictures were not asked for",
    onLeaseLost,
    log,
  });
}
