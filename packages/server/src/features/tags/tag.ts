import type { CompanyId, ListedTag, NewTag, Tag, TagChange, TagId } from "@balcao/contract";
import { limits } from "@balcao/contract";
import { DomainError } from "../../platform/context.ts";
import { toIso } from "../../platform/db/row-dates.ts";

export type TagRow = {
  id: TagId;
  companyId: CompanyId;
  name: string;
  color: string;
  kanban: number;
  createdAt: Date;
  updatedAt: Date;
};

/** What people choose of a tag; no two tags of a company are equal in all of it. */
export type TagValues = Pick<TagRow, "name" | "color" | "kanban">;

/** The values of a new tag; throws ERR_TAG_INVALID_NAME. */
export function newTagValues({ name, color, kanban }: NewTag): TagValues {
  requireName(name);
  return { name, color, kanban };
}

/**
 * The values of a tag after a change. Who may not manage tags changes only whether it is a lane of the board; clients
 * send the other fields along, which is no harm as long as they are what they were.
 */
export function changedValues(
  tag: TagValues,
  change: TagChange,
  { mayManage }: { mayManage: boolean },
): TagValues {
  const { name = tag.name, color = tag.color, kanban = tag.kanban } = change;
  if (!mayManage && (name !== tag.name || color !== tag.color)) {
    throw new DomainError("ERR_NO_PERMISSION");
  }
  if (change.name !== undefined) requireName(name);
  return { name, color, kanban };
}

function requireName(name: string): void {
  if (name.length < limits.tagNameMin) throw new DomainError("ERR_TAG_INVALID_NAME");
}

export function toTagDto(row: TagRow): Tag {
  return {
    id: row.id,
    name: row.name,
    color: row.color,
    kanban: row.kanban,
    companyId: row.companyId,
    createdAt: toIso(row.createdAt),
    updatedAt: toIso(row.updatedAt),
  };
}

export function toListedTagDto(row: TagRow & { ticketsCount: number }): ListedTag {
  return { ...toTagDto(row), ticketsCount: row.ticketsCount };
}
