import "@mantine/core/styles/Popover.layer.css";
import type { TeamMember } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Popover } from "@mantine/core";
import { IconChevronDown, IconChevronUp, IconUsersGroup } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { minutesSince, useNow } from "../../ui/clock.ts";
import { IconButton } from "../../ui/index.ts";
import { QueueDot } from "../../ui/marks.tsx";
import { useQueues } from "../queues/index.ts";
import type { Team } from "../team/index.ts";
import { MemberAvatar, byReadiness, stateOf, teamQuery, useLiveTeam } from "../team/index.ts";
import { availableText } from "./conversation/transfer-targets.ts";
import { waitingLabel } from "./list/card-texts.ts";
import classes from "./team-strip.module.css";

/** Those who work first; the others are in a panel. */
const PEOPLE_SHOWN = 5;

type Props = {
  isWide: boolean;
  isFolded: boolean;
  onFold: (isFolded: boolean) => void;
  /** Null: all queues. */
  queueIds: readonly number[] | null;
  onQueue: (queueId: number) => void;
  /** Null: the user may not see what others serve. */
  onPerson: ((userId: number) => void) | null;
};

/** What waits in each queue and who works, above the list, for supervisors and admins (ui-2.md). */
export function TeamStrip(props: Props): ReactNode {
  const { t } = useTranslation();
  useLiveTeam();
  const { data: team } = useQuery(teamQuery);
  if (team === undefined) return null;
  const summary = summaryOf(t, team);
  if (!props.isWide) {
    return (
      <Popover position="bottom-start" width="min(420px, 94vw)" shadow="md" trapFocus>
        <Popover.Target>
          <button type="button" className={classes["opener"]} aria-haspopup="dialog">
            <IconUsersGroup size={16} stroke={1.7} aria-hidden="true" />
            <span className={classes["strong"]}>{t("team.title")}</span>
            <span className="bc-ellipsis">{summary}</span>
          </button>
        </Popover.Target>
        <Popover.Dropdown aria-label={t("team.title")}>
          <div className={classes["panel"]}>
            <Queues {...props} team={team} />
            <People people={team.people.toSorted(byReadiness)} onPerson={props.onPerson} />
          </div>
        </Popover.Dropdown>
      </Popover>
    );
  }
  const people = team.people.toSorted(byReadiness);
  return (
    <section
      className={classes["strip"]}
      data-folded={props.isFolded || undefined}
      aria-label={t("team.title")}
    >
      {props.isFolded ? (
        <span className={classes["summary"]}>{summary}</span>
      ) : (
        <>
          <Queues {...props} team={team} />
          <span className={classes["divider"]} aria-hidden="true" />
          <People people={people.slice(0, PEOPLE_SHOWN)} onPerson={props.onPerson} />
          {people.length > PEOPLE_SHOWN ? (
            <Others people={people.slice(PEOPLE_SHOWN)} onPerson={props.onPerson} />
          ) : null}
        </>
      )}
      <IconButton
        size="small"
        label={t(props.isFolded ? "team.unfold" : "team.fold")}
        icon={props.isFolded ? IconChevronDown : IconChevronUp}
        aria-expanded={!props.isFolded}
        onClick={() => props.onFold(!props.isFolded)}
      />
    </section>
  );
}

function summaryOf(t: TFunction, { people, queues }: Team): string {
  const free = people.filter((one) => stateOf(one) === "free").length;
  const waiting = queues.reduce((sum, queue) => sum + queue.waiting, 0);
  return `${availableText(t, free)}, ${t("team.waiting", { count: waiting })}`;
}

type QueuesProps = Pick<Props, "queueIds" | "onQueue"> & { team: Team };

function Queues({ team, queueIds, onQueue }: QueuesProps): ReactNode {
  const { t } = useTranslation();
  const queues = useQueues() ?? [];
  const nowMs = useNow(limits.timeLabelRefreshMs);
  return (
    <ul className={classes["queues"]}>
      {queues.map(({ id, name, color }) => {
        const load = team.queues.find((one) => one.id === id);
        const oldest = load?.oldestSince ?? null;
        const wait = oldest === null ? null : waitOf(t, oldest, nowMs);
        return (
          <li key={id}>
            <button
              type="button"
              className={classes["queue"]}
              aria-pressed={queueIds !== null && queueIds.length === 1 && queueIds[0] === id}
              title={t("team.filterBy", { name })}
              onClick={() => onQueue(id)}
            >
              <span className={classes["name"]}>
                <QueueDot color={color} />
                <span className="bc-ellipsis">{name}</span>
              </span>
              <span className={classes["facts"]}>
                {t("team.waiting", { count: load?.waiting ?? 0 })}
                {wait === null ? null : (
                  <span className={classes["wait"]} data-tone={wait.tone}>
                    <span className="bc-hidden-text">{t("team.oldest", { time: wait.text })}</span>
                    <span aria-hidden="true">{wait.text}</span>
                  </span>
                )}
                {load?.withinTarget == null ? null : (
                  <span>{t("team.withinTarget", { percent: load.withinTarget })}</span>
                )}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** The oldest wait in its colour; outside of the ranges that have one it is neutral. */
function waitOf(t: TFunction, since: string, nowMs: number) {
  const { tone, unit, value } = waitingLabel(Date.parse(since), nowMs);
  return { text: t(`tickets.${unit}`, { value }), tone };
}

type PeopleProps = Pick<Props, "onPerson"> & { people: readonly TeamMember[] };

function People({ people, onPerson }: PeopleProps): ReactNode {
  const { t } = useTranslation();
  const nowMs = useNow(limits.timeLabelRefreshMs);
  return (
    <ul className={classes["people"]}>
      {people.map((member) => {
        const facts = (
          <>
            <MemberAvatar member={member} size={30} />
            <span className={classes["text"]}>
              <span className={classes["person"]} title={member.name}>
                {member.name.trim().split(/\s+/)[0]}
              </span>
              <span className={classes["load"]} data-state={stateOf(member)}>
                {factOf(t, member, nowMs)}
              </span>
            </span>
          </>
        );
        return (
          <li key={member.id}>
            {onPerson === null ? (
              <span className={classes["member"]}>{facts}</span>
            ) : (
              <button
                type="button"
                className={classes["member"]}
                title={t("team.openPerson", { name: member.name })}
                onClick={() => onPerson(member.id)}
              >
                {facts}
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** The load of those who work; of the others why they do not. */
function factOf(t: TFunction, member: TeamMember, nowMs: number): string {
  const { openTickets: open, ticketLimit: limit, pauseReason, availabilitySince } = member;
  switch (stateOf(member)) {
    case "free":
    case "full":
      return t("team.load", { open, limit });
    case "paused": {
      const minutes = minutesSince(availabilitySince, nowMs);
      return t("team.pausedFor", { reason: pauseReason ?? "", minutes });
    }
    case "away":
      return t("shell.availability.away");
    case "offline":
      return t("team.offline");
  }
}

function Others({ people, onPerson }: PeopleProps): ReactNode {
  const { t } = useTranslation();
  return (
    <Popover position="bottom-end" width={280} shadow="md" trapFocus>
      <Popover.Target>
        <button
          type="button"
          className={classes["more"]}
          aria-haspopup="dialog"
          aria-label={t("team.others", { count: people.length })}
        >
          +{people.length}
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("team.title")}>
        <div className={classes["panel"]}>
          <People people={people} onPerson={onPerson} />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
