import type { CompanyId } from "@balcao/contract";
import { and, eq } from "drizzle-orm";
import type { Database } from "../../platform/db/database.ts";
import { messageMedia } from "../../platform/db/schema/index.ts";
import type { MediaFiles } from "../media/index.ts";
import type { WantedFile } from "./demo-extras.ts";
import { demoFiles } from "./demo-files.ts";

export type DemoMediaDeps = { db: Database; files: Pick<MediaFiles, "storeCustomerFile"> };

/** Stores the demo's files and gives them to their messages, which are there already. */
export async function storeDemoFiles(
  { db, files }: DemoMediaDeps,
  companyId: CompanyId,
  wanted: readonly WantedFile[],
): Promise<void> {
  for (const { messageId, file } of wanted) {
    const { kind, name, mime, content } = demoFiles[file];
    const { key, ...facts } = await files.storeCustomerFile(companyId, {
      name,
      claimedMime: mime,
      claimedKind: kind,
      content: onePiece(await content()),
    });
    await db.acrossCompanies((tx) =>
      tx.orm
        .update(messageMedia)
        .set({ ...facts, fileKey: key, state: "ready" })
        .where(and(eq(messageMedia.companyId, companyId), eq(messageMedia.messageId, messageId))),
    );
  }
}

async function* onePiece(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}
