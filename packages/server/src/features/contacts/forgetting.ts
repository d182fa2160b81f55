import type { ContactId } from "@balcao/contract";
import { and, eq } from "drizzle-orm";
import type { Ctx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { hasId } from "../../platform/db/records.ts";
import { contactAddresses, contacts } from "../../platform/db/schema/index.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { keyedAddresses } from "./address.ts";
import { lockContact } from "./book.ts";
import { tellContactDeleted } from "./contact.ts";
import { lockAddresses } from "./repository.ts";

type ForgottenContact = { pictureKey: string | null };

/** Stands for the name of a contact that is being erased. */
const NO_NAME = "—";

/**
 * Takes number, addresses, name and picture from a contact that is to be erased: from here on a message of the person makes a new
 * contact. Throws ERR_NO_CONTACT_FOUND, for a group too.
 */
export async function forgetContact(
  ctx: Ctx,
  tx: Tx,
  contactId: ContactId,
  now: Date,
): Promise<ForgottenContact> {
  const isOfContact = and(
    eq(contactAddresses.companyId, ctx.companyId),
    eq(contactAddresses.contactId, contactId),
  );
  const addresses = await tx.orm.select().from(contactAddresses).where(isOfContact);
  // Before the contact: the order of locks (docs/people.md).
  await lockAddresses(ctx, tx, keyedAddresses(addresses));
  const contact = await lockContact(ctx, tx, contactId);
  if (contact.isGroup) throw new DomainError("ERR_NO_CONTACT_FOUND");
  await tx.orm.delete(contactAddresses).where(isOfContact);
  await tx.orm
    .update(contacts)
    .set({
      ...{ name: NO_NAME, number: null, email: "", pictureKey: null },
      ...{ active: false, disableBot: true, updatedAt: now },
    })
    .where(hasId(ctx, contacts, contactId));
  return { pictureKey: contact.pictureKey };
}

/** Deletes a forgotten contact with its tickets. Returns whether it was still there. */
export async function removeForgotten(
  { realtime, domainEvents }: { realtime: Realtime; domainEvents: DomainEvents },
  ctx: Ctx,
  tx: Tx,
  contactId: ContactId,
): Promise<boolean> {
  const removing = { contactId };
  await domainEvents.publish(tx, ctx, "contact.removing", removing);
  const rows = await tx.orm
    .select({ id: contacts.id })
    .from(contacts)
    .where(hasId(ctx, contacts, contactId))
    .for("update");
  if (rows.length === 0) return false;
  // Tickets that were made before the lock.
  await domainEvents.publish(tx, ctx, "contact.removing", removing);
  await tx.orm.delete(contacts).where(hasId(ctx, contacts, contactId));
  tellContactDeleted({ realtime }, tx, ctx, contactId);
  return true;
}
