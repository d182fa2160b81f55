import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { onceLive } from "../../realtime/index.ts";
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

const usersKey = ["figures", "users"];

/** The users of the company by name, read when they are wanted. */
function useUserNames(enabled: boolean): readonly Named[] | undefined {
  return useQuery({
    enabled,
    queryKey: usersKey,
    queryFn: ({ signal }) =>
      onceLive(usersKey, () => call("GET /users/list", { query: {} }, { signal })),
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
  // Tags that no chosen filter names are read when their menu opens.
  const tags = useQuery({ ...tagList.query, enabled: choice.tagIds !== undefined }).data;
  const connections = useConnections();
  const known: Readonly<Record<ChoiceName, readonly Named[] | undefined>> = {
    queueIds: useQueues(),
    userIds: useUserNames(choice.userIds !== undefined),
    tagIds: tags,
    whatsappIds: connections,
  };

  function filter(name: ChoiceName, without: string | null): ListFilter {
    const named = known[name];
    const options = withNone(named, without);
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
      renderValues: () => <Options {...{ name, named, without, chosen }} onChoose={change} />,
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

const withNone = (
  named: readonly Named[] | undefined,
  without: string | null,
): readonly Named[] | undefined =>
  without === null ? named : named && [...named, { id: WITHOUT, name: without }];

type OptionsProps = {
  name: ChoiceName;
  named: readonly Named[] | undefined;
  without: string | null;
  chosen: readonly number[];
  onChoose: (ids: readonly number[]) => void;
};

/** The options of an open menu. Users and tags are read now. */
function Options({ name, named, without, ...menu }: OptionsProps): ReactNode {
  const tags = useQuery({ ...tagList.query, enabled: name === "tagIds" }).data;
  const users = useUserNames(name === "userIds");
  const late: Partial<Record<ChoiceName, typeof named>> = { tagIds: tags, userIds: users };
  return <MenuOptions {...menu} options={withNone(name in late ? late[name] : named, without)} />;
}
