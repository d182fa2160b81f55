/** A part of another author that is passed on with the product. */
export type Part = {
  path: string;
  name: string;
  version: string;
  licence: string | null;
  isInBrowser: boolean;
};

export const noticesFile: string;
export function listParts(): Part[];
export function refusedParts(parts: readonly Part[]): Part[];
export function writeNotices(parts: readonly Part[]): string;
