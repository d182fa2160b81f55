import type { Database } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import type { MediaFiles } from "../media/index.ts";
import type { Outgoing } from "../messages/index.ts";
import type { Asker } from "./outside.ts";
import type { AttendantSettings } from "./pump.ts";
import { ATTENDANT_TOPIC, createTurnWorker, takeDueTurns } from "./pump.ts";
import type { TurnDeps } from "./turn.ts";
import { createTurns } from "./turn.ts";

export type { AttendantMessage } from "./facts.ts";
export type { Afterwards, Asker, OutsideAnswer, OutsideQuestion } from "./outside.ts";
export type { AttendantSettings } from "./pump.ts";
export { defaultAttendantSettings } from "./pump.ts";
export { skipTurn } from "./repository.ts";
export { createTrialFeature } from "./trial.ts";

export type AttendantDeps = {
  db: Database;
  wake: Wake;
  sources: { clock: Clock; ids: IdSource };
  log: Logger;
  media: Pick<MediaFiles, "describeFile">;
  outgoing: Outgoing;
  domainEvents: DomainEvents;
  settings: AttendantSettings;
  tickets: TurnDeps["tickets"];
  sendClosingMessage: TurnDeps["sendClosingMessage"];
  askers?: readonly Asker[];
  onTurn?: (lateMs: number) => void;
};

/**
 * The automatic attendant: answers customers whose ticket waits and whom no agent has served yet. The statement that stores
 * a message makes the ticket's turn due; a moment later any process takes the turn here.
 */
export function createAttendant(deps: AttendantDeps) {
  const { wake, domainEvents } = deps;
  domainEvents.on("message.stored", async (_ctx, tx, { arrival }) => {
    if (arrival?.callsAttendant) wake.notify(tx, ATTENDANT_TOPIC);
  });
  const turns = createTurns({ ...deps, ...deps.sources });
  const worker = createTurnWorker({ ...deps, turns });
  return {
    start: () => worker.start(),
    async stop(): Promise<void> {
      await worker.stop();
      await turns.stop();
    },
    /** Resolves when no turn is due now or later; at once in a process that does not run the attendant. */
    idle: () => worker.idle(),
    isIdle: () => worker.isIdle(),
    /** Takes every due turn, also in a process that does not run the attendant; returns their number. */
    runDue: (now = deps.sources.clock.now()) => takeDueTurns({ ...deps, turns }, now),
  };
}

export type Attendant = ReturnType<typeof createAttendant>;
