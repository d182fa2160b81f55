import { basename } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { CompanyId, QueueId, TicketId, UserId } from "@balcao/contract";
import { addMilliseconds } from "date-fns/addMilliseconds";
import { addMinutes } from "date-fns/addMinutes";
import { isAfter } from "date-fns/isAfter";
import { z } from "zod";
import type { Database } from "../../platform/db/database.ts";
import { findRecord } from "../../platform/db/records.ts";
import { integrations } from "../../platform/db/schema/index.ts";
import type { GuardedFetch } from "../../platform/http/guarded-fetch.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import { isMediaKey } from "../../platform/media/media-store.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { Clock } from "../../platform/sources.ts";
import type {
  Afterwards,
  AttendantMessage,
  Asker,
  OutsideAnswer,
  OutsideQuestion,
} from "../attendant/index.ts";
import type { MediaFiles, StoredFile } from "../media/index.ts";
import { AUTOMATIC_MARK } from "../messages/index.ts";
import type { createDialogflow, DialogflowQuery } from "./dialogflow.ts";
import { openKey, parseKey } from "./secrets.ts";
import type { TypebotSaying, TypebotTurn } from "./typebot.ts";
import { continueChat, isInvalid, startChat, TypebotRefused } from "./typebot.ts";

export type AskersDeps = {
  db: Database;
  clock: Clock;
  log: Logger;
  seal: Seal;
  fetch: GuardedFetch;
  media: Pick<MediaFiles, "storeFile" | "openFile">;
  dialogflow: ReturnType<typeof createDialogflow>;
};

type Row = typeof integrations.$inferSelect;
type Message = OutsideQuestion["facts"]["messages"][number];
type Say = Extract<OutsideAnswer, { kind: "say" }>;

/** One call of a bot outside. */
const CALL_LIMIT_MS = 10_000;
/** Longer than the attendant waits for an answer. */
const BUSY_MS = 45_000;
const BUSY_LOOK_MS = 200;

/** Typebot and Dialogflow as services that the attendant asks in place of its menu (behaviour 7.7 and 7.8). */
export function createAskers(deps: AskersDeps): Asker[] {
  const askerOf = (type: "typebot" | "dialogflow", converse: Converse): Asker => ({
    name: type,
    takes: (helper) => helper.kind === "integration" && helper.type === type,
    ask: (question, signal) => answerOnce(deps, question, signal, converse),
  });
  return [
    askerOf("typebot", (...of) => askTypebot(deps, ...of)),
    askerOf("dialogflow", (...of) => askDialogflow(deps, ...of)),
  ];
}

/** The conversation with a bot, while this process has it. */
type Talk = {
  question: OutsideQuestion;
  bot: Row;
  customer: Customer;
  /** "" before it begins. */
  sessionId: string;
  /** When the customer wrote before; null: not in this conversation. */
  wroteBefore: Date | null;
  /** The messages that the bot does not know. */
  news: readonly Message[];
};
type Customer = { number: string; name: string };
/** The bot's answer to the news, and the conversation afterwards. */
type Converse = (talk: Talk, signal: AbortSignal) => Promise<{ sessionId: string; answer: Say }>;

/**
 * Asks a bot that remembers: it gets each message once, and its answer is kept until it counts as said. Where an answer was
 * dropped because the customer wrote again, the next one begins with it.
 */
async function answerOnce(
  deps: AskersDeps,
  question: OutsideQuestion,
  signal: AbortSignal,
  converse: Converse,
): Promise<OutsideAnswer> {
  const { companyId, ticketId, helper, isFirst, facts } = question;
  if (helper.kind !== "integration") return { kind: "pass" };
  const { messages } = facts;
  const [oldest, newest] = [messages[0], messages.at(-1)];
  if (!oldest || !newest) return { kind: "pass" };

  const session = await claimSession(deps, question, signal);
  const release = (saved: Partial<Session>) =>
    saveSession(deps, question, { ...session, ...saved });
  try {
    const isRepeated = session.lastSeq >= oldest.seq;
    const unsaid = isRepeated ? keptAnswer.parse(session.pending) : null;
    const news = messages.filter(({ seq }) => seq > session.lastSeq);
    // It has left the ticket already, or nothing is new.
    if (unsaid && (unsaid.next.kind !== "stay" || news.length === 0)) {
      await release({});
      return unsaid;
    }
    const isForgotten = isFirst && !isRepeated;
    const { bot, customer } = await readBot(deps, companyId, ticketId, helper.id);
    const talk = {
      ...{ question, bot, customer, news },
      sessionId: isForgotten ? "" : session.sessionId,
      wroteBefore: isForgotten || session.sessionId === "" ? null : session.lastAt,
    };
    const said = await converse(talk, signal);
    const answer = { ...said.answer, sends: [...(unsaid?.sends ?? []), ...said.answer.sends] };
    const isOver = answer.next.kind !== "stay";
    await release({
      sessionId: isOver ? "" : said.sessionId,
      ...{ lastSeq: newest.seq, lastAt: newest.at, pending: answer },
    });
    return answer;
  } catch (error) {
    await release({});
    throw error;
  }
}

