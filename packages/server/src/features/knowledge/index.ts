import type {
  CompanyEvents,
  FoundKnowledge,
  InputOf,
  KnowledgeBody,
  KnowledgeId,
  KnowledgeItem,
  ReplyOf,
  ResultOf,
  ShownKnowledgeItem,
} from "@balcao/contract";
import { limits, pageSizes } from "@balcao/contract";
import { and, eq, getTableColumns, isNull, or, sql } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import {
  contains,
  hasId,
  listTotal,
  readPage,
  requireRow,
  wireDates,
} from "../../platform/db/records.ts";
import { knowledgeItems, knowledgeParts, users } from "../../platform/db/schema/index.ts";
import { readDocument } from "../../platform/documents/read.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import type { IncomingFile } from "../media/index.ts";
import { partsOf } from "./parts.ts";
import { findKnowledge } from "./search.ts";

export type KnowledgeDeps = { db: Database; clock: Clock; realtime: Realtime };

/** The knowledge base of a company: articles, questions with answers and the texts of files, which agents quote. */
export function createKnowledgeFeature(deps: KnowledgeDeps) {
  const find = (ctx: Ctx, text: string): Promise<FoundKnowledge[]> =>
    deps.db.transaction(ctx, (tx) => findKnowledge(tx, ctx, text));
  return {
    /** What the company's knowledge base says to a text (`findKnowledge`). */
    find,
    register(routes: Routes): void {
      routes.handle("GET /knowledge", ({ ctx, query }) => listItems(deps, ctx, query));
      routes.handle("GET /knowledge/:knowledgeId", ({ ctx, params }) =>
        showItem(deps, ctx, params.knowledgeId),
      );
      routes.handle("POST /knowledge", ({ ctx, body }) => createItem(deps, ctx, body));
      routes.handle("PUT /knowledge/:knowledgeId", ({ ctx, params, body }) =>
        updateItem(deps, ctx, params.knowledgeId, body),
      );
      routes.handle("DELETE /knowledge/:knowledgeId", async ({ ctx, params }) => {
        await removeItem(deps, ctx, params.knowledgeId);
        return { message: "Knowledge deleted" };
      });
      routes.handle("POST /knowledge/upload", ({ ctx, upload }) => readFile(ctx, upload.files()));
      routes.handle("POST /knowledge/search", async ({ ctx, body }) => ({
        parts: await find(ctx, body.text),
      }));
    },
  };
}

const { text: storedText, ...columnsWithoutText } = getTableColumns(knowledgeItems);
const listedColumns = {
  ...columnsWithoutText,
  length: sql<number>`char_length(${storedText})`,
  author: users.name,
};
type ListedRow = Omit<typeof knowledgeItems.$inferSelect, "text"> & {
  length: number;
  author: string | null;
};

const isAuthor = and(
  eq(users.companyId, knowledgeItems.companyId),
  eq(users.id, knowledgeItems.userId),
  isNull(users.deletedAt),
);

async function listItems(
  { db }: KnowledgeDeps,
  ctx: UserCtx,
  { searchParam, pageNumber }: InputOf<"GET /knowledge">["query"],
): Promise<ReplyOf<"GET /knowledge">> {
  const { id, companyId, title, fileName } = knowledgeItems;
  const hasWords = sql`exists (select from knowledge_parts p where p.company_id = ${companyId} and p.item_id = ${id}
    and p.words @@ array_to_string(tsvector_to_array(f_words(${searchParam})), ' & ')::tsquery)`;
  const isFound =
    searchParam === ""
      ? undefined
      : or(contains(title, searchParam), contains(fileName, searchParam), hasWords);
  const { rows, ...totals } = await db.transaction(ctx, (tx) =>
    readPage(pageNumber, pageSizes.knowledge, (limit, offset) =>
      tx.orm
        .select({ ...listedColumns, total: listTotal })
        .from(knowledgeItems)
        .leftJoin(users, isAuthor)
        .where(and(eq(companyId, ctx.companyId), isFound))
        .orderBy(sql`f_norm(${title})`, id)
        .limit(limit)
        .offset(offset),
    ),
  );
  return { items: rows.map(toItem), ...totals };
}

async function showItem(
  { db }: KnowledgeDeps,
  ctx: UserCtx,
  id: KnowledgeId,
): Promise<ShownKnowledgeItem> {
  const rows = await db.transaction(ctx, (tx) =>
    tx.orm
      .select({ ...listedColumns, text: storedText })
      .from(knowledgeItems)
      .leftJoin(users, isAuthor)
      .where(hasId(ctx, knowledgeItems, id)),
  );
  const row = requireRow(rows, "ERR_NO_KNOWLEDGE_FOUND");
  return { ...toItem(row), text: row.text };
}

