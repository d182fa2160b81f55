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
    ids
      .map((id) => from.find((one) => one.id === id)?.name ?? String(id))
      .join(t("listMembers.or"));
  const parts = [
    searchParam === "" ? "" : t("listMembers.filter.words", { words: searchParam }),
    named("tags", namesOf(filter.tags, tags)),
    named("connections", namesOf(filter.whatsappIds, connections)),
    period("created", createdWithin),
    period("contacted", contactedWithin),
    period("silent", contactedBefore),
    filter.optedOut === true ? t("listMembers.filter.optedOut") : "",
    filter.unnamed === true ? t("listMembers.filter.unnamed") : "",
  ];
  return parts.filter((part) => part !== "").join(", ");

  function named(what: "tags" | "connections", names: string): string {
    return names === "" ? "" : t(`listMembers.filter.${what}`, { names });
  }

  function period(what: "created" | "contacted" | "silent", days: number | undefined): string {
    return days === undefined ? "" : t(`listMembers.filter.${what}`, { days });
  }
}

/** Where the address book shows those whom a filter finds. */
export function contactsAddressOf({ searchParam = "", ...filter }: ContactFilter): string {
  const params = new URLSearchParams();
  if (searchParam !== "") params.set("search", searchParam);
  if (Object.keys(filter).length > 0) params.set("filter", JSON.stringify(filter));
  return `/contacts?${params.toString()}`;
}
