import {
  defaultTagColor,
  integrationTypes,
  limits,
  promptBounds,
  promptDefaults,
  promptVoices,
} from "@balcao/contract";
import { newSecret, sealKey } from "../../features/integrations/index.ts";
import { sealPromptKey } from "../../features/prompts/index.ts";
import type { Item, Move } from "./bring.ts";
import { add, bring, distinct, pairOf } from "./bring.ts";
import { dates, hoursOf, refer } from "./setup.ts";
import type { SourceRow } from "./values.ts";
import { boolOf, idOf, intOf, jsonOf, textOf } from "./values.ts";

/** Queues without their helpers, which come later. */
export async function bringQueues(move: Move): Promise<void> {
  const names = new Set<string>();
  const colors = new Set<string>();
  const items = (await move.source.all("queues", move.from)).map((row): Item => {
    const wanted = textOf(row["name"], limits.nameMax).trim() || `Fila ${row["id"]}`;
    const name = distinct(wanted, names);
    const color = freeColor(
      /^#[0-9a-f]{3,6}$/i.test(row["color"] ?? "") ? (row["color"] ?? "") : "#7c7c7c",
      colors,
    );
    if (name !== wanted) move.tally.problem("queue", "nameRepeated", row["id"]);
    if (color !== row["color"]) move.tally.problem("queue", "colorRepeated", row["id"]);
    return {
      id: row["id"] ?? "",
      values: {
        ...{ name, color, greeting_message: textOf(row["greetingMessage"], limits.messageBodyMax) },
        out_of_hours_message: textOf(row["outOfHoursMessage"], limits.messageBodyMax),
        order_queue: idOf(row["orderQueue"]) === null ? null : intOf(row["orderQueue"], 0),
        schedules: JSON.stringify(hoursOf(move.tally, "queue", row)),
        ...dates(row),
      },
    };
  });
  await bring(move, "queue", "queues", items);
  await bringOptions(move);
}

function freeColor(wanted: string, taken: Set<string>): string {
  let color = wanted.toLowerCase();
  for (let step = 1; taken.has(color); step += 1)
    color = `#${((step * 2_654_435_761) % 0xffffff).toString(16).padStart(6, "0")}`;
  taken.add(color);
  return color;
}

/** The tree of each queue, parents first. Numbers are unique among siblings; others are renumbered. */
async function bringOptions(move: Move): Promise<void> {
  const rows = await move.source.all("options", move.from);
  const byId = new Map(rows.map((row) => [row["id"], row]));
  const numbers = new Map<string, Set<number>>();
  const placed = new Set<string>();
  let waiting = rows;
  while (waiting.length > 0) {
    const level = waiting.filter(
      (row) => idOf(row["parentId"]) === null || placed.has(row["parentId"] ?? ""),
    );
    const lost =
      level.length === 0
        ? waiting
        : waiting.filter((row) => {
            const parent = idOf(row["parentId"]);
            return parent !== null && !byId.has(parent);
          });
    for (const row of lost) move.tally.problem("option", "parentMissing", row["id"]);
    const items = level.flatMap((row) => {
      const queueId = move.ids("queue").get(row["queueId"] ?? "");
      placed.add(row["id"] ?? "");
      if (queueId === undefined) {
        move.tally.problem("option", "queueMissing", row["id"]);
        return [];
      }
      const parent = idOf(row["parentId"]);
      const parentId = parent === null ? null : (move.ids("option").get(parent) ?? null);
      if (parent !== null && parentId === null) return [];
      const siblings = `${queueId} ${parentId}`;
      const taken = numbers.get(siblings) ?? new Set();
      let number = intOf(row["option"], 1, 1, 999);
      while (taken.has(number)) number += 1;
      numbers.set(siblings, taken.add(number));
      return [optionItem(row, { queueId, parentId, number })];
    });
    await bring(move, "option", "queue_options", items);
    const done = new Set([...level, ...lost]);
    waiting = waiting.filter((row) => !done.has(row));
  }
}

function optionItem(
  row: SourceRow,
  place: { queueId: number; parentId: number | null; number: number },
): Item {
  return {
    id: row["id"] ?? "",
    values: {
      ...{ queue_id: place.queueId, parent_id: place.parentId, number: place.number },
      title: textOf(row["title"], limits.queueOptionTitleMax).trim() || `Opção ${place.number}`,
      message: textOf(row["message"], limits.messageBodyMax),
      ...dates(row),
    },
  };
}

