import type { CalendarState } from "@balcao/contract";
import { NativeSelect } from "@mantine/core";
import { IconChevronDown, IconChevronLeft, IconGlobe } from "@tabler/icons-react";
import type { ComponentProps, ReactElement, ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { useNow } from "../../ui/clock.ts";
import { IconButton } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { OnDemand } from "../../ui/on-demand.tsx";
import { useSession } from "../auth/index.ts";
import { useConnections } from "../connections/index.ts";
import { useContactName, useUserNames } from "./calendar-api.ts";
import type { CalendarAddress } from "./calendar-address.ts";
import {
  calendarViews,
  localNow,
  shownStates,
  stepTo,
  titleOf,
  zoneDifference,
} from "./calendar-view.ts";
import { stateIcons } from "./state-icon.tsx";

const loadMenus = () => import("./calendar-filters.tsx");
const ChoiceMenu = lazyPart(async () => (await loadMenus()).ChoiceMenu);
const ContactFilter = lazyPart(async () => (await loadMenus()).ContactFilter);

/** The line of the range: where it is, which messages, and which view. */
export function CalendarToolbar({ address }: { address: CalendarAddress }): ReactNode {
  const { t } = useTranslation();
  const { view, day, words, isNarrow, change } = address;
  const today = localNow().slice(0, 10);
  return (
    <div className="sc-toolbar">
      {words === "" ? (
        <div className="sc-range">
          <Button variant="default" onClick={() => change({ day: today })}>
            {t("common.today")}
          </Button>
          <IconButton
            label={t("schedules.previous")}
            icon={IconChevronLeft}
            onClick={() => change({ day: stepTo(view, day, -1) })}
          />
          <IconButton
            label={t("schedules.next")}
            className="sc-next"
            icon={IconChevronLeft}
            onClick={() => change({ day: stepTo(view, day, 1) })}
          />
          <h2 className="sc-title" aria-live="polite">
            {titleOf(view, day)}
          </h2>
        </div>
      ) : (
        <h2 className="sc-title">{t("schedules.found")}</h2>
      )}
      <Filters address={address} />
      {words !== "" ? null : isNarrow ? (
        <NativeSelect
          aria-label={t("schedules.view")}
          value={view}
          data={calendarViews.map((value) => ({ value, label: t(`schedules.views.${value}`) }))}
          onChange={({ currentTarget: { value } }) =>
            change({ view: calendarViews.find((one) => one === value) ?? view })
          }
        />
      ) : (
        <div role="group" aria-label={t("schedules.view")} className="sc-views">
          {calendarViews.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === view}
              onClick={() => change({ view: one })}
            >
              {t(`schedules.views.${one}`)}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** The user, the connection and the contact to which the calendar is narrowed. */
function Filters({ address }: { address: CalendarAddress }): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const { userId, connectionId, contactId, change } = address;
  const seesAll = can("schedules:manage-all");
  const users = useUserNames({ enabled: seesAll }).data;
  const connections = useConnections();
  const contact = useContactName(contactId).data ?? null;
  const nameOf = (
    options: readonly { id: number; name: string }[] | undefined,
    id: number | null,
  ) => (id === null ? null : (options?.find((one) => one.id === id)?.name ?? ""));
  return (
    <div className="sc-filters">
      {seesAll ? (
        <Filter part={ChoiceMenu} name="user" value={nameOf(users, userId)}>
          {(target) => (
            <ChoiceMenu
              target={target}
              all={t("schedules.filters.allUsers")}
              options={users}
              chosen={userId}
              onChoose={(id) => change({ userId: id })}
            />
          )}
        </Filter>
      ) : null}
      {connections.length > 1 || connectionId !== null ? (
        <Filter part={ChoiceMenu} name="connection" value={nameOf(connections, connectionId)}>
          {(target) => (
            <ChoiceMenu
              target={target}
              all={t("schedules.filters.allConnections")}
              options={connections}
              chosen={connectionId}
              onChoose={(id) => change({ connectionId: id })}
            />
          )}
        </Filter>
      ) : null}
      <Filter
        part={ContactFilter}
        name="contact"
        value={contactId === null ? null : (contact?.name ?? "")}
      >
        {(target) => (
          <ContactFilter
            target={target}
            known={contact}
            onChoose={(id) => change({ contactId: id })}
          />
        )}
      </Filter>
    </div>
  );
}

type FilterProps = Pick<PillProps, "name" | "value"> & {
  part: ComponentProps<typeof OnDemand>["part"];
  children: (target: ReactElement) => ReactNode;
};

function Filter({ part, children, ...pill }: FilterProps): ReactNode {
  return (
    <OnDemand part={part} standIn={<Pill {...pill} aria-haspopup="menu" aria-expanded={false} />}>
      {children(<Pill {...pill} />)}
    </OnDemand>
  );
}

type PillProps = Omit<ComponentProps<"button">, "name" | "value"> & {
  name: "user" | "connection" | "contact";
  /** Null for all. */
  value: string | null;
};

function Pill({ name, value, ...rest }: PillProps): ReactNode {
  const { t } = useTranslation();
  return (
    <button {...rest} type="button" className="sc-pill" data-active={value !== null || undefined}>
      <span className="bc-ellipsis">
        {value === null
          ? t(`schedules.filters.${name}All`)
          : t(`schedules.filters.${name}One`, { name: value })}
      </span>
      <IconChevronDown size={14} stroke={1.7} aria-hidden="true" />
    </button>
  );
}

type CountsProps = {
  /** Undefined while unknown. */
  counts: Readonly<Record<CalendarState, number>> | undefined;
  states: readonly CalendarState[] | null;
  onStates: (states: readonly CalendarState[] | null) => void;
};

/** How many messages are in view by state; a press shows only these. */
export function StateCounts({ counts, states, onStates }: CountsProps): ReactNode {
  const { t } = useTranslation();
  function toggle(state: CalendarState): void {
    const next = states?.includes(state)
      ? states.filter((one) => one !== state)
      : [...(states ?? []), state];
    onStates(next.length === 0 || next.length === shownStates.length ? null : next);
  }
  return (
    <div role="group" aria-label={t("schedules.states.label")} className="sc-counts">
      {shownStates.map((state) => {
        const Sign = stateIcons[state];
        return (
          <button
            key={state}
            type="button"
            className="sc-count bc-chip"
            data-state={state}
            aria-pressed={states?.includes(state) ?? false}
            onClick={() => toggle(state)}
          >
            <Sign size={15} stroke={1.8} aria-hidden="true" />
            {counts === undefined ? null : <strong>{counts[state]}</strong>}{" "}
            {t(`schedules.states.${state}Many`)}
          </button>
        );
      })}
    </div>
  );
}

/** Says that times are the company's, where the browser's clocks differ. */
export function ZoneLine(): ReactNode {
  const { t } = useTranslation();
  const difference = zoneDifference(useNow(60_000));
  if (difference === null) return null;
  const { zone, offset, minutes } = difference;
  const length = Math.abs(minutes);
  const hours = `${Math.floor(length / 60)} h${length % 60 === 0 ? "" : ` ${length % 60} min`}`;
  return (
    <p className="sc-zone">
      <IconGlobe size={15} stroke={1.7} aria-hidden="true" />
      {t(minutes > 0 ? "schedules.zoneAhead" : "schedules.zoneBehind", { zone, offset, hours })}
    </p>
  );
}
