import type { ContactFilter } from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "../../i18n/index.ts";
import { useConnections } from "../connections/index.ts";
import { tagList } from "../tags/index.ts";

/** A filter of the address book in words; "" for everybody. */
export function useFilterWords(filter: ContactFilter): string {
  const { t } = useTranslation();
  const tags = useQuery(tagList.query).data ?? [];
  const connections = useConnections();
  const { searchParam = "", createdWithin, contactedWithin, contactedBefore } = filter;
  type Named = { id: number; name: string };
  const namesOf = (ids: readonly number[] = [], from: readonly Named[]): string =>
    ids.map((id) => from.find((one) => one.id === id)?.name ?? String(id)).join(" / ");
  const parts = [
    searchParam === "" ? "" : `“${searchParam}”`,
    named("tags", namesOf(filter.tags, tags)),
    named("connections", namesOf(filter.whatsappIds, connections)),
    period("created", "within", createdWithin),
    period("lastContact", "within", contactedWithin),
    period("lastContact", "before", contactedBefore),
    filter.optedOut === true ? t("contacts.filters.optedOut") : "",
    filter.unnamed === true ? t("contacts.filters.unnamed") : "",
  ];
  return parts.filter((part) => part !== "").join(", ");

  function named(what: "tags" | "connections", names: string): string {
    return names === "" ? "" : `${t(`contacts.filters.${what}`)} ${names}`;
  }

  function period(
    what: "created" | "lastContact",
    when: "within" | "before",
    days: number | undefined,
  ): string {
    if (days === undefined) return "";
    return `${t(`contacts.filters.${what}`)} ${t(`contacts.filters.${when}`, { days })}`;
  }
}

/** Where the address book shows those whom a filter finds. */
export function contactsAddressOf({ searchParam = "", ...filter }: ContactFilter): string {
  const params = new URLSearchParams();
  if (searchParam !== "") params.set("search", searchParam);
  if (Object.keys(filter).length > 0) params.set("filter", JSON.stringify(filter));
  return `/contacts?${params.toString()}`;
}