/** AI agents and integrations; integrations come in stopped. */
export async function bringHelpers(move: Move): Promise<void> {
  const { seal, sources, companyId } = move;
  const prompts = (await move.source.all("prompts", move.from)).map((row): Item => {
    const key = textOf(row["apiKey"], 500).trim();
    const voiceKey = textOf(row["voiceKey"], 500).trim();
    const [main, voice] = [key, voiceKey].map((one) => sealPromptKey(seal, companyId, one));
    const temperature = Number.parseFloat(row["temperature"] ?? "");
    return {
      id: row["id"] ?? "",
      values: {
        name: textOf(row["name"], limits.nameMax).trim() || "Prompt",
        prompt: textOf(row["prompt"], 50_000),
        base_url: promptDefaults.baseUrl,
        model: textOf(row["model"], 100).trim() || promptDefaults.model,
        ...{ api_key: main?.sealed, api_key_end: main?.end },
        voice: promptVoices.find((one) => one === row["voice"]) ?? promptDefaults.voice,
        voice_key: voiceKey === "" ? null : voice?.sealed,
        ...{ voice_key_end: voice?.end, voice_region: textOf(row["voiceRegion"], 100) },
        max_tokens: intOf(row["maxTokens"], 100, 1, 4_096),
        temperature: Number.isFinite(temperature) ? Math.min(2, Math.max(0, temperature)) : 1,
        max_messages: intOf(row["maxMessages"], 10, 1, 50),
        ...{
          day_tokens: promptBounds.dayTokens.default,
          ticket_tokens: promptBounds.ticketTokens.default,
        },
        queue_id: refer(move, "prompt", "queue", row, "queueId"),
        ...dates(row),
      },
    };
  });
  await bring(move, "prompt", "prompts", prompts);
  const names = new Set<string>();
  const rows = await move.source.all("integrations", move.from);
  const kept = rows.filter((row) => {
    const isKnown = integrationTypes.some((type) => type === row["type"]);
    if (!isKnown)
      move.tally.problem("integration", "typeUnknown", row["id"], { type: row["type"] ?? "" });
    return isKnown;
  });
  const text = (row: SourceRow, column: string, max = 1_000) => textOf(row[column], max);
  await bring(
    move,
    "integration",
    "integrations",
    kept.map((row): Item => {
      const json = text(row, "jsonContent", 20_000);
      const account = jsonOf(json) as { client_email?: unknown } | null | undefined;
      return {
        id: row["id"] ?? "",
        values: {
          ...{
            type: row["type"],
            name: distinct(text(row, "name", 50).trim() || "Integração", names, 50),
          },
          ...{ project_name: text(row, "projectName", 200), language: text(row, "language", 200) },
          json_content: json === "" ? null : sealKey(seal, companyId, json),
          json_account: textOf(
            typeof account?.client_email === "string" ? account.client_email : "",
            200,
          ),
          ...{ url: text(row, "urlN8N"), typebot_slug: text(row, "typebotSlug", 200) },
          typebot_expires_minutes: intOf(row["typebotExpires"], 1, 0, 100_000),
          typebot_keyword_finish: text(row, "typebotKeywordFinish", 200),
          typebot_unknown_message: text(row, "typebotUnknownMessage", limits.messageBodyMax),
          typebot_delay_ms: intOf(row["typebotDelayMessage"], 1_000, 0, 30_000),
          typebot_keyword_restart: text(row, "typebotKeywordRestart", 200),
          typebot_restart_message: text(row, "typebotRestartMessage", limits.messageBodyMax),
          secret: newSecret({ random: sources.random, seal }, companyId),
          ...{ failing_since: sources.clock.now(), stopped_at: sources.clock.now() },
          ...dates(row),
        },
      };
    }),
  );
  if (kept.length > 0) move.tally.problemOfMany("integration", "integrationsStopped", kept.length);
}

