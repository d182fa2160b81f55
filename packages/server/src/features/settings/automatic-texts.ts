import type { AutomaticText, AutomaticTextKey } from "@balcao/contract";
import { automaticTextKeys, automaticTexts } from "@balcao/contract";
import { and, eq, sql } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { settings } from "../../platform/db/schema/index.ts";
import type { Routes } from "../../platform/http/routes.ts";

type Deps = { db: Database };

/** The texts that customers get by themselves. They are rows of the company's settings; no row is the default. */
export function registerAutomaticTexts(deps: Deps, routes: Routes): void {
  routes.handle("GET /automatic-texts", ({ ctx }) => listTexts(deps, ctx));
  routes.handle("PUT /automatic-texts/:key", ({ ctx, params, body }) =>
    writeText(deps, ctx, params.key, body.text),
  );
  routes.handle("DELETE /automatic-texts/:key", ({ ctx, params }) =>
    resetText(deps, ctx, params.key),
  );
}

/** Stored texts by their keys in the settings, as `storedTexts` reads them; null where there are none. */
export type StoredTexts = Readonly<Record<string, string>> | null;

const storedKey = (key: AutomaticTextKey): string => `text.${key}`;

/** The text that customers of a company with these stored texts get. */
export function textIn(stored: StoredTexts, key: AutomaticTextKey): string {
  return stored?.[storedKey(key)] ?? automaticTexts[key].default;
}

/** An SQL expression for the stored texts of a company: `StoredTexts`. */
export function storedTexts(companyId: string, keys: readonly AutomaticTextKey[]): string {
  return `(select json_object_agg(x.key, x.value) from settings x
    where x.company_id = ${companyId} and x.key in (${quoted(keys)}))`;
}

/** An SQL expression for a text that has no default: the company's own, or an empty one. */
export function storedText(companyId: string, key: AutomaticTextKey): string {
  return `coalesce((select x.value from settings x where x.company_id = ${companyId} and x.key = ${quoted([key])}), '')`;
}

const quoted = (keys: readonly AutomaticTextKey[]): string =>
  keys.map((key) => `'${storedKey(key)}'`).join(", ");

/** One text of the company. */
export async function readText(
  { companyId }: Pick<Ctx, "companyId">,
  tx: Tx,
  key: AutomaticTextKey,
): Promise<string> {
  const [row] = await tx.query<{ value: string }>(textStatement, [companyId, storedKey(key)]);
  return row?.value ?? automaticTexts[key].default;
}

async function listTexts({ db }: Deps, ctx: UserCtx): Promise<AutomaticText[]> {
  const rows = await db.read<{ key: string; value: string }>(ctx, listStatement, [ctx.companyId]);
  const stored = Object.fromEntries(rows.map(({ key, value }) => [key, value]));
  return automaticTextKeys.map((key) => ({
    key,
    text: textIn(stored, key),
    isDefault: stored[storedKey(key)] === undefined,
  }));
}

async function writeText(
  { db }: Deps,
  ctx: UserCtx,
  key: AutomaticTextKey,
  text: string,
): Promise<AutomaticText> {
  await db.transaction(ctx, (tx) =>
    tx.orm
      .insert(settings)
      .values({ companyId: ctx.companyId, key: storedKey(key), value: text })
      .onConflictDoUpdate({
        target: [settings.companyId, settings.key],
        set: { value: text, updatedAt: sql`now()` },
      }),
  );
  return { key, text, isDefault: false };
}

async function resetText(
  { db }: Deps,
  ctx: UserCtx,
  key: AutomaticTextKey,
): Promise<AutomaticText> {
  await db.transaction(ctx, (tx) =>
    tx.orm
      .delete(settings)
      .where(and(eq(settings.companyId, ctx.companyId), eq(settings.key, storedKey(key)))),
  );
  return { key, text: automaticTexts[key].default, isDefault: true };
}

// Prepared: calls and transfers read a text.
const textStatement = {
  name: "settings.text",
  text: "select value from settings where company_id = $1 and key = $2",
};

const listStatement = {
  name: "settings.texts",
  text: "select key, value from settings where company_id = $1 and key like 'text.%'",
};
