import type { CompanyId, MediaKind } from "@balcao/contract";
import { DomainError } from "../../platform/context.ts";
import type { MediaKey } from "../../platform/media/media-store.ts";

/** A complete file in the media store, with its row. It is kept while a row refers to it. */
export type StoredFile = {
  key: MediaKey;
  thumbnailKey: MediaKey | null;
  kind: MediaKind;
  /** Determined by the content. */
  mime: string;
  /** The original name without path, or a generated one. */
  name: string;
  bytes: number;
  width: number | null;
  height: number | null;
  durationMs: number | null;
  /** Levels of an audio from 0 to 100. */
  waveform: number[] | null;
};

/** An uploaded file. Its claimed type is not trusted. */
export type IncomingFile = {
  name: string;
  claimedMime?: string;
  content: AsyncIterable<Uint8Array>;
};

export type FileRules = {
  /** `image`: pictures only (PNG and JPEG). */
  accept: "any" | "image";
  /** Below the limit of the file's kind. */
  maxBytes?: number;
  /** Of several files: there may be none. */
  mayBeNone?: true;
};

/** A customer's file: its type is determined by the content, not by the name. */
export type CustomerFile = IncomingFile & {
  /** The network's kind of the file; kept if the content allows it. */
  claimedKind: MediaKind;
};

/** The files of the companies. */
export type MediaFiles = {
  /**
   * Stores a user's file. Throws ERR_FILE_TOO_LARGE, ERR_FILE_TYPE_FORBIDDEN,
   * ERR_FILE_TYPE_MISMATCH or ERR_FILE_DAMAGED; then nothing is stored. Not to be called in a transaction.
   */
  storeFile(companyId: CompanyId, file: IncomingFile, rules: FileRules): Promise<StoredFile>;
  /** Stores all files or none. Throws ERR_FILE_MISSING without any file, unless the rules allow that. */
  storeFiles(
    companyId: CompanyId,
    files: AsyncIterable<IncomingFile>,
    rules: FileRules,
  ): Promise<StoredFile[]>;
  /** Stores a customer's file. Throws only ERR_FILE_TOO_LARGE, beyond `limits.documentMaxBytes`. */
  storeCustomerFile(companyId: CompanyId, file: CustomerFile): Promise<StoredFile>;
  /** The facts of a complete file, with a new thumbnail; null if there is no such file. */
  describeFile(companyId: CompanyId, key: MediaKey, name: string): Promise<StoredFile | null>;
  /** The address that serves the file without authentication for at least a day (wire-contract 8). */
  signedPath(companyId: CompanyId, key: MediaKey): string;
  openFile(
    companyId: CompanyId,
    key: MediaKey,
  ): Promise<{ content: AsyncIterable<Uint8Array>; bytes: number } | null>;
  /** Runs a program that reads the file by a path on this machine; see `MediaStore`. */
  withLocalFile<T>(
    companyId: CompanyId,
    key: MediaKey,
    work: (path: string) => Promise<T>,
  ): Promise<T>;
  /** Copies the file; returns the new key. */
  copyFile(companyId: CompanyId, key: MediaKey): Promise<MediaKey>;
  /** Removes the files without references; the others stay. */
  removeUnused(companyId: CompanyId, keys: readonly MediaKey[]): Promise<void>;
};

/** Makes the address of a file for the wire; only its key is stored. */
export type SignFile = MediaFiles["signedPath"];

type Scope = { companyId: CompanyId };

/** Writes the file of a record into its row, null for none; returns the key of the file that was there before. */
type SaveAttachment = (file: StoredFile | null) => Promise<string | null>;

/** Stores an uploaded file as the one file of a record. The earlier file is removed once the new one is saved. */
export async function attachFile(
  media: Pick<MediaFiles, "storeFiles" | "removeUnused">,
  { companyId }: Scope,
  incoming: AsyncIterable<IncomingFile>,
  accept: FileRules["accept"],
  save: SaveAttachment,
): Promise<void> {
  const [file] = await media.storeFiles(companyId, incoming, { accept });
  if (!file) throw new DomainError("ERR_FILE_MISSING");
  const unneeded: string[] = file.thumbnailKey === null ? [] : [file.thumbnailKey];
  try {
    const before = await save(file);
    if (before !== null) unneeded.push(before);
  } catch (error) {
    await media.removeUnused(companyId, [file.key, ...unneeded]);
    throw error;
  }
  await media.removeUnused(companyId, unneeded);
}

/** Removes the one file of a record. */
export async function detachFile(
  media: Pick<MediaFiles, "removeUnused">,
  { companyId }: Scope,
  save: SaveAttachment,
): Promise<void> {
  const before = await save(null);
  if (before !== null) await media.removeUnused(companyId, [before]);
}