async function createItem(
  deps: KnowledgeDeps,
  ctx: UserCtx,
  body: KnowledgeBody,
): Promise<KnowledgeItem> {
  const now = deps.clock.now();
  const { companyId, actor } = ctx;
  const file = body.kind === "file" ? {} : { fileName: "", fileBytes: 0 };
  return deps.db.transaction(ctx, async (tx) => {
    // Those who add at the same time wait for each other, so that the limit holds.
    await tx.query(lockAddingStatement, [companyId]);
    const max = limits.knowledgeItemsMax;
    const count = await tx.orm.$count(knowledgeItems, eq(knowledgeItems.companyId, companyId));
    if (count >= max) throw new DomainError("ERR_KNOWLEDGE_LIMIT", { max });
    const values = { ...body, ...file, companyId, userId: actor.userId };
    const rows = await tx.orm
      .insert(knowledgeItems)
      .values({ ...values, createdAt: now, updatedAt: now })
      .returning();
    return saved(deps, ctx, tx, requireRow(rows), "create");
  });
}

async function updateItem(
  deps: KnowledgeDeps,
  ctx: UserCtx,
  id: KnowledgeId,
  change: InputOf<"PUT /knowledge/:knowledgeId">["body"],
): Promise<KnowledgeItem> {
  return deps.db.transaction(ctx, async (tx) => {
    const values = { ...change, userId: ctx.actor.userId, updatedAt: deps.clock.now() };
    const rows = await tx.orm
      .update(knowledgeItems)
      .set(values)
      .where(hasId(ctx, knowledgeItems, id))
      .returning();
    return saved(deps, ctx, tx, requireRow(rows, "ERR_NO_KNOWLEDGE_FOUND"), "update");
  });
}

async function removeItem(deps: KnowledgeDeps, ctx: UserCtx, id: KnowledgeId): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    const rows = await tx.orm
      .delete(knowledgeItems)
      .where(hasId(ctx, knowledgeItems, id))
      .returning({ id: knowledgeItems.id });
    requireRow(rows, "ERR_NO_KNOWLEDGE_FOUND");
    tell(deps, ctx, tx, { action: "delete", knowledgeId: id });
  });
}

/** Its parts are made anew, and everybody learns of it. */
async function saved(
  deps: KnowledgeDeps,
  ctx: UserCtx,
  tx: Tx,
  { text, ...row }: typeof knowledgeItems.$inferSelect,
  action: "create" | "update",
): Promise<KnowledgeItem> {
  const { companyId, id, title } = row;
  await tx.orm
    .delete(knowledgeParts)
    .where(and(eq(knowledgeParts.companyId, companyId), eq(knowledgeParts.itemId, id)));
  await tx.query(addPartsStatement, [companyId, id, title, partsOf(text)]);
  tell(deps, ctx, tx, { action, knowledge: { id } });
  return toItem({ ...row, length: text.length, author: ctx.actor.name });
}

/** The text of the one file; whoever sent it corrects and saves it. */
async function readFile(
  { companyId }: UserCtx,
  files: AsyncIterable<IncomingFile>,
): Promise<ResultOf<"POST /knowledge/upload">> {
  for await (const { name, content } of files) {
    let fileBytes = 0;
    async function* counted(): AsyncGenerator<Uint8Array> {
      for await (const chunk of content) {
        fileBytes += chunk.byteLength;
        yield chunk;
      }
    }
    const { knowledgeTextMax: maxCharacters, knowledgeFileMaxBytes: maxFileBytes } = limits;
    const wish = { maxPages: PAGES_MAX, maxCharacters, maxFileBytes };
    const file = { name, content: counted() };
    const { text, isCut } = await readDocument(file, { companyId, limits: wish });
    return { fileName: name.slice(0, limits.fileNameMax), fileBytes, text, isCut };
  }
  throw new DomainError("ERR_FILE_MISSING");
}

const PAGES_MAX = 500;

function toItem(row: ListedRow): KnowledgeItem {
  const { id, companyId, kind, title, fileName, fileBytes, length, isActive, author } = row;
  const file = { fileName, fileBytes };
  return {
    id,
    companyId,
    kind,
    title,
    ...file,
    length,
    isActive,
    author: author ?? "",
    ...wireDates(row),
  };
}

function tell(
  { realtime }: KnowledgeDeps,
  { companyId }: UserCtx,
  tx: Tx,
  event: CompanyEvents["knowledge"],
): void {
  tx.onCommit(() => {
    realtime.publish(companyId, "knowledge", event, [rooms.main(companyId)]);
  });
}

const lockAddingStatement = {
  name: "knowledge.lock-adding",
  text: `
select pg_advisory_xact_lock(hashtextextended('knowledge ' || company_id, 7193))
from (values ($1::int)) as its(company_id)`,
};

// By hand: one round trip for all parts.
const addPartsStatement = {
  name: "knowledge.add-parts",
  text: `
insert into knowledge_parts (company_id, item_id, position, text, words)
select $1, $2, place - 1, part, setweight(f_words($3), 'A') || f_words(part)
from unnest($4::text[]) with ordinality as its(part, place)`,
};
