import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { IncomingFile, MediaFiles } from "../media/index.ts";

export type AttachmentFiles = Pick<MediaFiles, "storeFiles" | "removeUnused" | "signedPath">;

/**
 * What a queue or an option does with its one file: `hold` refuses before anything is stored, `save` writes it into the
 * row and answers the key of the file that was there before.
 */
export type Attachable = {
  hold: () => Promise<unknown>;
  save: (file: { key: string; name: string } | null) => Promise<string | null>;
};

/** Stores an uploaded file in place of an earlier one. */
export async function attachFile(
  ctx: UserCtx,
  files: AttachmentFiles,
  incoming: AsyncIterable<IncomingFile>,
  { hold, save }: Attachable,
): Promise<void> {
  await hold();
  const [file] = await files.storeFiles(ctx.companyId, incoming, { accept: "any" });
  if (!file) throw new DomainError("ERR_FILE_MISSING");
  const unneeded = file.thumbnailKey === null ? [] : [file.thumbnailKey];
  try {
    const before = await save(file);
    if (before !== null) unneeded.push(before);
  } catch (error) {
    await files.removeUnused(ctx.companyId, [file.key, ...unneeded]);
    throw error;
  }
  await files.removeUnused(ctx.companyId, unneeded);
}

export async function detachFile(
  ctx: UserCtx,
  files: AttachmentFiles,
  { save }: Pick<Attachable, "save">,
): Promise<void> {
  const before = await save(null);
  if (before !== null) await files.removeUnused(ctx.companyId, [before]);
}
