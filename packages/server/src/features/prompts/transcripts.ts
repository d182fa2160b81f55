import type { CompanyId, Message, MessageId, PromptFault } from "@balcao/contract";
import { addMinutes } from "date-fns/addMinutes";
import { subMinutes } from "date-fns/subMinutes";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, systemCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { DomainEvents, EventPayloads } from "../../platform/events.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import type { IdSource } from "../../platform/sources.ts";
import type { MediaFiles } from "../media/index.ts";
import type { MessagesFeature } from "../messages/index.ts";
import type { AiServiceDeps, FoundService } from "./ai-service.ts";
import { countUse, findService, notingFaults } from "./ai-service.ts";
import { ProviderFault } from "./provider.ts";
import { lastingFaults, never, orCode } from "./usage.ts";

export type TranscriptsDeps = AiServiceDeps & {
  ids: IdSource;
  wake: Wake;
  domainEvents: DomainEvents;
  media: Pick<MediaFiles, "openFile">;
  messages: Pick<MessagesFeature, "keepTranscript" | "showMessage">;
  lookEveryMs?: number;
};

/** The content of a voice note, as a provider takes it. */
export type Heard = { name: string; mime: string; content: Uint8Array };

type Job = { companyId: CompanyId; messageId: MessageId };
type StoredSound = {
  /** Null while it is not stored, too large, or deleted. */
  key: string | null;
  name: string;
  mime: string;
  transcript: string | null;
  /** Claims of it before, by the worker. */
  attempts: number;
};

type Known = { transcript: string | null };

const TOPIC = "transcripts";
const LOOK_MS = 30_000;
const AT_ONCE = 4;
const HELD = 40;
const PER_COMPANY = 10;
const SOUND_MAX_BYTES = 20_000_000;
/** Longer than a call may take: a claim that is older was lost with its process. */
const CLAIM_MINUTES = 2;
/** Minutes before the next try. */
const RETRY_MINUTES = [1, 10] as const;
/** Older voice notes come from the history of a phone that was just connected: nobody waits for them. */
const OLDEST_MINUTES = 24 * 60;
/** Somebody else may have the same voice note written down. */
const LOOKS = 20;
const BETWEEN_LOOKS_MS = 500;

/**
 * Has customers' voice notes written down when their files have arrived (`ai_services.transcribes`), in any number of processes.
 * The row of a voice note is claimed for each call and deleted after it. A lasting fault of the service leaves the rows, for
 * a day at most, and nobody looks at them; a used up budget of the day deletes them.
 */
export function createTranscripts(deps: TranscriptsDeps): DueWorker<Job> {
  deps.domainEvents.on("message.fileStored", (ctx, tx, stored) => enqueue(deps, ctx, tx, stored));
  return new DueWorker<Job>({
    name: "transcripts",
    log: deps.log,
    lookEveryMs: deps.lookEveryMs ?? LOOK_MS,
    wokenBy: { wake: deps.wake, topic: TOPIC, inMs: 0 },
    look: async (limit, held) => {
      const values = [deps.clock.now(), [...lastingFaults], PER_COMPANY + held, limit + held];
      const due = await deps.db.acrossCompanies((tx) => tx.query<Job>(lookStatement, values));
      return { due };
    },
    work: {
      atOnce: AT_ONCE,
      batch: HELD,
      idOf: ({ messageId }) => messageId,
      companyOf: ({ companyId }) => companyId,
      run: (job, signal) =>
        runJob(deps, systemCtx(job.companyId, "transcripts", deps.ids.uuid()), job, signal),
    },
  });
}

/** Makes a customer's voice note due: not in groups, and nothing that may be seen once only. */
async function enqueue(
  deps: TranscriptsDeps,
  ctx: Ctx,
  tx: Tx,
  { message, ticket }: EventPayloads["message.fileStored"],
): Promise<void> {
  const { media, fromMe, sentAt, messageId } = message;
  if (media === null || !["voice", "audio"].includes(media.kind)) return;
  if (fromMe || ticket.isGroup || media.isViewOnce || media.bytes > SOUND_MAX_BYTES) return;
  const now = deps.clock.now();
  if (sentAt < subMinutes(now, OLDEST_MINUTES)) return;
  const made = await tx.query(enqueueStatement, [ctx.companyId, messageId, now]);
  if (made.length > 0) deps.wake.notify(tx, TOPIC);
}

