import type { CompanyId, MediaKind } from "@balcao/contract";
import type { MediaKey } from "../../platform/media/media-store.ts";

/** A file that is in the media store, whole, with its row. It stays while a row of the product refers to it. */
export type StoredFile = {
  key: MediaKey;
  thumbnailKey: MediaKey | null;
  kind: MediaKind;
  /** By the content. */
  mime: string;
  /** The original name without path, or one made for it. */
  name: string;
  bytes: number;
  width: number | null;
  height: number | null;
  durationMs: number | null;
  /** Levels of an audio from 0 to 100. */
  waveform: number[] | null;
};

/** A file as it arrives. What is claimed about it is not believed. */
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
};

/** A file of a customer: stored as what it is, whatever its name says. */
export type CustomerFile = IncomingFile & {
  /** What the network sent it as; kept where the content can be that. */
  claimedKind: MediaKind;
};

/** The files of the companies. */
export type MediaFiles = {
  /**
   * Stores what somebody of the company sends. Throws ERR_FILE_TOO_LARGE, ERR_FILE_TYPE_FORBIDDEN,
   * ERR_FILE_TYPE_MISMATCH or ERR_FILE_DAMAGED; then nothing is stored. Not to be called in a transaction.
   */
  storeFile(companyId: CompanyId, file: IncomingFile, rules: FileRules): Promise<StoredFile>;
  /** Stores all files or none; none to store is ERR_FILE_MISSING. */
  storeFiles(
    companyId: CompanyId,
    files: AsyncIterable<IncomingFile>,
    rules: FileRules,
  ): Promise<StoredFile[]>;
  /** Stores what a customer sent; throws ERR_FILE_TOO_LARGE only, beyond `limits.documentMaxBytes`. */
  storeCustomerFile(companyId: CompanyId, file: CustomerFile): Promise<StoredFile>;
  /** What is known of a whole file of the company, with a new thumbnail; null when there is none of that key. */
  describeFile(companyId: CompanyId, key: MediaKey, name: string): Promise<StoredFile | null>;
  /** The address under which the file is served to whoever has it, for a day at least (wire-contract 8). */
  signedPath(companyId: CompanyId, key: MediaKey): string;
  /** An address that opens the file as long as it is there: for pictures of contacts, which stand in many places. */
  lastingPath(companyId: CompanyId, key: MediaKey): string;
  openFile(
    companyId: CompanyId,
    key: MediaKey,
  ): Promise<{ content: AsyncIterable<Uint8Array>; bytes: number } | null>;
  /** Another file with the same content; answers its key. */
  copyFile(companyId: CompanyId, key: MediaKey): Promise<MediaKey>;
  /** Removes those of the files that nothing refers to (any more); the others stay. */
  removeUnused(companyId: CompanyId, keys: readonly MediaKey[]): Promise<void>;
};
