import type { Ticket } from "@balcao/contract";
import { Menu } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import {
  IconArrowLeft,
  IconChevronRight,
  IconClock,
  IconClockPause,
  IconFilterOff,
  IconPlug,
  IconSitemap,
  IconTag,
  IconUser,
  IconX,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { KeyboardEvent, ReactElement, ReactNode } from "react";
import { useRef } from "react";
import { call } from "../../../api/client.ts";
import { formatDayLabel, formatTime } from "../../../i18n/format.ts";
import type { TFunction } from "../../../i18n/index.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { useCompanyEvent } from "../../../realtime/index.ts";
import { Button } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/index.ts";
import { useMenuParts } from "../../../ui/filter-menu.tsx";
import type { MenuOption } from "../../../ui/menu-options.tsx";
import { MenuOptions } from "../../../ui/menu-options.tsx";
import { useConnections } from "../../connections/index.ts";
import { tagList } from "../../tags/index.ts";
import { useChoosableQueues } from "../api.ts";
import classes from "./filters.module.css";
import type { IdFilter, ListFilter } from "./list-filter.ts";
import { flagFilters, idFilters, isFiltered, noFilter, waits } from "./list-filter.ts";
import type { Viewer } from "./ticket-view.ts";

export type FilterProps = {
  filter: ListFilter;
  onFilter: (filter: ListFilter) => void;
  viewer: Viewer;
  /** Only admins can filter by users. */
  maySeeUsers: boolean;
};

/** User names change rarely, so they are cached for this long. */
const USERS_FRESH_MS = 60_000;

const partIcons: Readonly<Record<IdFilter, Icon>> = {
  queueIds: IconSitemap,
  tagIds: IconTag,
  userIds: IconUser,
  connectionIds: IconPlug,
};

/** What can be chosen for each part of the filter; undefined while unknown. */
function useOptions({
  viewer,
  maySeeUsers,
}: Pick<FilterProps, "viewer" | "maySeeUsers">): Readonly<
  Record<IdFilter, readonly MenuOption[] | undefined>
> {
  const queueIds = useChoosableQueues(viewer);
  const tagIds = useQuery(tagList.query).data;
  const connectionIds = useConnections();
  const { data: userIds } = useQuery({
    queryKey: ["tickets", "choices", "users"],
    queryFn: ({ signal }) => call("GET /users/list", { query: {} }, { signal }),
    select: (users) => users.toSorted((a, b) => a.name.localeCompare(b.name)),
    staleTime: USERS_FRESH_MS,
    enabled: maySeeUsers,
  });
  return { queueIds, tagIds, userIds, connectionIds };
}

type MenuProps = FilterProps & {
  /** The button that opens the menu. */
  target: ReactElement;
};

/** Chooses what the lists are narrowed to: first which part, then its options. */
export function FilterMenu({ target, filter, onFilter, ...who }: MenuProps): ReactNode {
  const { t } = useTranslation();
  const { part, setPart, list, onClose } = useMenuParts<IdFilter | "wait">();
  const options = useOptions(who);

  function chooseWait(value: string): void {
    onFilter({ ...filter, waitMinutes: waits.find((one) => String(one) === value) ?? null });
    setPart(null);
  }

  // One queue or connection leaves nothing to choose.
  const isOffered = (one: IdFilter): boolean => {
    if (filter[one].length > 0) return true;
    if (one === "userIds") return who.maySeeUsers;
    return one === "tagIds" || (options[one]?.length ?? 0) > 1;
  };

  return (
    <Menu position="bottom-start" width={248} closeOnItemClick={false} onClose={onClose}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <div ref={list}>
          {part === null ? (
            <>
              {idFilters.filter(isOffered).map((one) => {
                const Sign = partIcons[one];
                return (
                  <Menu.Item
                    key={one}
                    data-part={one}
                    leftSection={<Sign size={15} stroke={1.7} aria-hidden="true" />}
                    rightSection={<Chosen count={filter[one].length} />}
                    onClick={() => setPart(one)}
                  >
                    {t(`tickets.filters.${one}`)}
                  </Menu.Item>
                );
              })}
              <Menu.Item
                data-part="wait"
                leftSection={<IconClock size={15} stroke={1.7} aria-hidden="true" />}
                rightSection={<Chosen count={filter.waitMinutes === null ? 0 : 1} />}
                onClick={() => setPart("wait")}
              >
                {t("tickets.filters.wait")}
              </Menu.Item>
              {flagFilters.map((one) => (
                <Menu.CheckboxItem
                  key={one}
                  checked={filter[one]}
                  onChange={(isOn) => onFilter({ ...filter, [one]: isOn })}
                >
                  {t(`tickets.filters.${one}`)}
                </Menu.CheckboxItem>
              ))}
            </>
          ) : (
            <>
              <Menu.Item
                leftSection={<IconArrowLeft size={15} stroke={1.7} aria-hidden="true" />}
                onClick={() => setPart(null)}
              >
                {t(`tickets.filters.${part}`)}
              </Menu.Item>
              <Menu.Divider />
              {part === "wait" ? (
                <Menu.RadioGroup value={String(filter.waitMinutes)} onChange={chooseWait}>
                  {[null, ...waits].map((minutes) => (
                    <Menu.RadioItem key={minutes} value={String(minutes)}>
                      <WaitName minutes={minutes} />
                    </Menu.RadioItem>
                  ))}
                </Menu.RadioGroup>
              ) : (
                <MenuOptions
                  options={options[part]}
                  chosen={filter[part]}
                  onChoose={(ids) => onFilter({ ...filter, [part]: ids })}
                />
              )}
            </>
          )}
          {isFiltered(filter) && part === null ? (
            <>
              <Menu.Divider />
              <Menu.Item closeMenuOnClick onClick={() => onFilter(noFilter)}>
                {t("tickets.filters.clear")}
              </Menu.Item>
            </>
          ) : null}
        </div>
      </Menu.Dropdown>
    </Menu>
  );
}

/** "Há mais de 30 min". */
function WaitName({ minutes }: { minutes: number | null }): ReactNode {
  const { t } = useTranslation();
  return minutes === null ? t("tickets.filters.anyWait") : waitText(t, minutes);
}

function waitText(t: TFunction, minutes: number): string {
  const [unit, value] =
    minutes < 60 ? (["minutes", minutes] as const) : (["hours", minutes / 60] as const);
  return t("tickets.filters.longerThan", { time: t(`tickets.${unit}`, { value }) });
}

function Chosen({ count }: { count: number }): ReactNode {
  return (
    <span className={classes["chosen"]}>
      {count > 0 ? count : null}
      <IconChevronRight size={15} stroke={1.7} aria-hidden="true" />
    </span>
  );
}

/** A chip for each part of the filter; a press, Backspace or Delete removes that part. */
export function FilterChips({ filter, onFilter, ...who }: FilterProps): ReactNode {
  const { t } = useTranslation();
  const options = useOptions(who);
  const place = useRef<HTMLDivElement>(null);

  // A deleted tag has no tickets and no longer appears in the menu.
  useCompanyEvent("tag", (event) => {
    if (event.action !== "delete" || !filter.tagIds.includes(event.tagId)) return;
    onFilter({ ...filter, tagIds: filter.tagIds.filter((id) => id !== event.tagId) });
  });

  /** A single one is called by its name. */
  function labelOf(part: IdFilter): string {
    const ids = filter[part];
    const [only] = ids;
    const name = options[part]?.find(({ id }) => id === only)?.name;
    if (ids.length === 1 && name !== undefined) return name;
    return t(`tickets.filters.some.${part}`, { count: ids.length });
  }

  const chips = [
    ...idFilters
      .filter((part) => filter[part].length > 0)
      .map((part) => ({
        key: part,
        label: labelOf(part),
        remove: () => onFilter({ ...filter, [part]: [] }),
      })),
    ...(filter.waitMinutes === null
      ? []
      : [
          {
            key: "wait",
            label: waitText(t, filter.waitMinutes),
            remove: () => onFilter({ ...filter, waitMinutes: null }),
          },
        ]),
    ...flagFilters
      .filter((part) => filter[part])
      .map((part) => ({
        key: part,
        label: t(`tickets.filters.${part}`),
        remove: () => onFilter({ ...filter, [part]: false }),
      })),
  ];

  /** The next chip takes the focus, or the button behind the last one. */
  function removeAt(index: number): void {
    const row = place.current?.parentElement;
    const buttons = [...(row?.querySelectorAll<HTMLElement>("button") ?? [])];
    buttons[index + 1]?.focus();
    chips[index]?.remove();
  }

  return (
    <div
      ref={place}
      role="group"
      aria-label={t("tickets.filters.active")}
      className={classes["chips"]}
    >
      {chips.map(({ key, label }, index) => (
        <button
          key={key}
          type="button"
          className={classes["chip"]}
          aria-label={t("tickets.filters.remove", { name: label })}
          onClick={() => removeAt(index)}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key !== "Backspace" && event.key !== "Delete") return;
            event.preventDefault();
            removeAt(index);
          }}
        >
          <span className={classes["label"]}>{label}</span>
          <IconX size={13} stroke={1.9} aria-hidden="true" />
        </button>
      ))}
    </div>
  );
}

/** On the card of a ticket that is put off: when it comes back. */
export function SnoozeMark({ snooze }: { snooze: NonNullable<Ticket["snooze"]> }): ReactNode {
  const { t } = useTranslation();
  const { until } = snooze;
  const when = until === null ? null : `${formatDayLabel(until)}, ${formatTime(until)}`;
  return (
    <span className={classes["snooze"]}>
      <IconClockPause size={13} stroke={1.7} aria-hidden="true" />
      {when === null ? t("tickets.backAtAnswer") : t("tickets.backAt", { when })}
    </span>
  );
}

/** Shown where a filter leaves no ticket. Without `onClear` there is none left to clear. */
export function NothingFiltered({ onClear }: { onClear: (() => void) | undefined }): ReactNode {
  const { t } = useTranslation();
  return (
    <EmptyState
      icon={IconFilterOff}
      drawing="search"
      title={t("tickets.filters.nothing")}
      action={
        onClear && (
          <Button variant="default" onClick={onClear}>
            {t("tickets.filters.clear")}
          </Button>
        )
      }
    />
  );
}
