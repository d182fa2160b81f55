import type { HelpProposal, HelpWish, MessageId, TicketId, UserId } from "@balcao/contract";
import type { FastifyReply } from "fastify";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, PreparedStatement, Tx } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Clock } from "../../platform/sources.ts";
import type { AiAnswer, AiQuestion } from "../prompts/index.ts";
import { firstName, MESSAGE_MAX } from "../prompts/index.ts";
import { findVisibility, readableCondition, readerOf, requireVisible } from "../tickets/index.ts";
import type { HelpData, KnownPart, Said, StoredMessage } from "./lines.ts";
import { helpLines, proposalOf, saidOf, toNumbered, wordsOf } from "./lines.ts";

export type AiHelpDeps = {
  db: Database;
  clock: Clock;
  /** Asks the company's AI service, outside of transactions and within its time limit. */
  askAi: (ctx: Ctx, question: AiQuestion, signal: AbortSignal) => Promise<AiAnswer>;
  /** The parts of the company's knowledge base that fit a text, best first. */
  findKnowledge: (ctx: Ctx, text: string) => Promise<readonly KnownPart[]>;
};

/** Help for agents: proposals of the company's AI service. Nothing is sent or stored. */
export function createAiHelpFeature(deps: AiHelpDeps) {
  const turns = createTurns(deps.clock);
  return {
    register(routes: Routes): void {
      routes.handle("POST /tickets/:ticketId/help", ({ ctx, params, body, reply }) =>
        turns.within(ctx.actor.userId, async () => {
          const signal = untilClosed(reply);
          try {
            return await propose(deps, ctx, params.ticketId, body, signal);
          } catch (error) {
            // The caller has left: no fault of ours, and nobody reads the refusal.
            throw signal.aborted ? new DomainError("ERR_PROMPT_NO_ANSWER") : error;
          }
        }),
      );
    },
  };
}

/** Messages of a ticket that a model reads. */
const MESSAGES_READ = 40;
/** The customer's messages that show the language. */
const MESSAGES_OF_LANGUAGE = 5;
/** The customer's last messages, for which the knowledge base is searched. */
const MESSAGES_SEARCHED = 3;
const TEMPERATURE = 0.3;
const maxTokensOf = ({ kind }: HelpWish): number =>
  kind === "suggest" || kind === "summary" ? 600 : 2_500;

/** Asks for a proposal about a ticket that the user sees, with messages that the user may read. */
async function propose(
  deps: AiHelpDeps,
  ctx: UserCtx,
  ticketId: TicketId,
  wish: HelpWish,
  signal: AbortSignal,
): Promise<HelpProposal> {
  const messageId = wish.kind === "translateMessage" ? wish.messageId : null;
  const read = await deps.db.transaction(ctx, async (tx) => {
    requireVisible(ctx, await findVisibility(ctx, tx, ticketId));
    return needsMessages(wish) ? readMessages(ctx, tx, ticketId, messageId) : [];
  });
  if (messageId !== null && read.length === 0) throw new DomainError("ERR_NO_MESSAGE_FOUND");
  const parts = wish.kind === "suggest" ? await deps.findKnowledge(ctx, questionOf(read)) : [];
  const { data, knownLinks } = dataOf(wish, read, parts);
  const question = {
    lines: helpLines(wish, data),
    maxTokens: maxTokensOf(wish),
    temperature: TEMPERATURE,
  };
  const { text } = await deps.askAi(ctx, question, signal);
  const proposal = proposalOf(wish, text, { parts, knownLinks });
  if (proposal.text === "") throw new DomainError("ERR_PROMPT_BAD_REPLY");
  return proposal;
}

function needsMessages(wish: HelpWish): boolean {
  switch (wish.kind) {
    case "suggest":
    case "summary":
    case "translateMessage":
      return true;
    case "translate":
      return wish.language === "customer";
    case "shorter":
    case "friendlier":
    case "correct":
      return false;
  }
}

/** What the customer asks last. */
function questionOf(read: readonly ReadMessage[]): string {
  const asked = read.filter(({ fromMe }) => !fromMe).slice(-MESSAGES_SEARCHED);
  return asked.map(wordsOf).join("\n");
}

