import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { isoDate } from "./primitives.ts";

/** Backups that the list shows, the newest first. */
export const BACKUPS_SHOWN = 60;

export const backupStates = ["running", "whole", "failed", "interrupted"] as const;
export type BackupState = (typeof backupStates)[number];

const backup = z.object({
  id: z.number(),
  state: z.enum(backupStates),
  /** `schedule`: by the job, at its time or on a request; `command`: by `npm run backup`. */
  origin: z.enum(["schedule", "command"]),
  startedAt: isoDate,
  endedAt: isoDate.nullable(),
  place: z.string(),
  name: z.string().nullable(),
  isEncrypted: z.boolean(),
  bytes: z.number(),
  rows: z.number(),
  files: z.number(),
  /** Files that a row named and that were not there. */
  missingFiles: z.number(),
  verifiedAt: isoDate.nullable(),
  removedAt: isoDate.nullable(),
  error: z.string().nullable(),
});
export type Backup = z.output<typeof backup>;

const backupList = z.object({
  /** Null: the installation makes none by itself. */
  schedule: z
    .object({
      place: z.string(),
      nextAt: isoDate.nullable(),
      keep: z.number(),
      isEncrypted: z.boolean(),
      isVerified: z.boolean(),
    })
    .nullable(),
  backups: z.array(backup),
});
export type BackupList = z.output<typeof backupList>;

export const backupsEndpoints = defineEndpoints({
  "GET /operation/backups": {
    summary:
      "The backups of the whole installation and when the next one is made; super users only",
    auth: "bearer",
    permission: "companies:manage-any",
    reply: backupList,
    errors: [],
  },
  "POST /operation/backups": {
    summary:
      "Begins a backup now; isStarted is false where none is configured and while one is being made. Super users only",
    auth: "bearer",
    permission: "companies:manage-any",
    reply: z.object({ isStarted: z.boolean() }),
    errors: [],
  },
});
