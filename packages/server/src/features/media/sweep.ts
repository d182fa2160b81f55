import { subHours } from "date-fns/subHours";
import type { Database } from "../../platform/db/database.ts";
import type { MediaStore } from "../../platform/media/media-store.ts";
import type { Clock } from "../../platform/sources.ts";
import type { Keeper } from "./keeper.ts";
import type { FilePosition, SweptFile } from "./repository.ts";
import { existingCompanies, nextFilesAcrossCompanies } from "./repository.ts";

/** A whole file that nothing refers to may still be on its way into a message. */
const WHOLE_HOURS = 1;
/** No request and no download takes longer. */
const PARTIAL_HOURS = 1;
const PORTION = 1_000;

export type SweepDeps = { db: Database; clock: Clock; store: MediaStore; keeper: Keeper };

/**
 * Removes the files that nothing refers to, those whose writing was interrupted, and those of companies that are gone.
 * Walks over all files in portions; what fails is tried again the next time.
 */
export async function sweepOrphans({ db, clock, store, keeper }: SweepDeps): Promise<void> {
  const now = clock.now();
  const before = { whole: subHours(now, WHOLE_HOURS), partial: subHours(now, PARTIAL_HOURS) };
  let position: FilePosition | null = null;
  let isAtEnd = false;
  while (!isAtEnd) {
    const after: FilePosition | null = position;
    const portion: SweptFile[] = await db.acrossCompanies((tx) =>
      nextFilesAcrossCompanies(tx, after, before, PORTION),
    );
    for (const { companyId, key, isOrphan } of portion) {
      if (isOrphan) await keeper.removeIfUnused(companyId, key);
    }
    position = portion.at(-1) ?? null;
    isAtEnd = portion.length < PORTION;
  }
  await store.removeAbandoned(before.partial);
  await removeGoneCompanies(db, store);
}

/** A company's rows go with it; its folder is all that is left. */
async function removeGoneCompanies(db: Database, store: MediaStore): Promise<void> {
  const stored = await store.companies();
  const existing = await db.acrossCompanies((tx) => existingCompanies(tx, stored));
  for (const companyId of stored) {
    if (!existing.has(companyId)) await store.removeCompany({ companyId });
  }
}