/** Connections without session: each is linked anew. Nothing of them runs by itself, and no timer closes or moves tickets. */
export async function bringConnections(move: Move): Promise<void> {
  const { target, tally } = move;
  const names = new Set<string>();
  const rows = await move.source.all("connections", move.from);
  const tokens = rows.map((row) => row["token"] ?? "").filter((token) => token !== "");
  const used = await target.read<{ token: string }>(
    "select token from connections where token = any($1)",
    [tokens],
  );
  const taken = new Set(used.map(({ token }) => token));
  const defaultRow = rows.find((row) => boolOf(row["isDefault"]));
  const items = rows.map((row): Item => {
    const id = row["id"] ?? "";
    const channel = row["channel"] ?? "whatsapp";
    if (!["whatsapp", "", "whatsapp-web"].includes(channel)) {
      tally.problem("connection", "channelUnknown", id, { channel });
    }
    if (intOf(row["expiresTicket"], 0) > 0) {
      tally.problem("connection", "closingSwitchedOff", id);
    }
    if (intOf(row["timeToTransfer"], 0) > 0) {
      tally.problem("connection", "movingSwitchedOff", id);
    }
    let token: string | null = textOf(row["token"], 200).trim();
    if (token !== "" && taken.has(token)) {
      tally.problem("connection", "tokenTaken", id);
      token = null;
    } else taken.add(token);
    const text = (column: string) => textOf(row[column], limits.messageBodyMax);
    const [promptId, integrationId] = [
      refer(move, "connection", "prompt", row, "promptId"),
      refer(move, "connection", "integration", row, "integrationId"),
    ];
    return {
      id,
      values: {
        name: distinct(
          textOf(row["name"], limits.connectionNameMax).trim() || `Conexão ${id}`,
          names,
          limits.connectionNameMax,
        ),
        ...{
          channel: "whatsapp-web",
          status: "DISCONNECTED",
          wanted: false,
          token: token === "" ? null : token,
        },
        ...{
          is_default: row === defaultRow,
          number: textOf(row["number"], 50).replace(/\D/g, "") || null,
        },
        ...{
          greeting_message: text("greetingMessage"),
          complation_message: text("complationMessage"),
        },
        ...{
          out_of_hours_message: text("outOfHoursMessage"),
          rating_message: text("ratingMessage"),
        },
        ...{
          farewell_message: text("farewellMessage"),
          expires_inactive_message: text("expiresInactiveMessage"),
        },
        time_use_bot_queues_minutes: intOf(
          row["timeUseBotQueues"],
          0,
          0,
          limits.connectionMinutesMax,
        ),
        max_use_bot_queues: intOf(row["maxUseBotQueues"], 3, 0, 1_000),
        transfer_queue_id: refer(move, "connection", "queue", row, "transferQueueId"),
        ...{ prompt_id: promptId, integration_id: promptId === null ? integrationId : null },
        ...dates(row),
      },
    };
  });
  await bring(move, "connection", "connections", items);
  const pairs = (await move.source.all("connectionQueues", move.from)).flatMap((row) =>
    pairOf(move.ids("connection"), row["whatsappId"], move.ids("queue"), row["queueId"]).map(
      ([connection, queue]) => ({
        ...{ connection_id: connection, queue_id: queue },
      }),
    ),
  );
  await add(move, "connection queue", "connection_queues", pairs);
  await bringQueueHelpers(move);
}

async function bringQueueHelpers(move: Move): Promise<void> {
  const helped = (await move.source.all("queues", move.from)).flatMap((row) => {
    const queueId = move.ids("queue").get(row["id"] ?? "");
    const promptId = refer(move, "queue", "prompt", row, "promptId");
    const integrationId =
      promptId === null ? refer(move, "queue", "integration", row, "integrationId") : null;
    return queueId === undefined || (promptId === null && integrationId === null)
      ? []
      : [{ queueId, promptId, integrationId }];
  });
  await move.target.transaction(async (load) => {
    for (const { queueId, promptId, integrationId } of helped) {
      await load.query(
        `update queues set prompt_id = $3, integration_id = $4
         where company_id = $1 and id = $2 and prompt_id is null and integration_id is null`,
        [move.companyId, queueId, promptId, integrationId],
      );
    }
  });
}

/** Tags of tickets and lanes; those with the same name and colour become one. */
export async function bringTags(move: Move): Promise<void> {
  const same = new Map<string, { item: Item; more: string[] }>();
  for (const row of await move.source.all("tags", move.from)) {
    const name = textOf(row["name"], limits.nameMax).trim() || `Tag ${row["id"]}`;
    const color = /^#[0-9a-f]{3,8}$/i.test(row["color"] ?? "")
      ? (row["color"] ?? "")
      : defaultTagColor;
    const kanban = intOf(row["kanban"], 0, 0, 1);
    const key = `${name} ${color} ${kanban}`;
    const first = same.get(key);
    if (first) {
      first.more.push(row["id"] ?? "");
      move.tally.problem("tag", "tagsMerged", row["id"]);
      continue;
    }
    const more: string[] = [];
    same.set(key, {
      more,
      item: { id: row["id"] ?? "", more, values: { name, color, kanban, ...dates(row) } },
    });
  }
  await bring(
    move,
    "tag",
    "tags",
    [...same.values()].map(({ item }) => item),
  );
}
