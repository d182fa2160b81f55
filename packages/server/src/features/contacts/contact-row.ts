import type { CompanyId, Contact, ContactId, ExtraInfo, ListedContact } from "@balcao/contract";
import { toIso } from "../../platform/db/row-dates.ts";
import { toContactRef } from "./contact.ts";

/** A contact with all that the company keeps of it. */
export type FullContactRow = {
  id: ContactId;
  companyId: CompanyId;
  name: string;
  number: string | null;
  email: string;
  profilePicUrl: string;
  isGroup: boolean;
  active: boolean;
  disableBot: boolean;
  createdAt: Date;
  updatedAt: Date;
};

/** With the fields that the company added, in the order of their ids; null for none. */
export type ShownContactRow = FullContactRow & { extraInfo: ExtraInfo[] | null };

/** Select list of `FullContactRow` from an alias of the table. */
export const fullColumns = (c: string): string => `
  ${c}.id, ${c}.company_id as "companyId", ${c}.name, ${c}.number, ${c}.email,
  ${c}.profile_pic_url as "profilePicUrl", ${c}.is_group as "isGroup", ${c}.active,
  ${c}.disable_bot as "disableBot", ${c}.created_at as "createdAt", ${c}.updated_at as "updatedAt"`;

/** Select list of `ShownContactRow`. */
export const shownColumns = (c: string): string => `${fullColumns(c)},
  (select json_agg(json_build_object('id', x.id, 'name', x.name, 'value', x.value, 'contactId', x.contact_id) order by x.id)
     from contact_extra_info x
    where x.company_id = ${c}.company_id and x.contact_id = ${c}.id) as "extraInfo"`;

/** A contact as the wire has it; no contact belongs to a connection. */
export function toContactDto(row: FullContactRow): Contact {
  return {
    ...toContactRef(row),
    isGroup: row.isGroup,
    active: row.active,
    disableBot: row.disableBot,
    companyId: row.companyId,
    whatsappId: null,
    createdAt: toIso(row.createdAt),
    updatedAt: toIso(row.updatedAt),
  };
}

export type ShownContact = Contact & { extraInfo: ExtraInfo[] };

export function toShownContactDto(row: ShownContactRow): ShownContact {
  return { ...toContactDto(row), extraInfo: row.extraInfo ?? [] };
}

/** A contact of the list; null for no tickets. */
export type ListedContactRow = FullContactRow & { tickets: ListedContact["tickets"] | null };

export function toListedContactDto(row: ListedContactRow): ListedContact {
  return { ...toContactDto(row), tickets: row.tickets ?? [] };
}
