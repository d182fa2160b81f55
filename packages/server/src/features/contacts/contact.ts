import type {
  CompanyId,
  Contact,
  ContactId,
  ContactRef,
  ExtraInfo,
  ListedContact,
} from "@balcao/contract";
import { isPlaceholderName, limits } from "@balcao/contract";
import type { Tx } from "../../platform/db/database.ts";
import { toIso, toIsoOrNull, wireDates } from "../../platform/db/records.ts";
import type { contacts } from "../../platform/db/schema/index.ts";
import type { MediaKey } from "../../platform/media/media-store.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { SignFile } from "../media/index.ts";
import type { KeyedAddress } from "./address.ts";
import { numberOf } from "./address.ts";

type StoredRow = typeof contacts.$inferSelect;

/** A contact as tickets and messages carry it. */
export type ContactRow = Pick<
  StoredRow,
  "id" | "companyId" | "name" | "number" | "email" | "pictureKey" | "isGroup"
> & { isOptedOut: boolean };

/** A contact with all that the company keeps of it. */
export type FullContactRow = ContactRow &
  Pick<
    StoredRow,
    | "active"
    | "disableBot"
    | "optedOutAt"
    | "optOutSource"
    | "optedOutBy"
    | "createdAt"
    | "updatedAt"
  > & { optedOutByName: string | null };

/** With the fields that the company added, in the order of their ids; null for none. */
export type ShownContactRow = FullContactRow & { extraInfo: ExtraInfo[] | null };

/** A contact of the list; null for no tickets, tags, messages. */
export type ListedContactRow = FullContactRow & {
  tickets: ListedContact["tickets"] | null;
  tags: ListedContact["tags"] | null;
  lastContactAt: Date | null;
  duplicateId: ContactId | null;
};

/** Select list of `ContactRow` from an alias of the table. */
export const contactColumns = (c: string): string => `
  ${c}.id, ${c}.company_id as "companyId", ${c}.name, ${c}.number, ${c}.email,
  ${c}.picture_key as "pictureKey", ${c}.is_group as "isGroup", ${c}.opted_out_at is not null as "isOptedOut"`;

/** Select list of `FullContactRow`. */
export const fullColumns = (c: string): string => `${contactColumns(c)}, ${c}.active,
  ${c}.disable_bot as "disableBot", ${c}.opted_out_at as "optedOutAt", ${c}.opt_out_source as "optOutSource", ${c}.opted_out_by as "optedOutBy",
  (select u.name from users u where u.company_id = ${c}.company_id and u.id = ${c}.opted_out_by) as "optedOutByName",
  ${c}.created_at as "createdAt", ${c}.updated_at as "updatedAt"`;

/** Select list of `ShownContactRow`. */
export const shownColumns = (c: string): string => `${fullColumns(c)},
  (select json_agg(json_build_object('id', x.id, 'name', x.name, 'value', x.value, 'contactId', x.contact_id) order by x.id)
     from contact_extra_info x
    where x.company_id = ${c}.company_id and x.contact_id = ${c}.id) as "extraInfo"`;

/** A person on a chat network, as a message reports them, or a group. */
export type Person = {
  addresses: readonly KeyedAddress[];
  isGroup: boolean;
  /** The name that persons give themselves, never set from a message of the company's own; of a group, its subject. */
  pushName?: string | undefined;
};

/** Name of a contact seen for the first time: its own, else the number, else the private id. */
export function initialName(person: Person): string {
  return realName(person) ?? numberOf(person.addresses) ?? person.addresses[0]?.value ?? "";
}

/**
 * The name a known contact gets by this message, null to keep it: the first real name replaces digits, a name that
 * people gave or that was read before stays (behaviour 1.3). A number that becomes known replaces a private id.
 */
export function betterName(contact: ContactRow, person: Person): string | null {
  if (!isPlaceholderName(contact.name)) return null;
  const number = contact.number === null ? numberOf(person.addresses) : null;
  const better = realName(person) ?? number;
  return better === contact.name ? null : better;
}

/** The name of contacts that are one person: the first real one, beginning with the contact that stays. */
export function nameOfOne(stays: ContactRow, others: readonly ContactRow[]): string {
  const real = [stays, ...others].find(({ name }) => !isPlaceholderName(name));
  return (real ?? stays).name;
}

/** A contact as tickets and messages show it; without a number it is "". */
export function toContactRef(row: ContactRow, sign: SignFile): ContactRef {
  const { id, name, email } = row;
  const profilePicUrl = pictureUrl(sign, row.companyId, row.pictureKey);
  return { id, name, number: row.number ?? "", email, profilePicUrl };
}

/** The expiring address of a contact's picture; "" without one. */
export function pictureUrl(sign: SignFile, companyId: CompanyId, key: MediaKey | null): string {
  return key === null ? "" : sign(companyId, key);
}

/** A contact as the wire has it; no contact belongs to a connection. */
export function toContact(row: FullContactRow, sign: SignFile): Contact {
  const { companyId, isGroup, active, disableBot } = row;
  return {
    ...{ ...toContactRef(row, sign), companyId, isGroup, active, disableBot },
    whatsappId: null,
    optOut: optOutOf(row),
    ...wireDates(row),
  };
}

function optOutOf(row: FullContactRow): Contact["optOut"] {
  const { optedOutAt, optOutSource, optedOutBy, optedOutByName } = row;
  if (optedOutAt === null || optOutSource === null) return null;
  const user = optedOutBy === null ? null : { id: optedOutBy, name: optedOutByName ?? "" };
  return { at: toIso(optedOutAt), source: optOutSource, user };
}

export type ShownContact = Contact & { extraInfo: ExtraInfo[] };

export function toShownContact(row: ShownContactRow, sign: SignFile): ShownContact {
  return { ...toContact(row, sign), extraInfo: row.extraInfo ?? [] };
}

export function toListedContact(row: ListedContactRow, sign: SignFile): ListedContact {
  return {
    ...toContact(row, sign),
    tickets: row.tickets ?? [],
    tags: row.tags ?? [],
    lastContactAt: toIsoOrNull(row.lastContactAt),
    duplicateId: row.duplicateId,
  };
}

type EventDeps = { realtime: Realtime; sign: SignFile };

/** Publishes a contact to the company, on commit. */
export function tellContact(
  { realtime, sign }: EventDeps,
  tx: Tx,
  action: "create" | "update",
  row: FullContactRow | ShownContactRow,
): void {
  tx.onCommit(() => {
    const contact = "extraInfo" in row ? toShownContact(row, sign) : toContact(row, sign);
    realtime.publish(row.companyId, "contact", { action, contact }, [rooms.main(row.companyId)]);
  });
}

/** Publishes a contact's deletion, on commit. */
export function tellContactDeleted(
  { realtime }: Pick<EventDeps, "realtime">,
  tx: Tx,
  { companyId }: { companyId: CompanyId },
  contactId: ContactId,
): void {
  const payload = { action: "delete", contactId } as const;
  tx.onCommit(() => realtime.publish(companyId, "contact", payload, [rooms.main(companyId)]));
}

/** Null for digits. */
function realName(person: Person): string | null {
  const name = cleanName(person.pushName ?? "");
  return isPlaceholderName(name) ? null : name;
}

/** One line without NUL (PostgreSQL cannot store it), not longer than a name may be. */
function cleanName(name: string): string {
  const line = name.replaceAll("\u0000", "").replace(/\s+/g, " ").trim();
  return Array.from(line).slice(0, limits.nameMax).join("");
}
