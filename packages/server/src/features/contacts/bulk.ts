import type { ContactBulkAction, ContactId, InputOf, ReplyOf } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError, requirePermission } from "../../platform/context.ts";
import type { ContactsDeps } from "./book.ts";
import { removeContact, saveOptOut } from "./book.ts";
import { readChosen } from "./book-lists.ts";

type Outcome = "changed" | "refused" | "unchanged";

/**
 * Does something to the next contacts of a selection, each in a transaction of its own: what was done stays done, and
 * somebody who writes meanwhile waits for one contact, not for all.
 */
export async function changeChosen(
  deps: ContactsDeps,
  ctx: UserCtx,
  { selection, action, afterId }: InputOf<"POST /contacts/bulk">["body"],
): Promise<ReplyOf<"POST /contacts/bulk">> {
  if (action === "remove") requirePermission(ctx, "contacts:delete");
  const limit = limits.contactBulkMax;
  const next = { afterId, limit, now: deps.clock.now() };
  const ids = await deps.db.transaction(ctx, (tx) => readChosen(ctx, tx, selection, next));
  const changedIds: ContactId[] = [];
  let refused = 0;
  for (const id of ids) {
    const outcome = await changeOne(deps, ctx, id, action);
    if (outcome === "changed") changedIds.push(id);
    if (outcome === "refused") refused += 1;
  }
  return { changedIds, refused, afterId: ids.length < limit ? null : (ids.at(-1) ?? null) };
}

async function changeOne(
  deps: ContactsDeps,
  ctx: UserCtx,
  id: ContactId,
  action: ContactBulkAction,
): Promise<Outcome> {
  try {
    if (action === "remove") {
      await removeContact(deps, ctx, id);
      return "changed";
    }
    const { isChanged } = await saveOptOut(deps, ctx, id, action === "optOut");
    return isChanged ? "changed" : "unchanged";
  } catch (error) {
    if (error instanceof DomainError && error.code === "ERR_CONTACT_HAS_TICKET") return "refused";
    // Somebody else deleted it.
    if (error instanceof DomainError && error.code === "ERR_NO_CONTACT_FOUND") return "unchanged";
    throw error;
  }
}
