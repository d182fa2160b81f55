import type { ErrorCode, MediaKind } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { randomUuid } from "../../api/random-uuid.ts";
import { createSessionStore } from "../../api/session-store.ts";
import { useStore } from "../../store/index.ts";

/** A file that is about to be sent. */
export type TrayFile = Readonly<{
  id: string;
  file: File;
  kind: MediaKind;
  caption: string;
  /** An object URL for images and videos, null for the others. */
  previewUrl: string | null;
}>;

/** The chosen files of a ticket. They survive a visit to another ticket, but not a reload. */
export type Tray = Readonly<{ files: readonly TrayFile[]; refused: readonly RefusedFile[] }>;

const empty: Tray = { files: [], refused: [] };
const trays = createSessionStore<ReadonlyMap<number, Tray>>(new Map(), (dropped) => {
  for (const tray of dropped.values()) tray.files.forEach(revokePreview);
});

export function trayOf(ticketId: number): Tray {
  return trays.get().get(ticketId) ?? empty;
}

/** The same object until something changes. */
export function useTray(ticketId: number): Tray {
  return useStore(trays, () => trayOf(ticketId));
}

/** Appends files; returns the refused ones with the reason. */
export function addToTray(ticketId: number, files: readonly File[]): void {
  const tray = trayOf(ticketId);
  const { accepted, refused } = sortFiles(files, tray.files.length);
  set(ticketId, { files: [...tray.files, ...accepted.map(trayFile)], refused });
}

export function dismissRefused(ticketId: number): void {
  set(ticketId, { ...trayOf(ticketId), refused: [] });
}

export function captionFile(ticketId: number, id: string, caption: string): void {
  const tray = trayOf(ticketId);
  const files = tray.files.map((one) => (one.id === id ? { ...one, caption } : one));
  set(ticketId, { ...tray, files });
}

export function removeFromTray(ticketId: number, id: string): void {
  const tray = trayOf(ticketId);
  tray.files.filter((one) => one.id === id).forEach(revokePreview);
  set(ticketId, { ...tray, files: tray.files.filter((one) => one.id !== id) });
}

/** Moves a file one place to the front (-1) or to the end (1). */
export function moveInTray(ticketId: number, id: string, by: -1 | 1): void {
  const tray = trayOf(ticketId);
  const from = tray.files.findIndex((one) => one.id === id);
  const moved = tray.files[from];
  const to = from + by;
  if (!moved || to < 0 || to >= tray.files.length) return;
  set(ticketId, { ...tray, files: tray.files.toSpliced(from, 1).toSpliced(to, 0, moved) });
}

/** Empties the tray; from then on the caller owns the previews. */
export function takeTray(ticketId: number): readonly TrayFile[] {
  const { files } = trayOf(ticketId);
  set(ticketId, empty);
  return files;
}

function trayFile(file: File): TrayFile {
  const kind = kindOf(file);
  const isVisible = kind === "image" || kind === "video";
  return {
    id: randomUuid(),
    file,
    kind,
    caption: "",
    previewUrl: isVisible ? URL.createObjectURL(file) : null,
  };
}

function revokePreview({ previewUrl }: TrayFile): void {
  if (previewUrl !== null) URL.revokeObjectURL(previewUrl);
}

function set(ticketId: number, tray: Tray): void {
  const next = new Map(trays.get());
  if (tray.files.length === 0 && tray.refused.length === 0) next.delete(ticketId);
  else next.set(ticketId, tray);
  trays.set(next);
}

/** A refused file with the code that the server would send. */
type RefusedFile = Readonly<{
  name: string;
  code: ErrorCode & `ERR_${string}FILE${string}`;
}>;

/** The message kind of a file, by its MIME type in the browser. */
export function kindOf(file: File): MediaKind {
  if (file.name.startsWith("audio-record-site")) return "voice";
  const [family] = file.type.split("/");
  if (family === "image" && file.type !== "image/svg+xml") return "image";
  if (family === "video" || family === "audio") return family;
  return "document";
}

const bytesMax: Readonly<Record<MediaKind, number>> = {
  image: limits.imageMaxBytes,
  sticker: limits.imageMaxBytes,
  audio: limits.audioMaxBytes,
  voice: limits.audioMaxBytes,
  video: limits.videoMaxBytes,
  document: limits.documentMaxBytes,
};

/** Splits files into those that fit beside the `taken` ones and the refused ones, in their order. */
export function sortFiles(
  files: readonly File[],
  taken: number,
): { accepted: readonly File[]; refused: readonly RefusedFile[] } {
  const accepted: File[] = [];
  const refused: RefusedFile[] = [];
  for (const file of files) {
    const code = refusalOf(file, taken + accepted.length);
    if (code === null) accepted.push(file);
    else refused.push({ name: file.name, code });
  }
  return { accepted, refused };
}

function refusalOf(file: File, taken: number): RefusedFile["code"] | null {
  // A dropped folder looks like an empty file.
  if (file.size === 0) return "ERR_FILE_DAMAGED";
  if (file.size > bytesMax[kindOf(file)]) return "ERR_FILE_TOO_LARGE";
  return taken >= limits.mediasPerRequest ? "ERR_TOO_MANY_FILES" : null;
}
