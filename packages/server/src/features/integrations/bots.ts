import type { InputOf, IntegrationId, ReplyOf } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { findRecord } from "../../platform/db/records.ts";
import { integrations } from "../../platform/db/schema/index.ts";
import type { GuardedFetch } from "../../platform/http/guarded-fetch.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { Clock } from "../../platform/sources.ts";
import type { Deliveries } from "./deliveries.ts";
import { faultOf } from "./deliveries.ts";
import { testEvent } from "./delivery-log.ts";
import type { createDialogflow } from "./dialogflow.ts";
import { DialogflowRefused } from "./dialogflow.ts";
import { openKey, parseKey } from "./secrets.ts";
import { startChat, TypebotRefused } from "./typebot.ts";

export type BotsDeps = {
  db: Database;
  clock: Clock;
  seal: Seal;
  fetch: GuardedFetch;
  engine: Pick<Deliveries, "sendOnce">;
  dialogflow: ReturnType<typeof createDialogflow>;
};

const TEST_LIMIT_MS = 10_000;
const GREETING = "Ola";

type TestReply = ReplyOf<"POST /queueIntegration/:integrationId/test">;

/** Asks a receiver or bot once; what goes wrong is the reply. Throws ERR_NO_DIALOG_FOUND. */
export async function testIntegration(
  deps: BotsDeps,
  ctx: UserCtx,
  id: IntegrationId,
): Promise<TestReply> {
  const { db, clock, seal, fetch, engine, dialogflow } = deps;
  const row = await db.transaction(ctx, (tx) =>
    findRecord(ctx, tx, integrations, id, "ERR_NO_DIALOG_FOUND"),
  );
  const { type, url, typebotSlug: slug, projectName, language, jsonContent } = row;
  if (type === "n8n" || type === "webhook") {
    const { status, fault, tookMs } = await engine.sendOnce(
      { ...row, ticketId: null },
      testEvent(clock.now()),
    );
    const isOk = status !== null && status >= 200 && status < 300;
    return { isOk, status, fault, tookMs, messages: [] };
  }
  const signal = AbortSignal.timeout(TEST_LIMIT_MS);
  return timed(async () => {
    if (type === "typebot") {
      const customer = { number: "", pushName: ctx.actor.name };
      const { sayings } = await startChat(fetch, { url, slug }, customer, signal);
      return sayings.flatMap((saying) => (saying.kind === "text" ? [saying.text] : []));
    }
    const text = jsonContent ? openKey(seal, row.companyId, jsonContent) : "";
    const account = parseKey(text, projectName);
    if (!account) throw new DialogflowRefused(null);
    const agent = { account, language };
    const reply = await dialogflow.detectIntent(agent, "TestSession", { text: GREETING }, signal);
    return reply.texts;
  });
}

async function timed(ask: () => Promise<string[]>): Promise<TestReply> {
  const beganMs = performance.now();
  const tookMs = (): number => Math.round(performance.now() - beganMs);
  try {
    const messages = await ask();
    return { isOk: true, status: 200, fault: null, tookMs: tookMs(), messages };
  } catch (error) {
    const isRefused = error instanceof TypebotRefused || error instanceof DialogflowRefused;
    const status = isRefused ? error.status : null;
    const fault = isRefused ? null : faultOf(error);
    return { isOk: false, status, fault, tookMs: tookMs(), messages: [] };
  }
}

/** Throws ERR_TEST_SESSION_DIALOG without a working key, and ERR_TEST_REPLY_DIALOG when the agent says nothing. */
export async function testSession(
  { db, seal, dialogflow }: BotsDeps,
  ctx: UserCtx,
  body: InputOf<"POST /queueIntegration/testSession">["body"],
): Promise<ReplyOf<"POST /queueIntegration/testSession">> {
  const { projectName, language, integrationId } = body;
  let text = body.jsonContent;
  if (integrationId !== undefined) {
    const { companyId, jsonContent } = await db.transaction(ctx, (tx) =>
      findRecord(ctx, tx, integrations, integrationId, "ERR_NO_DIALOG_FOUND"),
    );
    if (text === "" && jsonContent) text = openKey(seal, companyId, jsonContent);
  }
  const account = parseKey(text, projectName);
  if (!account) throw new DomainError("ERR_TEST_SESSION_DIALOG");
  const reply = await timed(async () => {
    const signal = AbortSignal.timeout(TEST_LIMIT_MS);
    const agent = { account, language };
    return (await dialogflow.detectIntent(agent, "TestSession", { text: GREETING }, signal)).texts;
  });
  if (!reply.isOk) throw new DomainError("ERR_TEST_SESSION_DIALOG");
  if (reply.messages.length === 0) throw new DomainError("ERR_TEST_REPLY_DIALOG");
  return { messages: reply.messages };
}
