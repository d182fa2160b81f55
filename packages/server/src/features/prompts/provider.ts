import type { PromptFault } from "@balcao/contract";
import { promptDefaults } from "@balcao/contract";
import OpenAI, { APIConnectionError, APIError, APIUserAbortError, toFile } from "openai";
import { z } from "zod";
import type { GuardedFetch } from "../../platform/http/guarded-fetch.ts";
import { RefusedAddress } from "../../platform/http/guarded-fetch.ts";
import type { Logger } from "../../platform/logging/logger.ts";

/** The provider has not answered as it should. */
export class ProviderFault extends Error {
  readonly fault: PromptFault;
  constructor(fault: PromptFault, options?: ErrorOptions) {
    super(`the provider failed: ${fault}`, options);
    this.name = "ProviderFault";
    this.fault = fault;
  }
}

/** A line of a conversation. What customers write is only ever a `user` line. */
export type ChatLine = { role: "system" | "assistant" | "user"; content: string };

export type Reply = {
  text: string;
  /** The model wants a person to go on; "" without a reason. */
  handOver: { reason: string } | null;
  /** The text ends at the limit of tokens. */
  isCut: boolean;
  tokens: { read: number; written: number };
};

/** An account of an OpenAI-compatible service. */
export type Account = { baseUrl: string; model: string; apiKey: string };

export type ProviderSettings = {
  /** Of a whole call with its retries. Below the limit of the attendant, so that a fault can be stored. */
  callMs: number;
  checkMs: number;
  /** Azure's address of a region. */
  speechUrl: (region: string) => string;
};

export const defaultProviderSettings: ProviderSettings = {
  callMs: 28_000,
  checkMs: 10_000,
  speechUrl: (region) => `https://${region}.tts.speech.microsoft.com/cognitiveservices/v1`,
};

const RETRIES = 2;
const SPEECH_MS = 10_000;
const MAX_ANSWER_BYTES = 1_000_000;
const MAX_SPEECH_BYTES = 8_000_000;
const MODELS_MAX = 500;
const TRANSCRIPT_MAX = 20_000;

/** Name of the tool by which a model hands over, and its one parameter. */
const HAND_OVER = "transferir_para_atendimento";
const tools: OpenAI.ChatCompletionTool[] = [
  {
    type: "function",
    function: {
      name: HAND_OVER,
      description:
        "Encaminha a conversa para uma pessoa da equipe. Use quando o pedido precisar do setor de atendimento ou o cliente pedir uma pessoa.",
      parameters: {
        type: "object",
        properties: { motivo: { type: "string", description: "O motivo, em uma frase curta" } },
        required: ["motivo"],
      },
    },
  },
];

const replySchema = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z.string().nullish(),
          tool_calls: z
            .array(z.object({ function: z.object({ name: z.string(), arguments: z.string() }) }))
            .nullish(),
        }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: z
    .object({
      prompt_tokens: z.number().int().min(0).max(10_000_000),
      completion_tokens: z.number().int().min(0).max(10_000_000),
    })
    .nullish()
    .catch(null),
});
const reasonSchema = z.object({ motivo: z.string().max(500) });
const transcriptSchema = z.object({ text: z.string() });
const modelsSchema = z.object({ data: z.array(z.object({ id: z.string().max(200) })) });

/** What a service does not take. Each is left out or renamed once it was refused. */
type Dialect = { newTokenLimit: boolean; noTools: boolean; noTemperature: boolean };
const usualDialect: Dialect = { newTokenLimit: false, noTools: false, noTemperature: false };
const DIALECTS_KEPT = 200;

export type Wish = {
  account: Account;
  lines: readonly ChatLine[];
  maxTokens: number;
  temperature: number;
  /** The model cannot hand over. */
  withoutTools?: true;
};

/**
 * Calls of AI services: OpenAI-compatible ones, and Azure's speech. All of them are outside of transactions, have a time limit
 * and throw `ProviderFault`, or the reason of the caller's signal.
 */
