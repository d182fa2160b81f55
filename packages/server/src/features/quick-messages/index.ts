import type { Database } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import type { MediaFiles } from "../media/index.ts";
import { createQuickMessageEvents } from "./events.ts";
import { registerQuickMessageRoutes } from "./routes.ts";
import { createQuickMessageService } from "./service.ts";

export type QuickMessagesDeps = {
  db: Database;
  clock: Clock;
  realtime: Realtime;
  media: Pick<MediaFiles, "storeFiles" | "removeUnused" | "signedPath">;
};

/** Prepared answers with shortcodes (wire-contract 5.13, behaviour 8.3). */
export function createQuickMessagesFeature({ db, clock, realtime, media }: QuickMessagesDeps) {
  const events = createQuickMessageEvents(realtime, media.signedPath);
  const service = createQuickMessageService({ db, clock, files: media, events });
  return { register: (routes: Routes): void => registerQuickMessageRoutes(routes, service) };
}
