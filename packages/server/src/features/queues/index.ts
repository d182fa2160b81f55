import type { Database } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import type { AttachmentFiles } from "./attachment.ts";
import type { QueueEventDeps } from "./events.ts";
import { createQueueEvents } from "./events.ts";
import { registerOptionRoutes } from "./option-routes.ts";
import { createOptionService } from "./option-service.ts";
import type { QueueRemovalDeps } from "./removal.ts";
import { createQueueRemoval } from "./removal.ts";
import { registerQueueRoutes } from "./routes.ts";
import { createQueueService } from "./service.ts";

export type QueuesDeps = Pick<QueueEventDeps, "announceUser" | "connectionsLookDifferent"> &
  Pick<QueueRemovalDeps, "queueDeleted"> & {
    db: Database;
    clock: Clock;
    realtime: Realtime;
    media: AttachmentFiles;
  };

/** The queues ("filas") of a company and their menus (wire-contract 5.18). */
export function createQueuesFeature(deps: QueuesDeps) {
  const { db, clock, realtime, media: files } = deps;
  const events = createQueueEvents({
    realtime,
    addressOf: files.signedPath,
    announceUser: deps.announceUser,
    connectionsLookDifferent: deps.connectionsLookDifferent,
  });
  const queues = createQueueService({ db, clock, files, events });
  const removal = createQueueRemoval({ db, files, events, queueDeleted: deps.queueDeleted });
  const options = createOptionService({ db, clock, files });
  return {
    register(routes: Routes): void {
      registerQueueRoutes(routes, queues, removal);
      registerOptionRoutes(routes, options);
    },
  };
}
