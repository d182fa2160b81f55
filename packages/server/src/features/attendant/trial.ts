import type { ChatbotTrialState, InputOf, QueueId, ResultOf } from "@balcao/contract";
import { renderVariables } from "@balcao/contract";
import { subSeconds } from "date-fns/subSeconds";
import type { Ctx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import type { MediaFiles } from "../media/index.ts";
import { decideTurn } from "./decide.ts";
import type { AttendantMessage, QueueFacts, TurnFacts, TurnPlan } from "./facts.ts";
import { greetInQueue } from "./main-menu.ts";
import { beginOf, planOf, queued } from "./progress.ts";
import { findQueueFacts } from "./repository.ts";
import type { Stage } from "./trial-repository.ts";
import { findFileKinds, findStage } from "./trial-repository.ts";

export type TrialDeps = {
  db: Database;
  clock: Clock;
  addressOf: MediaFiles["signedPath"];
};

type Request = InputOf<"POST /queue/:queueId/trial">["body"];
type Reply = ResultOf<"POST /queue/:queueId/trial">;

/**
 * Plays the saved chatbot one step for somebody who tries it: the same decisions as for a customer who answers at once,
 * but nothing is stored or sent, and opening hours do not count, as it must be possible to try on a Sunday what happens
 * on a Monday. Where the trial stands comes back from the client: ids in it that are not of what is played count as none.
 *
 * With a connection it is played from that one's first message on; without, the queue alone, as for a customer who has
 * just chosen it from a menu.
 */
export function createTrial({ db, clock, addressOf }: TrialDeps) {
  return async function play(ctx: Ctx, queueId: QueueId, request: Request): Promise<Reply> {
    return db.transaction(ctx, async (tx) => {
      const queue = await findQueueFacts(ctx, tx, queueId);
      if (!queue) throw new DomainError("ERR_QUEUE_NOT_FOUND");
      const stage = await findStage(ctx, tx, request.connectionId);
      if (request.connectionId !== null && !stage.connection) {
        throw new DomainError("ERR_NO_WAPP_FOUND");
      }
      const facts = factsOf(stage, queue, request, clock.now());
      const plan = stage.connection ? decideTurn(facts) : playAlone(facts, queue, request);
      const kinds = await findFileKinds(ctx, tx, keysIn(plan.sends));
      return {
        messages: plan.sends.flatMap((sent) => {
          const values = {
            contactName: request.contactName,
            now: facts.now,
            timeZone: stage.timeZone,
          };
          if (sent.kind === "text") return [textMessage(renderVariables(sent.text, values))];
          const mediaMime = kinds.get(sent.file.key);
          if (mediaMime === undefined) return [];
          const mediaPath = addressOf(ctx.companyId, sent.file.key);
          return [{ text: "", mediaPath, mediaName: sent.file.name, mediaMime }];
        }),
        ...whereItStands(facts, plan),
      };
    });
  };
}

function playAlone(facts: TurnFacts, queue: QueueFacts, { state }: Request): TurnPlan {
  if (state !== null) return decideTurn(facts);
  return planOf(greetInQueue(queued(beginOf(facts), queue), queue, facts.now));
}

function factsOf(
  { timeZone, greetsWithOneQueue, connection }: Stage,
  queue: QueueFacts,
  { state, text }: Request,
  now: Date,
): TurnFacts {
  const queues = connection?.queues ?? [queue];
  return {
    now,
    timeZone,
    ticket: {
      status: "pending",
      userId: null,
      ...placeIn(queues, state),
      isGroup: false,
      disableBot: false,
    },
    attendedAt: null,
    memory: memoryOf(state, now),
    connection: connection?.facts ?? {
      greetingMessage: "",
      outOfHoursMessage: "",
      maxUseBotQueues: 0,
      timeUseBotQueuesMinutes: 0,
    },
    queues,
    ticketQueue: null,
    scheduleType: "disabled",
    companySchedules: [],
    greetsWithOneQueue,
    messages: [{ seq: 1, at: now, body: text, isText: true }],
  };
}

function placeIn(
  queues: readonly QueueFacts[],
  state: ChatbotTrialState | null,
): TurnPlan["place"] {
  const queue = queues.find(({ id }) => id === state?.queueId);
  if (!queue || !state) return { queueId: null, chatbot: false, queueOptionId: null };
  const option = queue.options.find(({ id }) => id === state.queueOptionId);
  return { queueId: queue.id, chatbot: state.chatbot, queueOptionId: option?.id ?? null };
}

/** Whatever was shown was shown a moment ago. */
function memoryOf(state: ChatbotTrialState | null, now: Date): TurnFacts["memory"] {
  const before = subSeconds(now, 1);
  const hasShown = state !== null && (state.chatbot || state.menusSent > 0);
  return {
    menusSent: state?.menusSent ?? 0,
    lastMenuAt: hasShown ? before : null,
    wrongAnswers: state?.wrongAnswers ?? 0,
    greetedAt: state?.greeted ? before : null,
    closedToldUntil: null,
  };
}

function whereItStands(
  { queues }: TurnFacts,
  { place, memory }: TurnPlan,
): Pick<Reply, "state" | "isOver" | "queueName"> {
  const queue = queues.find(({ id }) => id === place.queueId);
  const option = queue?.options.find(({ id }) => id === place.queueOptionId);
  return {
    state: {
      queueId: place.queueId,
      chatbot: place.chatbot,
      queueOptionId: option?.id ?? null,
      menusSent: memory.menusSent,
      wrongAnswers: memory.wrongAnswers,
      greeted: memory.greetedAt !== null,
    },
    isOver: queue ? !place.chatbot : queues.length === 0,
    queueName: queue?.name ?? null,
  };
}

function textMessage(text: string): Reply["messages"][number] {
  return { text, mediaPath: null, mediaName: null, mediaMime: null };
}

function keysIn(sends: readonly AttendantMessage[]): string[] {
  return sends.flatMap((sent) => (sent.kind === "file" ? [sent.file.key] : []));
}
