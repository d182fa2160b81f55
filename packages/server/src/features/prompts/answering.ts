import type { FoundKnowledge, PromptId } from "@balcao/contract";
import { setTimeout as sleep } from "node:timers/promises";
import type { Ctx } from "../../platform/context.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { IdSource } from "../../platform/sources.ts";
import type {
  Asker,
  AttendantMessage,
  OutsideAnswer,
  OutsideQuestion,
} from "../attendant/index.ts";
import type { MediaFiles } from "../media/index.ts";
import type { Meant, SaidMessage } from "./conversation.ts";
import { linesOf, meaningOf, questionOf, readConversation } from "./conversation.ts";
import type { PromptForm, PromptsDeps } from "./prompts.ts";
import { openForm } from "./prompts.ts";
import type { Provider } from "./provider.ts";
import { ProviderFault } from "./provider.ts";
import type { Heard, TranscriptsDeps } from "./transcripts.ts";
import { writeDown } from "./transcripts.ts";
import type { FoundPrompt } from "./usage.ts";
import { countAnswer, findPrompt, noteFault, pauseOf, tellBudget } from "./usage.ts";

export type AnsweringDeps = PromptsDeps & {
  ids: IdSource;
  log: Logger;
  media: Pick<MediaFiles, "openFile" | "storeCustomerFile">;
  provider: Provider;
  messages: TranscriptsDeps["messages"];
  /** What the company's knowledge base says to a text. */
  findKnowledge: (ctx: Ctx, text: string) => Promise<FoundKnowledge[]>;
};

const PASS: OutsideAnswer = { kind: "pass" };
const SILENCE: OutsideAnswer = { kind: "say", sends: [], next: { kind: "stay" } };

/** A voice note arrives before its file. */
const FILE_LOOKS = 20;
const FILE_LOOK_MS = 500;

/**
 * Answers customers as the prompt says (behaviour 7.1 to 7.4). Only texts and sounds are answered. A prompt that may not answer
 * now, or whose provider fails, leaves the ticket to the menu, and the admins see why.
 */
export function createPromptAsker(deps: AnsweringDeps): Asker {
  return {
    name: "prompt",
    takes: ({ kind }) => kind === "prompt",
    async ask(question, signal) {
      const { helper } = question;
      if (helper.kind !== "prompt") return PASS;
      const ctx = systemCtx(question.companyId, "prompts", deps.ids.uuid());
      return answerCustomer(deps, ctx, question, helper.id, signal);
    },
  };
}

async function answerCustomer(
  deps: AnsweringDeps,
  ctx: Ctx,
  question: OutsideQuestion,
  id: PromptId,
  signal: AbortSignal,
): Promise<OutsideAnswer> {
  const { ticketId } = question;
  const found = await deps.db.transaction(ctx, (tx) => findPrompt(deps, ctx, tx, id, ticketId));
  if (!found) return PASS;
  const pause = pauseOf(found);
  if (pause === "day") await tellBudget(deps, ctx, found);
  if (pause !== null) return PASS;
  const form = openForm(deps.seal, found);
  const { answered, unanswered } = await readWithFiles(deps, ctx, question, found, signal);
  if (unanswered.length === 0) return SILENCE;
  try {
    for (const message of unanswered) await transcribe(deps, ctx, form, message, signal);
    const known = form.useKnowledge ? await deps.findKnowledge(ctx, questionOf(unanswered)) : [];
    const lines = linesOf(form, found.contactName, [...answered, ...unanswered], known);
    const limit = deps.provider.timeLimit();
    const reply = await deps.provider.answer({ account: form, lines, ...form }, signal, limit);
    await countAnswer(deps, ctx, found, reply.tokens, { ticketId });
    return await toAnswer(deps, ctx, question, form, meaningOf(reply, form, known), signal);
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    const { companyId } = ctx;
    deps.log.warn({ err: error, companyId, ticketId, promptId: id }, "a prompt did not answer");
    await noteFault(deps, ctx, found, error.fault);
    return PASS;
  }
}

/** Waits a while for the files of voice notes. */
async function readWithFiles(
  { db }: AnsweringDeps,
  ctx: Ctx,
  question: OutsideQuestion,
  { maxMessages }: FoundPrompt,
  signal: AbortSignal,
) {
  for (let look = 1; ; look += 1) {
    const said = await db.transaction(ctx, (tx) =>
      readConversation(ctx, tx, question, maxMessages),
    );
    const isLoading = said.unanswered.some(({ sound }) => sound?.state === "loading");
    if (!isLoading || look === FILE_LOOKS) return said;
    await sleep(FILE_LOOK_MS, undefined, { signal });
  }
}

/**
 * Has a voice note written down. Where that fails the model is told that it could not be heard: the customer may write, and a
 * refused key shows at the answer.
 */
async function transcribe(
  deps: AnsweringDeps,
  ctx: Ctx,
  form: PromptForm,
  { id, sound }: SaidMessage,
  signal: AbortSignal,
): Promise<void> {
  if (sound?.state !== "ready" || sound.transcript !== null) return;
  // The time for which somebody else has the voice note is not the provider's.
  const hear = (heard: Heard): Promise<string> =>
    deps.provider.transcribe(form, heard, signal, deps.provider.timeLimit());
  try {
    sound.transcript = await writeDown(deps, ctx, id, hear, signal);
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    deps.log.warn({ err: error, companyId: ctx.companyId }, "a voice note was not transcribed");
  }
}

async function toAnswer(
  deps: AnsweringDeps,
  ctx: Ctx,
  { facts }: OutsideQuestion,
  form: PromptForm,
  { text: written, handOver }: Meant,
  signal: AbortSignal,
): Promise<OutsideAnswer> {
  // A tool says nothing to the customer, who learns that a person will come.
  const text = written === "" && handOver ? facts.texts.personComes : written;
  const sends = text === "" ? [] : [await said(deps, ctx, form, text, signal)];
  if (handOver) {
    const note = handOver.reason === "" ? {} : { note: { by: form.name, note: handOver.reason } };
    return { kind: "say", sends, next: { kind: "handOver", queueId: form.queueId, ...note } };
  }
  return { kind: "say", sends, next: { kind: "stay" } };
}

/** The text as a voice note, or as it is where there is no voice, or none that speaks (behaviour 7.4). */
async function said(
  deps: AnsweringDeps,
  ctx: Ctx,
  { voice, voiceKey, voiceRegion }: PromptForm,
  text: string,
  signal: AbortSignal,
): Promise<AttendantMessage> {
  const written = { kind: "text", text, isLiteral: true } as const;
  if (voice === "texto" || voiceKey === "") return written;
  try {
    const wish = { voice, key: voiceKey, region: voiceRegion };
    const sound = await deps.provider.speak(wish, text, signal);
    const file = { name: "voz.ogg", claimedKind: "voice", content: once(sound) } as const;
    const stored = await deps.media.storeCustomerFile(ctx.companyId, file);
    if (stored.kind !== "voice") throw new ProviderFault("reply");
    return { kind: "file", file: { key: stored.key, name: stored.name }, stored };
  } catch (error) {
    signal.throwIfAborted();
    deps.log.warn({ err: error, companyId: ctx.companyId }, "a voice did not speak; it is written");
    return written;
  }
}

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}
