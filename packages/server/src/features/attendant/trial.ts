import type { ChatbotTrialState, ConnectionId, InputOf, QueueId, ResultOf } from "@balcao/contract";
import { renderVariables, usualHolidays } from "@balcao/contract";
import { subSeconds } from "date-fns/subSeconds";
import type { Ctx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Clock } from "../../platform/sources.ts";
import type { MediaFiles } from "../media/index.ts";
import type { StoredTexts } from "../settings/index.ts";
import { decideTurn, greetInQueue } from "./decide.ts";
import type { AttendantFile, QueueFacts, TurnFacts, TurnPlan } from "./facts.ts";
import { filesIn } from "./facts.ts";
import { beginOf, planOf, queued } from "./option-level.ts";
import type { QueueJson } from "./repository.ts";
import {
  attendantTexts,
  findQueueFacts,
  queueJson,
  toAttendantTexts,
  toQueueFacts,
} from "./repository.ts";

type TrialDeps = {
  db: Database;
  clock: Clock;
  addressOf: MediaFiles["signedPath"];
};

type Request = InputOf<"POST /queue/:queueId/trial">["body"];
type Reply = ResultOf<"POST /queue/:queueId/trial">;

/** "Try this chatbot": plays a queue's chatbot, or its draft, without storing or sending anything. */
export function createTrialFeature(deps: TrialDeps) {
  return {
    register(routes: Routes): void {
      routes.handle("POST /queue/:queueId/trial", ({ ctx, params, body }) =>
        playTrial(deps, ctx, params.queueId, body),
      );
    },
  };
}

/**
 * Plays the chatbot or its draft one step: the same decisions as for a customer who answers at once, but nothing is stored or
 * sent, and opening hours are ignored, so that Monday's behaviour can be tried on a Sunday. The client sends the state of
 * the trial back; unknown ids in it count as none.
 *
 * With a connection, the trial starts at that connection's first message; without one, only the queue is played, as for
 * a customer who has just chosen it from a menu.
 */
async function playTrial(
  { db, clock, addressOf }: TrialDeps,
  ctx: Ctx,
  queueId: QueueId,
  request: Request,
): Promise<Reply> {
  return db.transaction(ctx, async (tx) => {
    const queue = await findQueueFacts(ctx, tx, queueId, request);
    if (!queue) throw new DomainError("ERR_QUEUE_NOT_FOUND");
    const stage = await findStage(ctx, tx, request.connectionId);
    if (request.connectionId !== null && !stage.connection) {
      throw new DomainError("ERR_NO_WAPP_FOUND");
    }
    const facts = factsOf(stage, queue, request, clock.now());
    const plan = stage.connection ? decideTurn(facts) : playAlone(facts, queue, request);
    const kinds = await findFileKinds(ctx, tx, filesIn(plan.sends));
    const { contactName } = request;
    const values = { contactName, now: facts.now, timeZone: stage.timeZone };
    const messages = plan.sends.flatMap<Reply["messages"][number]>((sent) => {
      if (sent.kind === "text") {
        const text = renderVariables(sent.text, values);
        return [{ text, mediaPath: null, mediaName: null, mediaMime: null }];
      }
      const { key, name: mediaName } = sent.file;
      const mediaMime = kinds.get(key);
      if (mediaMime === undefined) return [];
      return [{ text: "", mediaPath: addressOf(ctx.companyId, key), mediaName, mediaMime }];
    });
    return { messages, ...stateAfter(facts, plan) };
  });
}

function playAlone(facts: TurnFacts, queue: QueueFacts, { state }: Request): TurnPlan {
  if (state !== null) return decideTurn(facts);
  return planOf(greetInQueue(queued(beginOf(facts), queue), queue, facts.now));
}

