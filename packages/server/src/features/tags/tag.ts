import type { Tag } from "@balcao/contract";
import { wireDates } from "../../platform/db/records.ts";
import type { tags } from "../../platform/db/schema/index.ts";

export type TagRow = typeof tags.$inferSelect;

/** A tag as the wire has it. */
export function toTag(row: TagRow): Tag {
  const { id, companyId, name, color, kanban } = row;
  return { id, companyId, name, color, kanban, ...wireDates(row) };
}