export function createProvider(deps: {
  fetch: GuardedFetch;
  log: Logger;
  settings: ProviderSettings;
}) {
  const { fetch, settings } = deps;
  const dialects = new Map<string, Dialect>();

  function clientOf({ baseUrl, apiKey }: Account): OpenAI {
    return new OpenAI({
      ...{ baseURL: baseUrl, apiKey, maxRetries: RETRIES, timeout: settings.callMs },
      // Else the environment of the server says them.
      ...{ organization: null, project: null, adminAPIKey: null, webhookSecret: null },
      logLevel: "off",
      fetch: (input, init) =>
        fetch(input, { ...init, maxBytes: MAX_ANSWER_BYTES }).catch(asMisdirected),
    });
  }

  /** Aborts at the limit or with the caller. A timeout is a fault, an end by the caller is not. */
  async function within<T>(
    limit: AbortSignal,
    signal: AbortSignal,
    call: (both: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const both = AbortSignal.any([signal, limit]);
    try {
      both.throwIfAborted();
      return await call(both);
    } catch (error) {
      signal.throwIfAborted();
      throw faultOf(error, both.aborted);
    }
  }

  async function complete(wish: Wish, dialect: Dialect, signal: AbortSignal): Promise<unknown> {
    const { account, lines, maxTokens, temperature } = wish;
    return clientOf(account).chat.completions.create(
      {
        model: account.model,
        messages: lines.map((line) => ({ ...line })),
        ...(dialect.newTokenLimit
          ? { max_completion_tokens: maxTokens }
          : { max_tokens: maxTokens }),
        ...(dialect.noTools || wish.withoutTools ? {} : { tools }),
        ...(dialect.noTemperature ? {} : { temperature }),
      },
      { signal },
    );
  }

  /** In the dialect of the service, which its refusals say. */
  async function completeAnyhow(wish: Wish, signal: AbortSignal): Promise<unknown> {
    const { baseUrl, model } = wish.account;
    const name = `${baseUrl} ${model}`;
    for (;;) {
      const dialect = dialects.get(name) ?? usualDialect;
      try {
        return await complete(wish, dialect, signal);
      } catch (error) {
        const other = otherDialect(error, dialect);
        if (other === null) throw error;
        dialects.set(name, other);
        const [oldest] = dialects.keys();
        if (dialects.size > DIALECTS_KEPT && oldest !== undefined) dialects.delete(oldest);
      }
    }
  }

  return {
    /** The time that several calls for one answer have together. */
    timeLimit: (): AbortSignal => AbortSignal.timeout(settings.callMs),

    /** One answer to a conversation, whose last line is the customer's. */
    answer: (wish: Wish, signal: AbortSignal, limit: AbortSignal): Promise<Reply> =>
      within(limit, signal, async (both) =>
        toReply(replySchema.parse(await completeAnyhow(wish, both)), wish),
      ),

    /** What is said in a sound file; "" for nothing. */
    transcribe: (
      account: Account,
      sound: { name: string; mime: string; content: Uint8Array; model?: string },
      signal: AbortSignal,
      limit: AbortSignal,
    ): Promise<string> =>
      within(limit, signal, async (both) => {
        const file = await toFile(sound.content, sound.name, { type: sound.mime });
        const wish = { file, model: sound.model ?? promptDefaults.transcriptionModel };
        const answered: unknown = await clientOf(account).audio.transcriptions.create(wish, {
          signal: both,
        });
        const { text } = transcriptSchema.parse(answered);
        // PostgreSQL takes no null character.
        return text.replaceAll("\0", "").trim().slice(0, TRANSCRIPT_MAX);
      }),

    /** The models of an account; none where the service does not list them. Throws when it refuses the key. */
    models: (account: Account, signal: AbortSignal): Promise<string[]> =>
      within(AbortSignal.timeout(settings.checkMs), signal, async (both) => {
        try {
          const answered: unknown = await clientOf(account).get("/models", { signal: both });
          const { data } = modelsSchema.parse(answered);
          return data
            .map(({ id }) => id)
            .toSorted()
            .slice(0, MODELS_MAX);
        } catch (error) {
          const isUnlisted = error instanceof APIError && [404, 405].includes(error.status ?? 0);
          if (!isUnlisted) throw error;
          const lines: ChatLine[] = [{ role: "user", content: "Oi" }];
          await completeAnyhow({ account, lines, maxTokens: 16, temperature: 1 }, both);
          return [];
        }
      }),

    /** A voice note that says the text (Ogg with Opus). */
    speak: (
      { voice, key, region }: { voice: string; key: string; region: string },
      text: string,
      signal: AbortSignal,
    ): Promise<Uint8Array> =>
      within(AbortSignal.timeout(SPEECH_MS), signal, async (both) => {
        if (!/^[a-z0-9-]{2,40}$/.test(region)) throw new ProviderFault("address");
        const response = await fetch(settings.speechUrl(region), {
          method: "POST",
          headers: {
            "content-type": "application/ssml+xml",
            "ocp-apim-subscription-key": key,
            "x-microsoft-outputformat": "ogg-24khz-16bit-mono-opus",
            "user-agent": "balcao",
          },
          body: `<speak version="1.0" xml:lang="pt-BR"><voice name="${voice}">${spoken(text)}</voice></speak>`,
          ...{ signal: both, maxBytes: MAX_SPEECH_BYTES },
        });
        const content = new Uint8Array(await response.arrayBuffer());
        if (!response.ok) throw new ProviderFault(response.status === 401 ? "key" : "reply");
        if (content.byteLength === 0) throw new ProviderFault("reply");
        return content;
      }),
  };
}

export type Provider = ReturnType<typeof createProvider>;

/** What is read aloud (behaviour 7.4): letters, digits, blanks and marks, and so nothing of XML. */
export function spoken(text: string): string {
  return text
    .normalize("NFC")
    .replace(/[^A-Za-zÀ-ÖØ-öø-ÿ0-9\s!?.,;:]/g, "")
    .replace(/[ \t]+/g, " ")
    .trim();
}

function toReply({ choices, usage }: z.output<typeof replySchema>, { lines }: Wish): Reply {
  const [choice] = choices;
  if (!choice) throw new ProviderFault("reply");
  const text = (choice.message.content ?? "").trim();
  const call = choice.message.tool_calls?.find(({ function: { name } }) => name === HAND_OVER);
  if (text === "" && !call) throw new ProviderFault("reply");
  return {
    text,
    handOver: call ? { reason: reasonIn(call.function.arguments) } : null,
    isCut: choice.finish_reason === "length",
    tokens: usage
      ? { read: usage.prompt_tokens, written: usage.completion_tokens }
      : { read: estimated(lines.map(({ content }) => content).join()), written: estimated(text) },
  };
}

function reasonIn(given: string): string {
  try {
    return reasonSchema.parse(JSON.parse(given)).motivo.trim();
  } catch {
    // Half an argument is a wish all the same.
    return "";
  }
}

/** Services that do not count are counted, so that budgets hold. */
const CHARACTERS_OF_A_TOKEN = 4;
const estimated = (text: string): number => Math.ceil(text.length / CHARACTERS_OF_A_TOKEN);

/** Null: something else was refused. */
function otherDialect(error: unknown, dialect: Dialect): Dialect | null {
  if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return null;
  const said = `${error.param ?? ""} ${error.message}`;
  if (!dialect.newTokenLimit && said.includes("max_tokens")) {
    return { ...dialect, newTokenLimit: true };
  }
  if (!dialect.noTemperature && said.includes("temperature")) {
    return { ...dialect, noTemperature: true };
  }
  return !dialect.noTools && /tool|function/i.test(said) ? { ...dialect, noTools: true } : null;
}

const MISDIRECTED = 421;

/** The client tries errors of the network again, and a refused address for nothing. */
function asMisdirected(error: unknown): Response {
  if (!(error instanceof RefusedAddress) && !isNoHost(error)) throw error;
  return new Response(null, { status: MISDIRECTED, headers: { "x-should-retry": "false" } });
}

function faultOf(error: unknown, isTooLate: boolean): ProviderFault {
  if (error instanceof ProviderFault) return error;
  return new ProviderFault(isTooLate ? "slow" : kindOf(error), { cause: error });
}

function kindOf(error: unknown): PromptFault {
  if (error instanceof APIUserAbortError) return "slow";
  if (error instanceof RefusedAddress || isNoHost(error)) return "address";
  if (error instanceof APIConnectionError) return "slow";
  return error instanceof APIError ? kindOfAnswer(error) : "reply";
}

function kindOfAnswer({ status = 0, code, type, param, message }: APIError): PromptFault {
  if (code === "insufficient_quota" || type === "insufficient_quota" || status === 402) {
    return "credit";
  }
  if (status === 401 || status === 403) return "key";
  if (status === 429) return "rate";
  const isAboutModel = code === "model_not_found" || param === "model";
  if (isAboutModel || (status === 404 && /model/i.test(message))) return "model";
  const isElsewhere = status === 404 || status === MISDIRECTED || (status >= 300 && status < 400);
  return isElsewhere ? "address" : "reply";
}

const isNoHost = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOTFOUND";
