import type {
  AiService,
  Prompt,
  PromptFault,
  PromptId,
  ReplyOf,
  RequestOf,
} from "@balcao/contract";
import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { liveList } from "../../realtime/live-list.ts";
import { batchPerFrame, onCompanyEvent, onceLive, readAgain } from "../../realtime/live.ts";
import { dayKey, formatDate, formatTime } from "../../i18n/format.ts";
import { epochMs } from "../../ui/clock.ts";
import type { Tone } from "../../ui/marks.tsx";

/** All AI agents of the company by name. Their events say little, so the list is read again. */
export const promptList = liveList<Prompt, number>({
  key: ["prompts"],
  read: (signal) =>
    everyPage(async (pageNumber) => {
      const query = { pageNumber };
      const { prompts: rows, hasMore } = await call("GET /prompt", { query }, { signal });
      return { rows, hasMore };
    }),
  identify: ({ id }) => id,
  order: (a, b) => a.name.localeCompare(b.name) || a.id - b.id,
});

onCompanyEvent("prompt", () => batchPerFrame(promptList.readAgain));

/** The company's AI service. Its figures change without an event, so it is read whenever it is shown. */
export const serviceQuery = queryOptions({
  queryKey: ["ai-service"],
  queryFn: ({ queryKey, signal }) =>
    onceLive(queryKey, () => call("GET /aiService", {}, { signal })),
  staleTime: 0,
});

onCompanyEvent("aiService", () => void readAgain({ queryKey: serviceQuery.queryKey }));

/** A key that is left out or masked stays; an empty one removes the service. */
export async function saveService(body: RequestOf<"PUT /aiService">["body"]): Promise<AiService> {
  const saved = await call("PUT /aiService", { body });
  queryClient.setQueryData(serviceQuery.queryKey, saved);
  return saved;
}

/** All rows of a list that the server pages: few, since a person made each of them. */
export async function everyPage<Row>(
  read: (pageNumber: string) => Promise<{ rows: Row[]; hasMore: boolean }>,
  from = 1,
): Promise<Row[]> {
  const { rows, hasMore } = await read(String(from));
  return hasMore ? [...rows, ...(await everyPage(read, from + 1))] : rows;
}

export type PromptBody = RequestOf<"POST /prompt">["body"];

/** Saves a new (`id` null) or known agent. A key that is left out or masked stays. */
export async function savePrompt(id: number | null, body: PromptBody): Promise<Prompt> {
  const saved =
    id === null
      ? await call("POST /prompt", { body })
      : await call("PUT /prompt/:promptId", { params: { promptId: id }, body });
  promptList.apply({ row: saved });
  promptList.readAgain();
  return saved;
}

/** Deletes an agent that nothing uses. */
export async function deletePrompt(id: PromptId): Promise<void> {
  try {
    await call("DELETE /prompt/:promptId", { params: { promptId: id } });
    promptList.apply({ removedId: id });
  } finally {
    // A refusal means that something uses it since the list was read.
    promptList.readAgain();
  }
}

/** Asks the provider whether it takes the key; resolves to its models. */
export async function checkKey(
  body: RequestOf<"POST /prompt/check">["body"],
): Promise<readonly string[]> {
  return (await call("POST /prompt/check", { body })).models;
}

export type TrialAnswer = ReplyOf<"POST /prompt/try">;

/** The provider has 30 seconds; the server then says that it did not answer. */
const TRIAL_LIMIT_MS = 40_000;

/** What the agent would answer. Nothing is saved or sent. */
export const tryPrompt = (
  body: RequestOf<"POST /prompt/try">["body"],
  signal: AbortSignal,
): Promise<TrialAnswer> => call("POST /prompt/try", { body }, { signal, limitMs: TRIAL_LIMIT_MS });

/** Faults that last until somebody changes the agent; the others end with the next answer. */
const lasting: ReadonlySet<PromptFault> = new Set(["key", "credit", "address", "model"]);

export const isLasting = (fault: PromptFault): boolean => lasting.has(fault);

/** What an agent does now. */
export function stateOf({ fault, usedToday, dayTokens, usedBy }: Prompt) {
  if (fault !== null) return isLasting(fault) ? "stopped" : "failing";
  if (dayTokens > 0 && usedToday.tokens >= dayTokens) return "paused";
  return usedBy.connections.length + usedBy.queues.length > 0 ? "serving" : "idle";
}

/** The colour of each state; none where nothing is wrong or served. */
export const stateTones: Readonly<Record<ReturnType<typeof stateOf>, Tone | undefined>> = {
  stopped: "bad",
  failing: "warn",
  paused: "warn",
  serving: "ok",
  idle: undefined,
};

/** The name of a provider for people: its host, or the brand of the usual one. */
export function providerOf(baseUrl: string): string {
  const host = URL.parse(baseUrl)?.host ?? baseUrl;
  return host === "api.openai.com" ? "OpenAI" : host;
}

/** Where a company mends a fault at the usual provider; null for others. */
export function helpAt(baseUrl: string, fault: PromptFault): string | null {
  if (providerOf(baseUrl) !== "OpenAI") return null;
  const pages: Partial<Record<PromptFault, string>> = {
    key: "api-keys",
    credit: "settings/organization/billing/overview",
    rate: "settings/organization/limits",
  };
  return pages[fault] === undefined ? null : `https://platform.openai.com/${pages[fault]}`;
}

/** "09:40", with the date on other days. */
export function momentOf(iso: string): string {
  const isToday = dayKey(iso) === dayKey(new Date(epochMs()).toISOString());
  return isToday ? formatTime(iso) : `${formatDate(iso)}, ${formatTime(iso)}`;
}