/** The data for the model, and the texts whose links a proposal may repeat. Customers' links are none of an answer. */
function dataOf(
  wish: HelpWish,
  read: readonly ReadMessage[],
  parts: readonly KnownPart[],
): { data: HelpData; knownLinks: string } {
  const textOf = (said: readonly Said[]): string => said.map(({ texto }) => texto).join("\n");
  const conversa = saidOf(read);
  switch (wish.kind) {
    case "suggest": {
      if (conversa.length === 0 && wish.draft === "") throw new DomainError("ERR_AI_HELP_NOTHING");
      const cliente = firstName(read[0]?.contactName ?? "");
      const rascunho = wish.draft === "" ? {} : { rascunho: wish.draft };
      const ours = textOf(conversa.filter(({ de }) => de !== "cliente"));
      return {
        data: { cliente, conversa, ...rascunho, trechos: toNumbered(parts) },
        knownLinks: [ours, wish.draft, ...parts.map(({ text }) => text)].join("\n"),
      };
    }
    case "summary":
      if (conversa.length === 0) throw new DomainError("ERR_AI_HELP_NOTHING");
      return { data: { conversa }, knownLinks: textOf(conversa) };
    case "shorter":
    case "friendlier":
    case "correct":
      return { data: { texto: wish.text }, knownLinks: wish.text };
    case "translate": {
      if (wish.language !== "customer") {
        return { data: { texto: wish.text }, knownLinks: wish.text };
      }
      const said = conversa.filter(({ de }) => de === "cliente").slice(-MESSAGES_OF_LANGUAGE);
      if (said.length === 0) throw new DomainError("ERR_AI_HELP_NOTHING");
      return { data: { texto: wish.text, conversa: said }, knownLinks: wish.text };
    }
    case "translateMessage": {
      const texto = read.map(wordsOf).join("\n").slice(0, MESSAGE_MAX);
      if (texto === "") throw new DomainError("ERR_AI_HELP_NOTHING");
      return { data: { texto }, knownLinks: texto };
    }
  }
}

type ReadMessage = StoredMessage & { contactName: string };

/** The newest messages of a ticket that the caller may read, oldest first, or the given one. Notes are no messages. */
async function readMessages(
  ctx: UserCtx,
  tx: Tx,
  ticketId: TicketId,
  messageId: MessageId | null,
): Promise<ReadMessage[]> {
  const reader = readerOf(ctx);
  const values: unknown[] = [ctx.companyId, ticketId, messageId];
  const rows =
    reader === null
      ? await tx.query<ReadMessage>(readStatement, values)
      : await tx.query<ReadMessage>(readOwnStatement, [...values, reader.queueIds, reader.userId]);
  return rows.toReversed();
}

const AT_ONCE = 2;
const PER_MINUTE = 30;
const MINUTE_MS = 60_000;

/** Limits the proposals of each user: two at once, thirty in a minute. Counted by this process, against runaway clients. */
function createTurns(clock: Clock) {
  const running = new Map<UserId, number>();
  const begun = new Map<UserId, number[]>();

  function begin(userId: UserId): void {
    const now = clock.now().getTime();
    const recent = (begun.get(userId) ?? []).filter((at) => at > now - MINUTE_MS);
    const [oldest] = recent;
    if (oldest !== undefined && recent.length >= PER_MINUTE) {
      const retryAfterSeconds = Math.ceil((oldest + MINUTE_MS - now) / 1_000);
      throw new DomainError("ERR_TOO_MANY_REQUESTS", { retryAfterSeconds });
    }
    const count = running.get(userId) ?? 0;
    if (count >= AT_ONCE) throw new DomainError("ERR_AI_HELP_BUSY");
    running.set(userId, count + 1);
    begun.set(userId, [...recent, now]);
  }

  function end(userId: UserId): void {
    const left = (running.get(userId) ?? 1) - 1;
    if (left > 0) running.set(userId, left);
    else running.delete(userId);
  }

  return {
    async within<T>(userId: UserId, work: () => Promise<T>): Promise<T> {
      begin(userId);
      try {
        return await work();
      } finally {
        end(userId);
      }
    },
  };
}

/** Aborts when the caller closes the connection before the answer. */
function untilClosed({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once("close", () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

const readText = (readable: string): string => `
select m.from_me as "fromMe", m.is_automatic as "isAutomatic", m.body, f.kind, f.transcript, c.name as "contactName"
from messages m
join tickets t on t.company_id = m.company_id and t.id = m.ticket_id
join contacts c on c.company_id = t.company_id and c.id = t.contact_id
left join message_media f on f.company_id = m.company_id and f.message_id = m.id
where m.company_id = $1 and m.ticket_id = $2 and ($3::uuid is null or m.id = $3::uuid)
  and not m.is_deleted and m.failed_code is null and ${readable}
  and (f.kind is not null or m.media_type in ('conversation', 'extendedTextMessage'))
order by m.created_at desc, m.seq desc
limit ${MESSAGES_READ}`;

const readStatement: PreparedStatement = { name: "ai-help.read", text: readText("true") };

const readOwnStatement: PreparedStatement = {
  name: "ai-help.read-own",
  text: readText(
    readableCondition("m", {
      ...{ ticketUser: "t.user_id", ticketQueue: "t.queue_id" },
      ...{ queues: "$4::int[]", user: "$5::int" },
    }),
  ),
};