async function runJob(
  deps: TranscriptsDeps,
  ctx: Ctx,
  { messageId }: Job,
  signal: AbortSignal,
): Promise<void> {
  try {
    const service = await findService(deps, ctx, "sound");
    const sound = await claim(deps, ctx, messageId, "job");
    if (!sound) return;
    await hearOnce(deps, ctx, messageId, sound, hearBy(deps, ctx, service, signal));
  } catch (error) {
    if (signal.aborted || error instanceof ProviderFault) return;
    if (!(error instanceof DomainError)) throw error;
    if (error.code === "ERR_PROMPT_BUDGET_USED") await drop(deps, ctx, messageId);
  }
}

/** Has a voice note written down for a colleague who reads it. Throws ERR_NO_TRANSCRIPT for one that cannot be read. */
export async function transcribeMessage(
  deps: TranscriptsDeps,
  ctx: UserCtx,
  messageId: MessageId,
): Promise<Message> {
  const message = await deps.messages.showMessage(ctx, messageId);
  if (message.transcript !== null) return message;
  const service = await findService(deps, ctx, "sound");
  const hear = hearBy(deps, ctx, service, never());
  const text = await orCode(writeDown(deps, ctx, messageId, hear, never()));
  if (text === null) throw new DomainError("ERR_NO_TRANSCRIPT");
  return deps.messages.showMessage(ctx, messageId);
}

/** By the company's AI service, which counts it. */
function hearBy(
  deps: TranscriptsDeps,
  ctx: Ctx,
  service: FoundService,
  signal: AbortSignal,
): (sound: Heard) => Promise<string> {
  return async (sound) => {
    const { provider } = deps;
    const wish = { ...sound, model: service.transcriptionModel };
    const asked = provider.transcribe(service.account, wish, signal, provider.timeLimit());
    // A file that it cannot read says nothing about the service.
    const isOfService = (fault: PromptFault): boolean => fault !== "reply";
    const text = await notingFaults(deps, ctx, service, asked, isOfService);
    await countUse(deps, ctx, service, { tokens: 0, answers: 0, sounds: 1 });
    return text;
  };
}

/**
 * Has a voice note written down and keeps the text with its message, once for all who ask at the same time: the others wait
 * for the first one. "" for a sound without speech; null for a sound that cannot be read, or where the wait was too long.
 */
export async function writeDown(
  deps: Omit<TranscriptsDeps, "wake" | "domainEvents">,
  ctx: Ctx,
  messageId: MessageId,
  hear: (sound: Heard) => Promise<string>,
  signal: AbortSignal,
): Promise<string | null> {
  for (let look = 1; ; look += 1) {
    const sound = await claim(deps, ctx, messageId, "person");
    if (sound) return hearOnce(deps, ctx, messageId, sound, hear);
    const [known] = await deps.db.transaction(ctx, (tx) =>
      tx.query<Known>(readStatement, [ctx.companyId, messageId]),
    );
    if (!known || known.transcript !== null || look === LOOKS) return known?.transcript ?? null;
    await sleep(BETWEEN_LOOKS_MS, undefined, { signal });
  }
}

type StoreDeps = Pick<TranscriptsDeps, "db" | "clock" | "media" | "messages">;

/** Null when somebody else has it, when it has its text, or when there is nothing to be read. */
async function claim(
  { db, clock }: StoreDeps,
  ctx: Ctx,
  messageId: MessageId,
  by: "job" | "person",
): Promise<StoredSound | null> {
  const now = clock.now();
  const values = [ctx.companyId, messageId, now, addMinutes(now, CLAIM_MINUTES), SOUND_MAX_BYTES];
  const statement = by === "job" ? claimDueStatement : claimStatement;
  return db.transaction(ctx, async (tx) => {
    const [claimed] = await tx.query<Omit<StoredSound, "transcript">>(statement, values);
    if (!claimed) return null;
    // A claim can follow one whose text was not stored yet when the statement began.
    const [known] = await tx.query<Known>(readStatement, [ctx.companyId, messageId]);
    return { ...claimed, transcript: known?.transcript ?? null };
  });
}

