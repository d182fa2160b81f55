import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import type { ListFilter } from "../../ui/filter-menu.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { useConnections } from "../connections/index.ts";
import { useQueues } from "../queues/index.ts";
import { tagList } from "../tags/index.ts";
import type { Choice, ChoiceName, Ids } from "./figure-filter.ts";

const MenuOptions = lazyPart(async () => (await import("../../ui/menu-options.tsx")).MenuOptions);

/** In a menu, whose options have numbers: "without one". */
const WITHOUT = 0;

type Named = Readonly<{ id: number; name: string; color?: string }>;

/** The users of the company by name. */
function useUserNames(): readonly Named[] | undefined {
  return useQuery({
    queryKey: ["figures", "users"],
    queryFn: ({ signal }) => call("GET /users/list", { query: {} }, { signal }),
    select: (users) => users.toSorted((a, b) => a.name.localeCompare(b.name)),
    staleTime: 60_000,
  }).data;
}

/** Queue, user, tag and connection as filters, in words and as menus. */
export function useChoiceFilters(
  choice: Choice,
  onChoice: (choice: Choice) => void,
): readonly ListFilter[] {
  const { t } = useTranslation();
  const tags = useQuery(tagList.query).data;
  const connections = useConnections();
  const known: Readonly<Record<ChoiceName, readonly Named[] | undefined>> = {
    queueIds: useQueues(),
    userIds: useUserNames(),
    tagIds: tags,
    whatsappIds: connections,
  };

  function filter(name: ChoiceName, without: string | null): ListFilter {
    const named = known[name];
    const options =
      without === null || named === undefined ? named : [...named, { id: WITHOUT, name: without }];
    const ids: Ids = choice[name] ?? [];
    const chosen = ids.map((id) => id ?? WITHOUT);
    const [first, ...others] = chosen.map(
      (id) => options?.find((option) => option.id === id)?.name ?? t("figures.removedOne", { id }),
    );
    const several = t("common.filters.and", { name: first ?? "", count: others.length });
    const change = (next: readonly number[]): void => {
      const { [name]: _, ...rest } = choice;
      const wanted = next.map((id) => (id === WITHOUT ? null : id));
      onChoice(next.length === 0 ? rest : { ...rest, [name]: wanted });
    };
    return {
      id: name,
      title: t(`figures.choices.${name}`),
      value: (others.length === 0 ? first : several) ?? null,
      turnOn: null,
      renderValues: () => <MenuOptions options={options} chosen={chosen} onChoose={change} />,
      clear: () => change([]),
    };
  }

  return [
    filter("queueIds", t("figures.without.queueIds")),
    filter("userIds", t("figures.without.userIds")),
    filter("tagIds", null),
    // One connection leaves nothing to choose.
    ...(connections.length > 1 || choice.whatsappIds
      ? [filter("whatsappIds", t("figures.without.whatsappIds"))]
      : []),
  ];
}
