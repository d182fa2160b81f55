import type { ConnectionId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { QueueFacts, TurnFacts } from "./facts.ts";
import type { QueueJson } from "./repository.ts";
import { queueJson, toQueueFacts } from "./repository.ts";

/** Where a trial is played: what a company has, and one of its connections. */
export type Stage = {
  timeZone: string;
  greetsWithOneQueue: boolean;
  /** Null: the company has no such connection, or none was asked for. */
  connection: { facts: TurnFacts["connection"]; queues: QueueFacts[] } | null;
};

export async function findStage(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId | null,
): Promise<Stage> {
  const [row] = await tx.query<StageRow>(stageStatement, [ctx.companyId, connectionId]);
  if (!row) throw new Error("the company is not there");
  const { timeZone, greeting, connection, queues } = row;
  return {
    timeZone,
    greetsWithOneQueue: greeting === "enabled",
    connection: connection && { facts: connection, queues: (queues ?? []).map(toQueueFacts) },
  };
}

/** Kinds of files by their keys; what is not there any more is not in it. */
export async function findFileKinds(
  ctx: Ctx,
  tx: Tx,
  keys: readonly string[],
): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map();
  type Kind = { key: string; mime: string };
  const rows = await tx.query<Kind>(kindsStatement, [ctx.companyId, keys]);
  return new Map(rows.map(({ key, mime }) => [key, mime]));
}

type StageRow = {
  timeZone: string;
  greeting: string | null;
  connection: TurnFacts["connection"] | null;
  queues: QueueJson[] | null;
};

const stageStatement = {
  name: "attendant.trial-stage",
  text: `
select n.time_zone as "timeZone", s.value as greeting,
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
