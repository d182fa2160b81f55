import type { Database } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import type { MediaFiles } from "../media/index.ts";
import type { CalledAttendant, Outgoing } from "../messages/index.ts";
import type { TicketEvents } from "../tickets/index.ts";
import { AttendantPump } from "./pump.ts";
import type { AttendantSettings } from "./settings.ts";
import { createTurns } from "./turn.ts";

export type { AttendantSettings } from "./settings.ts";
export { defaultAttendantSettings } from "./settings.ts";
export { createTrialFeature } from "./trial-routes.ts";

/** Wakes the processes that attend. */
const TOPIC = "attendant";

export type AttendantDeps = {
  db: Database;
  wake: Wake;
  sources: { clock: Clock; ids: IdSource };
  log: Logger;
  media: Pick<MediaFiles, "describeFile">;
  outgoing: Outgoing;
  ticketEvents: TicketEvents;
  settings: AttendantSettings;
  onTurn?: (lateMs: number) => void;
};

/**
 * The automatic attendant: answers customers whose ticket waits and whom no person has served yet. That somebody wrote is
 * stored with the message; this is what looks at it, a moment later and in any process.
 */
export function createAttendant(deps: AttendantDeps) {
  const { wake } = deps;
  const pump = new AttendantPump({
    ...deps,
    turns: createTurns({ ...deps, ...deps.sources }),
  });
  let unsubscribe: (() => void) | undefined;
  return {
    start(): void {
      unsubscribe = wake.on(TOPIC, () => pump.wake());
      pump.start();
    },
    async stop(): Promise<void> {
      unsubscribe?.();
      await pump.stop();
    },
    /** Resolves when no ticket is due, or will be; at once in a process that does not attend. */
    idle: () => pump.idle(),
    isIdle: () => pump.isIdle(),
    /** Takes every turn that is due at the moment, also in a process that does not attend; answers how many. */
    runDue: (now?: Date) => pump.runDue(now),
  };
}

export type Attendant = ReturnType<typeof createAttendant>;

/** What stores messages tells the attendant by this. */
export function calledAttendant(wake: Wake, { quiet }: AttendantSettings): CalledAttendant {
  return { quiet, customerCalled: (tx) => wake.notify(tx, TOPIC) };
}