/** Under a claim. A failure returns the claim: the next try comes later, the third one was the last. */
async function hearOnce(
  deps: StoreDeps,
  ctx: Ctx,
  messageId: MessageId,
  { key, name, mime, transcript, attempts }: StoredSound,
  hear: (sound: Heard) => Promise<string>,
): Promise<string | null> {
  const { db, media, messages } = deps;
  const opened = key === null ? null : await media.openFile(ctx.companyId, key);
  if (!opened || transcript !== null) {
    await drop(deps, ctx, messageId);
    return transcript;
  }
  try {
    const text = await hear({ name, mime, content: await buffer(opened.content) });
    await db.transaction(ctx, async (tx) => {
      await messages.keepTranscript(ctx, tx, messageId, text);
      await tx.query(dropStatement, [ctx.companyId, messageId]);
    });
    return text;
  } catch (error) {
    if (attempts > RETRY_MINUTES.length) await drop(deps, ctx, messageId);
    else {
      const dueAt = addMinutes(deps.clock.now(), RETRY_MINUTES[Math.max(0, attempts - 1)] ?? 0);
      const values = [ctx.companyId, messageId, dueAt];
      await db.transaction(ctx, (tx) => tx.query(releaseStatement, values));
    }
    throw error;
  }
}

async function drop({ db }: StoreDeps, ctx: Ctx, messageId: MessageId): Promise<void> {
  await db.transaction(ctx, (tx) => tx.query(dropStatement, [ctx.companyId, messageId]));
}

// By hand: claims are one round trip, and the look goes over all companies.
const isFree = (job: string, now: string): string =>
  `(${job}.claimed_until is null or ${job}.claimed_until < ${now})`;

const lookStatement = {
  name: "transcripts.look",
  text: `
select due.company_id as "companyId", due.message_id as "messageId"
from (select distinct company_id from transcript_jobs where due_at <= $1) waiting
join ai_services s on s.company_id = waiting.company_id and s.transcribes and (s.fault is null or s.fault <> all($2::text[]))
join companies n on n.id = s.company_id
join plans p on p.id = n.plan_id and p.use_open_ai
cross join lateral (
  select j.company_id, j.message_id from transcript_jobs j
  where j.company_id = waiting.company_id and j.due_at <= $1 and ${isFree("j", "$1")}
  order by j.due_at limit $3
) due
limit $4`,
};

const enqueueStatement = {
  name: "transcripts.enqueue",
  text: `
insert into transcript_jobs (company_id, message_id, due_at, created_at)
select s.company_id, $2, $3, $3 from ai_services s
join companies n on n.id = s.company_id
join plans p on p.id = n.plan_id and p.use_open_ai
where s.company_id = $1 and s.transcribes
on conflict do nothing
returning message_id`,
};

/** Select list of `StoredSound` for a job `j`, a file `f` and a message `m`. */
const soundColumns = `
  case when f.state = 'ready' and not m.is_deleted and f.bytes <= $5 then f.file_key end as key,
  f.name, f.mime`;

const claimDueStatement = {
  name: "transcripts.claim-due",
  text: `
update transcript_jobs j set claimed_until = $4, attempts = j.attempts + 1
from message_media f join messages m on m.company_id = f.company_id and m.id = f.message_id
where j.company_id = $1 and j.message_id = $2 and j.due_at <= $3 and ${isFree("j", "$3")}
  and f.company_id = $1 and f.message_id = $2
returning ${soundColumns}, j.attempts`,
};

const claimStatement = {
  name: "transcripts.claim",
  text: `
with mine as (
  insert into transcript_jobs as j (company_id, message_id, due_at, claimed_until, created_at)
  select f.company_id, f.message_id, $3, $4, $3
  from message_media f join messages m on m.company_id = f.company_id and m.id = f.message_id
  where f.company_id = $1 and f.message_id = $2 and f.transcript is null and f.kind in ('voice', 'audio')
    and f.state = 'ready' and f.bytes <= $5 and not m.is_deleted
  on conflict (company_id, message_id) do update set claimed_until = excluded.claimed_until where ${isFree("j", "$3")}
  returning j.attempts
)
select ${soundColumns}, mine.attempts
from mine, message_media f join messages m on m.company_id = f.company_id and m.id = f.message_id
where f.company_id = $1 and f.message_id = $2`,
};

/** Nothing where there is no text to wait for. */
const readStatement = {
  name: "transcripts.read",
  text: `
select f.transcript from message_media f
where f.company_id = $1 and f.message_id = $2 and (f.transcript is not null
  or exists (select from transcript_jobs j where j.company_id = $1 and j.message_id = $2))`,
};

const releaseStatement = {
  name: "transcripts.release",
  text: `update transcript_jobs set claimed_until = null, due_at = $3 where company_id = $1 and message_id = $2`,
};

const dropStatement = {
  name: "transcripts.drop",
  text: "delete from transcript_jobs where company_id = $1 and message_id = $2",
};