function factsOf(
  { timeZone, greetsWithOneQueue, texts, connection }: Stage,
  queue: QueueFacts,
  { state, text }: Request,
  now: Date,
): TurnFacts {
  const stored = connection?.queues ?? [queue];
  // The draft is that of this queue alone. A trial is played to its end, also while something is published.
  const queues = stored.map((one) => ({
    ...(one.id === queue.id ? queue : one),
    menuChangedAt: null,
  }));
  return {
    now,
    timeZone,
    ticket: {
      status: "pending",
      userId: null,
      ...placeIn(queues, state),
      isGroup: false,
      disableBot: false,
      helper: null,
    },
    attendedAt: null,
    memory: memoryOf(state, now),
    // AI agents and integrations are not played.
    connection: {
      ...{ greetingMessage: "", outOfHoursMessage: "" },
      ...{ maxUseBotQueues: 0, timeUseBotQueuesMinutes: 0 },
      ...connection?.facts,
      helper: null,
    },
    queues,
    ticketQueue: null,
    scheduleType: "disabled",
    companySchedules: [],
    holidays: usualHolidays,
    greetsWithOneQueue,
    texts,
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

/** Menus, greetings and notices of the trial count as shown a second ago. */
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

function stateAfter(
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

/** The data of the company and of one connection that a trial needs. */
type Stage = {
  timeZone: string;
  greetsWithOneQueue: boolean;
  texts: TurnFacts["texts"];
  /** Null: no connection was requested, or the company has no such connection. */
  connection: { facts: PlayedConnection; queues: QueueFacts[] } | null;
};

type PlayedConnection = Omit<TurnFacts["connection"], "helper">;

async function findStage(ctx: Ctx, tx: Tx, connectionId: ConnectionId | null): Promise<Stage> {
  const [row] = await tx.query<StageRow>(stageStatement, [ctx.companyId, connectionId]);
  if (!row) throw new Error("the company is not there");
  const { timeZone, greeting, connection, queues } = row;
  return {
    timeZone,
    greetsWithOneQueue: greeting === "enabled",
    texts: toAttendantTexts(row.texts),
    connection: connection && { facts: connection, queues: (queues ?? []).map(toQueueFacts) },
  };
}

/** MIME types by file key; missing files are left out. */
async function findFileKinds(
  ctx: Ctx,
  tx: Tx,
  files: readonly AttendantFile[],
): Promise<Map<string, string>> {
  if (files.length === 0) return new Map();
  const keys = files.map(({ key }) => key);
  type Kind = { key: string; mime: string };
  const rows = await tx.query<Kind>(kindsStatement, [ctx.companyId, keys]);
  return new Map(rows.map(({ key, mime }) => [key, mime]));
}

type StageRow = {
  timeZone: string;
  greeting: string | null;
  texts: StoredTexts;
  connection: PlayedConnection | null;
  queues: QueueJson[] | null;
};

const stageStatement = {
  name: "attendant.trial-stage",
  text: `
select n.time_zone as "timeZone", s.value as greeting, ${attendantTexts("n.id")} as texts,
  case when w.id is not null then json_build_object(
    'greetingMessage', coalesce(w.greeting_message, ''),
    'outOfHoursMessage', coalesce(w.out_of_hours_message, ''),
    'maxUseBotQueues', coalesce(w.max_use_bot_queues, 0),
    'timeUseBotQueuesMinutes', coalesce(w.time_use_bot_queues_minutes, 0)) end as connection,
  (select json_agg(${queueJson} order by q.order_queue nulls last, q.id)
     from connection_queues cq join queues q on q.company_id = cq.company_id and q.id = cq.queue_id
    where cq.company_id = n.id and cq.connection_id = w.id) as queues
from companies n
left join connections w on w.company_id = n.id and w.id = $2 and w.deleted_at is null
left join settings s on s.company_id = n.id and s.key = 'sendGreetingMessageOneQueues'
where n.id = $1`,
};

const kindsStatement = {
  name: "attendant.trial-files",
  text: `select key, mime from files where company_id = $1 and key = any($2)`,
};
