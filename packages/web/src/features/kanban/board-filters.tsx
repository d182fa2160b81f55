import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import type { ListFilter } from "../../ui/filter-menu.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { useConnections } from "../connections/index.ts";
import { useChoosableQueues } from "../tickets/index.ts";
import type { Viewer } from "../tickets/index.ts";
import type { BoardFilter } from "./board-data.ts";

const MenuOptions = lazyPart(async () => (await import("../../ui/menu-options.tsx")).MenuOptions);

/** User names change rarely, so they are cached for this long. */
const USERS_FRESH_MS = 60_000;

/** The filters of the board in words and as menus. One queue or connection leaves nothing to choose. */
export function useBoardFilters(
  filter: BoardFilter,
  viewer: Viewer,
  onFilter: (filter: BoardFilter) => void,
): readonly ListFilter[] {
  const { t } = useTranslation();
  const queues = useChoosableQueues(viewer);
  const connections = useConnections();
  const { data: users } = useQuery({
    queryKey: ["tickets", "choices", "users"],
    queryFn: ({ signal }) => call("GET /users/list", { query: {} }, { signal }),
    select: (all) => all.toSorted((a, b) => a.name.localeCompare(b.name)),
    staleTime: USERS_FRESH_MS,
    enabled: viewer.isAdmin,
  });

  type Options = readonly { id: number; name: string; color?: string }[] | undefined;
  function several(id: "queueIds" | "userIds" | "connectionIds", options: Options): ListFilter[] {
    const chosen = filter[id];
    if (chosen.length === 0 && (options?.length ?? 0) < 2) return [];
    const [first, ...others] = chosen.map(
      (one) => options?.find((option) => option.id === one)?.name ?? String(one),
    );
    const value =
      others.length === 0
        ? first
        : t("common.filters.and", { name: first ?? "", count: others.length });
    return [
      {
        id,
        title: t(`kanban.by.${id}`),
        value: value ?? null,
        turnOn: null,
        renderValues: () => (
          <MenuOptions
            options={options}
            chosen={chosen}
            onChoose={(ids) => onFilter({ ...filter, [id]: ids })}
          />
        ),
        clear: () => onFilter({ ...filter, [id]: [] }),
      },
    ];
  }

  return [
    ...several("queueIds", queues),
    ...(viewer.isAdmin ? several("userIds", users) : []),
    ...several("connectionIds", connections),
  ];
}