type Session = { sessionId: string; lastSeq: number; lastAt: Date; pending: unknown };

/** What was stored by `saveSession`. */
const pause = { pauseMs: z.number().optional() };
const keptAnswer = z.object({
  kind: z.literal("say"),
  sends: z.array(
    z.union([
      z.object({ ...pause, kind: z.literal("text"), text: z.string(), isLiteral: z.boolean() }),
      z.object({
        ...{ ...pause, kind: z.literal("file") },
        file: z.object({ key: z.string().refine(isMediaKey), name: z.string() }),
        stored: z.custom<StoredFile>((value) => typeof value === "object"),
      }),
    ]),
  ),
  next: z.union([
    z.object({ kind: z.enum(["stay", "leave", "close"]) }),
    z.object({
      ...{ kind: z.literal("handOver"), queueId: z.number().transform((id) => id as QueueId) },
      userId: z
        .number()
        .nullable()
        .transform((id) => id as UserId | null),
    }),
  ]),
}) satisfies z.ZodType<Say>;

/** Waits while another question about the ticket is open, in any process. */
async function claimSession(
  { db, clock }: AskersDeps,
  { companyId, ticketId, helper }: OutsideQuestion,
  signal: AbortSignal,
): Promise<Session> {
  for (;;) {
    signal.throwIfAborted();
    const now = clock.now();
    const values = [companyId, ticketId, helper.id, now, addMilliseconds(now, BUSY_MS)];
    const [session] = await db.transaction({ companyId }, (tx) =>
      tx.query<Session>(claimStatement, values),
    );
    if (session) return session;
    await sleep(BUSY_LOOK_MS, undefined, { signal });
  }
}

async function saveSession(
  { db }: AskersDeps,
  { companyId, ticketId }: OutsideQuestion,
  { sessionId, lastSeq, lastAt, pending }: Session,
): Promise<void> {
  const values = [companyId, ticketId, sessionId, lastSeq, lastAt, JSON.stringify(pending)];
  await db.transaction({ companyId }, (tx) => tx.query(saveStatement, values));
}

/** Throws ERR_NO_DIALOG_FOUND for an integration that was deleted. */
async function readBot(
  { db }: AskersDeps,
  companyId: CompanyId,
  ticketId: TicketId,
  id: Row["id"],
): Promise<{ bot: Row; customer: Customer }> {
  return db.transaction({ companyId }, async (tx) => {
    const bot = await findRecord({ companyId }, tx, integrations, id, "ERR_NO_DIALOG_FOUND");
    const [customer] = await tx.query<Customer>(customerStatement, [companyId, ticketId]);
    return { bot, customer: customer ?? { number: "", name: "" } };
  });
}

/** What people wrote, without the texts of other bots. */
function textsOf(news: readonly Message[]): string[] {
  return news.flatMap(({ isText, body }) =>
    isText && body.trim() !== "" && !body.startsWith(AUTOMATIC_MARK) ? [body] : [],
  );
}

const text = (words: string, pauseMs = 0): AttendantMessage[] =>
  words.trim() === "" ? [] : [{ kind: "text", text: words, isLiteral: true, pauseMs }];
const say = (sends: readonly AttendantMessage[], next: Afterwards): Say => ({
  ...{ kind: "say", sends, next },
});

async function askTypebot(deps: AskersDeps, talk: Talk, signal: AbortSignal): ReturnType<Converse> {
  const { bot, news, wroteBefore, customer, sessionId } = talk;
  const texts = textsOf(news);
  const isSaid = (keyword: string): boolean =>
    keyword !== "" && texts.some((one) => one.trim().toLowerCase() === keyword.toLowerCase());
  if (isSaid(bot.typebotKeywordFinish))
    return { sessionId: "", answer: say([], { kind: "close" }) };
  if (isSaid(bot.typebotKeywordRestart)) {
    const sends = text(bot.typebotRestartMessage);
    return { sessionId: "", answer: say(sends, { kind: "stay" }) };
  }
  const wroteAt = news[0]?.at;
  const isExpired =
    bot.typebotExpiresMinutes > 0 &&
    wroteBefore !== null &&
    wroteAt !== undefined &&
    isAfter(wroteAt, addMinutes(wroteBefore, bot.typebotExpiresMinutes));
  const open = isExpired ? "" : sessionId;
  // In the middle of a flow only texts are answers.
  if (open !== "" && texts.length === 0) {
    return { sessionId: open, answer: say([], { kind: "stay" }) };
  }
  const turn = await turnOf(
    deps,
    bot,
    { customer, sessionId: open, words: texts.join("\n") },
    signal,
  );
  const unknown = text(bot.typebotUnknownMessage);
  if (turn === null) return { sessionId: "", answer: say(unknown, { kind: "leave" }) };
  const answer = await toAnswer(deps, talk, turn.sayings, signal);
  return { sessionId: turn.sessionId ?? open, answer };
}

