import { z } from "zod";

const locator = z.object({ id: z.string(), sha256: z.string().optional() });

/** Where a file is at Meta, and what it must be; only this adapter reads it. */
export type Locator = { id: string; sha256: string | undefined };

export function locatorOf({ id, sha256 }: Locator): string {
  return JSON.stringify({ id, ...(sha256 === undefined ? {} : { sha256 }) });
}

/** Throws for what this adapter has not written. */
export function readLocator(text: string): Locator {
  const { id, sha256 } = locator.parse(JSON.parse(text));
  return { id, sha256 };
}
