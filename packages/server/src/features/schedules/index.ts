import type { ContactId } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { Sources } from "../../platform/sources.ts";
import type { MediaFiles } from "../media/index.ts";
import type { Outgoing } from "../messages/index.ts";
import type { TicketsFeature } from "../tickets/index.ts";
import { createAttachments } from "./attachments.ts";
import { createScheduleEvents } from "./events.ts";
import { holdSchedules } from "./repository.ts";
import type { Rounds } from "./rounds.ts";
import { createRounds } from "./rounds.ts";
import { registerScheduleRoutes } from "./routes.ts";
import { createScheduleSending } from "./sending.ts";
import { createScheduleService } from "./service.ts";

export type SchedulesDeps = {
  db: Database;
  sources: Pick<Sources, "clock" | "ids">;
  realtime: Realtime;
  log: Logger;
  media: MediaFiles;
  tickets: Pick<TicketsFeature, "findOrCreateClosedTicket">;
  outgoing: Outgoing;
  /** Between two looks for what is due. */
  lookEveryMs?: number;
};

export type SchedulesFeature = {
  register(routes: Routes): void;
  /** For another number of a contact: what others have scheduled for the one before is not sent. */
  holdOfContact(ctx: UserCtx, tx: Tx, contactId: ContactId): Promise<void>;
  /** Sends what is due while it runs; several processes may run it. */
  sending: Rounds;
};

const LOOK_EVERY_MS = 5_000;

/** Messages that are sent later (wire-contract 5.14, behaviour 4). */
export function createSchedulesFeature(deps: SchedulesDeps): SchedulesFeature {
  const { db, sources, media, log, lookEveryMs = LOOK_EVERY_MS } = deps;
  const { clock } = sources;
  const events = createScheduleEvents(deps.realtime);
  const schedules = createScheduleService({ db, clock, media, events });
  const attachments = createAttachments({ db, clock, media, events });
  const sending = createScheduleSending({ ...deps, events });
  return {
    register: (routes) => registerScheduleRoutes(routes, { schedules, attachments }),
    async holdOfContact(ctx, tx, contactId) {
      const held = await holdSchedules(ctx, tx, contactId, clock.now());
      for (const row of held) events.saved(tx, row, "update");
    },
    sending: createRounds(sending.round, { pauseMs: lookEveryMs, log }),
  };
}
