import type { AuditAction, AuditKind } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import { actorText } from "../../platform/db/acting.ts";
import type { PreparedStatement, Tx } from "../../platform/db/database.ts";

export type NotedFields = Readonly<Record<string, unknown>>;

/** A deed that no table's trigger notes. */
export type AuditNote = {
  action: AuditAction;
  kind: AuditKind;
  /** The id of the thing; "" where there is no single one. */
  id: string | number;
  /** The name that people give it. */
  label: string;
  /** The changed fields; never a secret or the text of a message. */
  before?: NotedFields;
  after?: NotedFields;
  /** With the same mark it is noted once, however often it is done. */
  once?: string;
};

const noteStatement: PreparedStatement = {
  name: "audit.note",
  text: `select note_audit($1::jsonb, $2, $3, $4, $5, $6, $7::jsonb, $8::jsonb, $9)`,
};

/** Notes a deed in the transaction that does it: one statement, and none for what tables' triggers note. */
export async function note(tx: Tx, ctx: Ctx, entry: AuditNote): Promise<void> {
  const { action, kind, id, label, before, after, once } = entry;
  await tx.query(noteStatement, [
    ...[actorText(ctx), ctx.companyId, action, kind, String(id), label],
    ...[asJson(before), asJson(after), once ?? null],
  ]);
}

const asJson = (fields: NotedFields | undefined): string | null =>
  fields === undefined ? null : JSON.stringify(fields);

const replaceStatement: PreparedStatement = {
  name: "audit.replace",
  text: `select replace_in_audit($1::jsonb, $2, $3::text[], $4, $5::int[]) as entries`,
};

/**
 * Replaces a person's names and numbers in the company's entries, for an erasure, and notes that. Texts of fewer than three
 * characters are left; entries about these contacts lose label and values whole. Returns how many entries had something.
 */
export async function replaceInAudit(
  tx: Tx,
  ctx: Ctx,
  texts: readonly string[],
  replacement: string,
  contactIds: readonly number[] = [],
): Promise<number> {
  const values = [actorText(ctx), ctx.companyId, texts, replacement, contactIds];
  const [row] = await tx.query<{ entries: number }>(replaceStatement, values);
  return row?.entries ?? 0;
}