type Asked = { customer: Customer; sessionId: string; words: string };

/** The flow's turn; a flow that is gone or fails is begun anew once. Null: it failed again. */
async function turnOf(
  { fetch, log }: AskersDeps,
  bot: Row,
  { customer, sessionId, words }: Asked,
  signal: AbortSignal,
): Promise<TypebotTurn | null> {
  const address = { url: bot.url, slug: bot.typebotSlug };
  const limit = () => AbortSignal.any([signal, AbortSignal.timeout(CALL_LIMIT_MS)]);
  const goOn = (session: string) =>
    continueChat(fetch, address, { sessionId: session, text: words }, limit());
  const begin = async (): Promise<TypebotTurn> => {
    const who = { number: customer.number, pushName: customer.name };
    const started = await startChat(fetch, address, who, limit());
    const isSilent = started.sayings.length === 0 && started.sessionId !== null && words !== "";
    if (!isSilent) return started;
    return { ...(await goOn(started.sessionId ?? "")), sessionId: started.sessionId };
  };
  const attempts = [sessionId === "" ? begin : () => goOn(sessionId), begin];
  for (const attempt of attempts) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      const status = error instanceof TypebotRefused ? error.status : null;
      const { id, companyId } = bot;
      log.warn({ err: error, companyId, integrationId: id, status }, "a typebot did not answer");
    }
  }
  return null;
}

const FILES_MAX = 5;
const FILE_MAX_BYTES = 20_000_000;

/** What the flow says until it gives the ticket away. */
async function toAnswer(
  deps: AskersDeps,
  { bot, question }: Talk,
  sayings: readonly TypebotSaying[],
  signal: AbortSignal,
): Promise<Say> {
  const { typebotDelayMs: pauseMs, typebotUnknownMessage: unknown } = bot;
  if (sayings.length === 0) return say(text(unknown, pauseMs), { kind: "stay" });
  const sends: AttendantMessage[] = [];
  let files = 0;
  for (const saying of sayings) {
    switch (saying.kind) {
      case "text":
        sends.push(...text(isInvalid(saying) ? unknown : saying.text, pauseMs));
        break;
      case "file": {
        files += 1;
        const file =
          files > FILES_MAX ? null : await fetchFile(deps, question.companyId, saying, signal);
        sends.push(...(file ? [{ ...file, pauseMs }] : text(saying.url, pauseMs)));
        break;
      }
      case "command": {
        const { command } = saying;
        if (command.kind === "stop") return say(sends, { kind: "leave" });
        const { queueId, userId } = command;
        // Checked by the attendant: these may be of nobody, or of another company.
        const to = { queueId: queueId as QueueId, userId: userId as UserId | null };
        return say(sends, { kind: "handOver", ...to });
      }
    }
  }
  return say(sends, { kind: "stay" });
}

const extensions = { image: "jpg", audio: "mp4", video: "mp4" };

/** Null for a file that cannot be had: its address is sent in its place. */
async function fetchFile(
  { fetch, media, log }: AskersDeps,
  companyId: CompanyId,
  { as, url }: Extract<TypebotSaying, { kind: "file" }>,
  signal: AbortSignal,
): Promise<AttendantMessage | null> {
  const ownName = basename(new URL(url).pathname).replaceAll(/[^\w.-]/g, "");
  const type = /\.\w{2,4}$/.exec(ownName)?.[0] ?? `.${extensions[as]}`;
  // Sounds are sent as voice notes, like recordings of users.
  const name = as === "audio" ? `audio-record-site${type}` : ownName || `${as}${type}`;
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(CALL_LIMIT_MS)]);
    const response = await fetch(url, { signal: limit, maxBytes: FILE_MAX_BYTES });
    if (!response.ok || !response.body) return null;
    const content = response.body;
    const stored = await media.storeFile(companyId, { name, content }, { accept: "any" });
    return { kind: "file", file: { key: stored.key, name: stored.name }, stored };
  } catch (error) {
    signal.throwIfAborted();
    log.info({ err: error, companyId }, "a file of a typebot was not had");
    return null;
  }
}

