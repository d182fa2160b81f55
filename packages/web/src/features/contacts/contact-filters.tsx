import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "../../i18n/index.ts";
import type { ListFilter } from "../../ui/filter-menu.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { useConnections } from "../connections/index.ts";
import { tagList } from "../tags/index.ts";
import type { ContactFilter } from "./contact-filter.ts";

const MenuOptions = lazyPart(async () => (await import("../../ui/menu-options.tsx")).MenuOptions);
const PeriodValues = lazyPart(async () => (await import("./contact-menus.tsx")).PeriodValues);

/** The filters of the address book in words and as menus. */
export function useFilters(
  filter: ContactFilter,
  onFilter: (filter: ContactFilter) => void,
): readonly ListFilter[] {
  const { t } = useTranslation();
  const tags = useQuery(tagList.query).data;
  const connections = useConnections();

  function several(
    id: "tags" | "connections",
    field: "tags" | "whatsappIds",
    options: readonly { id: number; name: string; color?: string }[] | undefined,
  ): ListFilter {
    const chosen = filter[field] ?? [];
    const [first, ...others] = chosen.map(
      (one) => options?.find((option) => option.id === one)?.name ?? String(one),
    );
    const value =
      others.length === 0
        ? first
        : t("common.filters.and", { name: first ?? "", count: others.length });
    return {
      id,
      title: t(`contacts.filters.${id}`),
      value: value ?? null,
      turnOn: null,
      renderValues: () => (
        <MenuOptions
          options={options}
          chosen={chosen}
          onChoose={(ids) => onFilter({ ...filter, [field]: ids })}
        />
      ),
      clear: () => onFilter({ ...filter, [field]: [] }),
    };
  }

  /** `before` is the field of a longer time ago, which the menu has as a negative number. */
  function period(
    id: "created" | "lastContact",
    within: "createdWithin" | "contactedWithin",
    before?: "contactedBefore",
  ): ListFilter {
    const ago = before && filter[before];
    const days = filter[within] ?? (ago === undefined ? null : -ago);
    const choose = (next: number): void =>
      onFilter({
        ...filter,
        [within]: next > 0 ? next : undefined,
        ...(before ? { [before]: next < 0 ? -next : undefined } : {}),
      });
    return {
      id,
      title: t(`contacts.filters.${id}`),
      value: days === null ? null : periodText(days),
      turnOn: null,
      renderValues: () => (
        <PeriodValues
          days={days}
          hasBefore={before !== undefined}
          textOf={periodText}
          onChoose={choose}
        />
      ),
      clear: () => choose(0),
    };
  }

  function periodText(days: number): string {
    return days > 0
      ? t("contacts.filters.within", { days })
      : t("contacts.filters.before", { days: -days });
  }

  function flag(id: "optedOut" | "unnamed"): ListFilter {
    const { [id]: isOn, ...others } = filter;
    return {
      id,
      title: t(`contacts.filters.${id}`),
      value: isOn ? "" : null,
      turnOn: () => onFilter({ ...others, [id]: true }),
      clear: () => onFilter(others),
    };
  }

  return [
    several("tags", "tags", tags),
    // One connection leaves nothing to choose.
    ...(connections.length > 1 || filter.whatsappIds
      ? [several("connections", "whatsappIds", connections)]
      : []),
    period("created", "createdWithin"),
    period("lastContact", "contactedWithin", "contactedBefore"),
    flag("optedOut"),
    flag("unnamed"),
  ];
}
