import type { MediaKind } from "@balcao/contract";
import { randomUuid } from "../../api/random-uuid.ts";
import { currentSession, subscribeToSession } from "../../api/session-store.ts";
import type { RefusedFile } from "./file-limits.ts";
import { kindOf, sortFiles } from "./file-limits.ts";

/** A file that is about to be sent. */
export type TrayFile = Readonly<{
  id: string;
  file: File;
  kind: MediaKind;
  caption: string;
  /** An object URL for images and videos, null for the others. */
  previewUrl: string | null;
}>;

/** What was chosen for a ticket. It is kept over a visit to another ticket, but not over a reload. */
export type Tray = Readonly<{ files: readonly TrayFile[]; refused: readonly RefusedFile[] }>;

const empty: Tray = { files: [], refused: [] };
const trays = new Map<number, Tray>();
const listeners = new Set<() => void>();
let sessionId = currentSession()?.id;

subscribeToSession(() => {
  if (sessionId === currentSession()?.id) return;
  sessionId = currentSession()?.id;
  for (const tray of trays.values()) tray.files.forEach(revokePreview);
  trays.clear();
  tell();
});

/** The same object until something changes. */
export function trayOf(ticketId: number): Tray {
  return trays.get(ticketId) ?? empty;
}

export function subscribeToTrays(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Puts files behind those that are there; what may not be sent is named with its reason. */
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

/** Takes everything out of the tray; whoever takes it has the previews from then on. */
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
  if (tray.files.length === 0 && tray.refused.length === 0) trays.delete(ticketId);
  else trays.set(ticketId, tray);
  tell();
}

function tell(): void {
  for (const listener of listeners) listener();
}