const QUERY_TEXT_MAX = 256;
const NOT_UNDERSTOOD = "Não consegui entender sua dúvida.";
const BETWEEN_TEXTS_MS = 500;
/** A minute is what Dialogflow takes. */
const AUDIO_MAX_BYTES = 1_000_000;
/** A voice message arrives before its file. */
const VOICE_LOOKS = 20;
const VOICE_LOOK_MS = 250;

async function askDialogflow(
  deps: AskersDeps,
  { bot, news, customer, question }: Talk,
  signal: AbortSignal,
): ReturnType<Converse> {
  const { seal, dialogflow } = deps;
  const { name, language, projectName, jsonContent } = bot;
  const { ticketId, companyId } = question;
  const key = jsonContent ? openKey(seal, companyId, jsonContent) : "";
  const account = parseKey(key, projectName);
  if (!account) throw new Error("the integration has no key of its project");
  const session =
    customer.number === "" ? `ticket-${ticketId}` : `${customer.number}@s.whatsapp.net`;
  const query = await queryOf(deps, question, news, signal);
  if (query === null) return { sessionId: session, answer: say([], { kind: "stay" }) };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(CALL_LIMIT_MS)]);
  const { texts, isOver } = await dialogflow.detectIntent(
    { account, language },
    session,
    query,
    limit,
  );
  const said = texts.length === 0 ? [NOT_UNDERSTOOD] : texts;
  const sends = said.flatMap((words, index) =>
    text(`*${name}:* ${words}`, index === 0 ? 0 : BETWEEN_TEXTS_MS),
  );
  return { sessionId: session, answer: say(sends, { kind: isOver ? "leave" : "stay" }) };
}

/** Texts as one; without any the newest voice message. */
async function queryOf(
  { db, media }: AskersDeps,
  { companyId, ticketId }: OutsideQuestion,
  news: readonly Message[],
  signal: AbortSignal,
): Promise<DialogflowQuery | null> {
  const words = textsOf(news).join("\n").slice(0, QUERY_TEXT_MAX);
  if (words !== "") return { text: words };
  const seqs = news.map(({ seq }) => seq);
  for (let look = 1; look <= VOICE_LOOKS; look += 1) {
    const [found] = await db.transaction({ companyId }, (tx) =>
      tx.query<{ key: string | null; state: string }>(voiceStatement, [
        ...[companyId, ticketId, seqs, AUDIO_MAX_BYTES],
      ]),
    );
    if (found?.state === "loading") {
      await sleep(VOICE_LOOK_MS, undefined, { signal });
      continue;
    }
    const key = found?.key ?? "";
    const file = isMediaKey(key) ? await media.openFile(companyId, key) : null;
    return file && { audio: await buffer(file.content) };
  }
  return null;
}

/** No row while it is claimed. A conversation with another bot is forgotten. */
const claimStatement = {
  name: "integrations.claim-session",
  text: `
insert into bot_sessions as s (company_id, ticket_id, integration_id, session_id, last_at, busy_until)
values ($1, $2, $3, '', $4, $5)
on conflict (company_id, ticket_id) do update set busy_until = excluded.busy_until,
  session_id = case when s.integration_id = excluded.integration_id then s.session_id else '' end,
  last_seq = case when s.integration_id = excluded.integration_id then s.last_seq else 0 end,
  integration_id = excluded.integration_id
where s.busy_until is null or s.busy_until <= $4
returning session_id as "sessionId", last_seq as "lastSeq", last_at as "lastAt", pending`,
};

const saveStatement = {
  name: "integrations.save-session",
  text: `
update bot_sessions set session_id = $3, last_seq = $4, last_at = $5, pending = $6, busy_until = null
where company_id = $1 and ticket_id = $2`,
};

const customerStatement = {
  name: "integrations.customer",
  text: `
select coalesce(c.number, '') as number, c.name
from tickets t join contacts c on c.company_id = t.company_id and c.id = t.contact_id
where t.company_id = $1 and t.id = $2`,
};

const voiceStatement = {
  name: "integrations.voice",
  text: `
select a.file_key as key, a.state
from messages m join message_media a on a.company_id = m.company_id and a.message_id = m.id
where m.company_id = $1 and m.ticket_id = $2 and m.seq = any ($3::bigint[])
  and a.kind = 'voice' and a.bytes <= $4
order by m.seq desc limit 1`,
};
