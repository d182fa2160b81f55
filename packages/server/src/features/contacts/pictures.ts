import { createHash } from "node:crypto";
import type { CompanyId, ContactId } from "@balcao/contract";
import { subDays } from "date-fns/subDays";
import { subHours } from "date-fns/subHours";
import type { ChannelHandlers, ConnectionRef, PictureWish } from "../../channels/runtime/index.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { MediaKey } from "../../platform/media/media-store.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import type { MediaFiles } from "../media/index.ts";
import type { ContactTickets } from "./book.ts";
import { createContactEvents } from "./events.ts";
import { claimPictures, notePictureCheck, savePicture } from "./picture-repository.ts";

export type PicturesDeps = {
  db: Database;
  clock: Clock;
  realtime: Realtime;
  files: Pick<MediaFiles, "storeFile" | "removeUnused" | "lastingPath">;
  tickets: Pick<ContactTickets, "contactChanged">;
};

/** More is no profile picture. */
const MAX_BYTES = 2 * 1024 * 1024;
/** The network is asked for a contact once in this time, and only as long as he writes (behaviour 1.3). */
const ASKED_EVERY_HOURS = 24;
const ACTIVE_DAYS = 7;

export type ContactPictures = Pick<ChannelHandlers, "claimPictures" | "storePicture">;

/** The pictures that the chat network shows of contacts, as the channels fetch them. */
export function createContactPictures(deps: PicturesDeps): ContactPictures {
  const { db, clock, realtime, files, tickets } = deps;
  const events = createContactEvents(realtime);

  function claim(
    tx: Tx,
    { companyId, connectionId }: ConnectionRef,
    count: number,
  ): Promise<PictureWish[]> {
    const ctx = systemCtx(companyId, "pictures", `connection-${connectionId}`);
    const now = clock.now();
    return claimPictures(ctx, tx, connectionId, {
      ...{ count, now },
      activeSince: subDays(now, ACTIVE_DAYS),
      askedBefore: subHours(now, ASKED_EVERY_HOURS),
    });
  }

  /**
   * Keeps a contact's picture; null: the network shows none. The company hears of it only when it changed. Outside of
   * transactions: it writes a file. Throws as `storeFile` does for what is no JPEG or PNG; the contact counts as asked
   * for all the same.
   */
  async function storePicture(
    companyId: CompanyId,
    contactId: ContactId,
    content: Uint8Array | null,
  ): Promise<void> {
    const ctx = systemCtx(companyId, "pictures", `contact-${contactId}`);
    const stored = await db.transaction(ctx, (tx) =>
      notePictureCheck(ctx, tx, contactId, clock.now()),
    );
    if (!stored || stored.sha256 === (content && sha256Of(content))) return;

    const key = content && (await storeFile(companyId, content));
    const isSaved = await db.transaction(ctx, async (tx) => {
      const row = await savePicture(ctx, tx, {
        id: contactId,
        before: stored.key,
        key,
        url: key === null ? "" : files.lastingPath(companyId, key),
        now: clock.now(),
      });
      if (!row) return false;
      events.updated(tx, row);
      await tickets.contactChanged(ctx, tx, contactId);
      return true;
    });
    // Somebody else was quicker: theirs stays.
    const unused = isSaved ? stored.key : key;
    if (unused !== null) await files.removeUnused(companyId, [unused]);
  }

  async function storeFile(companyId: CompanyId, content: Uint8Array): Promise<MediaKey> {
    const file = { name: "picture", content: inOnePiece(content) };
    const rules = { accept: "image", maxBytes: MAX_BYTES } as const;
    const { key, thumbnailKey } = await files.storeFile(companyId, file, rules);
    if (thumbnailKey !== null) await files.removeUnused(companyId, [thumbnailKey]);
    return key;
  }

  return { claimPictures: claim, storePicture };
}

const sha256Of = (content: Uint8Array): string =>
  createHash("sha256").update(content).digest("hex");

async function* inOnePiece(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}
