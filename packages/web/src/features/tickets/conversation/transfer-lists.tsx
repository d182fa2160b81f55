import type { TeamMember } from "@balcao/contract";
import { IconCheck } from "@tabler/icons-react";
import type { CSSProperties, ReactNode } from "react";
import { useEffect, useRef } from "react";
import type { TFunction } from "../../../i18n/index.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { epochMs, minutesSince } from "../../../ui/clock.ts";
import { ListSkeleton } from "../../../ui/index.ts";
import { QueueDot } from "../../../ui/marks.tsx";
import { MemberAvatar, stateOf } from "../../team/index.ts";
import { useQueues } from "../../queues/index.ts";
import { openingText } from "./notices.tsx";
import classes from "./transfer.module.css";
import type { QueueHours, Target, TargetQueue } from "./transfer-targets.ts";
import { availableText, isSame } from "./transfer-targets.ts";

type ListProps = {
  id: string;
  kind: Target["kind"];
  /** Undefined while they are read: the list has its height already, so that nothing below it moves. */
  targets: readonly Target[] | undefined;
  chosen: Target | null;
  presentQueueId: number | null;
  optionId: (target: Target) => string;
  onChoose: (target: Target) => void;
};

/** The people or the queues to which a ticket can be transferred. The field above it moves the choice. */
export function TargetList(props: ListProps): ReactNode {
  const { t } = useTranslation();
  const { id, kind, targets = [], chosen } = props;
  const isPeople = kind === "person";
  const free = targets.filter((one) => one.kind === "person" && stateOf(one.member) === "free");
  return (
    <section className={classes["column"]} data-kind={kind}>
      <h3 id={`${id}-head`} className={classes["head"]}>
        {t(isPeople ? "tickets.transferTo.people" : "tickets.transferTo.queues")}
        {props.targets === undefined ? null : (
          <span className={classes["headNote"]}>
            {isPeople ? availableText(t, free.length) : t("tickets.transferTo.anyone")}
          </span>
        )}
      </h3>
      <div className={classes["area"]}>
        <ul id={id} role="listbox" aria-labelledby={`${id}-head`} className={classes["list"]}>
          {targets.map((target) => (
            <Row
              key={target.id}
              id={props.optionId(target)}
              target={target}
              isChosen={isSame(target, chosen)}
              isPresent={target.kind === "queue" && target.id === props.presentQueueId}
              onChoose={() => props.onChoose(target)}
            />
          ))}
        </ul>
        {props.targets === undefined ? <ListSkeleton rows={5} /> : null}
        {props.targets?.length === 0 ? (
          <p className={classes["none"]}>
            {t(isPeople ? "tickets.transferTo.noPerson" : "tickets.transferTo.noQueue")}
          </p>
        ) : null}
      </div>
    </section>
  );
}

type RowProps = {
  id: string;
  target: Target;
  isChosen: boolean;
  isPresent: boolean;
  onChoose: () => void;
};

function Row({ id, target, isChosen, isPresent, onChoose }: RowProps): ReactNode {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView?.({ block: "nearest" });
  }, [isChosen]);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keys are those of the field
    <li
      ref={row}
      id={id}
      role="option"
      aria-selected={isChosen}
      className={classes["row"]}
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      {target.kind === "person" ? (
        <Person member={target.member} />
      ) : (
        <QueueFacts queue={target.queue} isPresent={isPresent} />
      )}
      <IconCheck className={classes["check"]} size={16} stroke={2} aria-hidden="true" />
    </li>
  );
}

function Person({ member }: { member: TeamMember }): ReactNode {
  const { t } = useTranslation();
  const queues = useQueues() ?? [];
  const state = stateOf(member);
  const { openTickets: open, ticketLimit: limit } = member;
  const names = queues.filter(({ id }) => member.queueIds.includes(id)).map(({ name }) => name);
  const hasLoad = state === "free" || state === "full";
  const style: CSSProperties & Record<`--${string}`, number> = {
    "--load": Math.min(open / limit, 1),
  };
  return (
    <>
      <MemberAvatar member={member} size={34} />
      <span className={classes["text"]}>
        <span className={classes["name"]} title={member.name}>
          {member.name}
        </span>
        <span className={classes["detail"]} title={names.join(", ")}>
          {names.length === 0 ? t("tickets.noQueue") : names.join(", ")}
        </span>
      </span>
      <span className={classes["facts"]} data-state={state}>
        {hasLoad ? t("team.load", { open, limit }) : absenceText(t, member)}
        {hasLoad ? <span className={classes["bar"]} style={style} aria-hidden="true" /> : null}
      </span>
    </>
  );
}

/** Why somebody takes no tickets now. */
function absenceText(t: TFunction, member: TeamMember): string {
  const state = stateOf(member);
  if (state === "offline") return t("team.offline");
  if (state === "away") return t("shell.availability.away");
  const minutes = minutesSince(member.availabilitySince, epochMs());
  return t("team.pausedFor", { reason: member.pauseReason ?? "", minutes });
}

function QueueFacts({ queue, isPresent }: { queue: TargetQueue; isPresent: boolean }): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <span className={classes["queueDot"]}>
        <QueueDot color={queue.color} />
      </span>
      <span className={classes["text"]}>
        <span className={classes["name"]} title={queue.name}>
          {queue.name}
          {isPresent ? (
            <span className={classes["present"]}>{t("tickets.transferTo.present")}</span>
          ) : null}
        </span>
        <span className={classes["detail"]}>{hoursText(t, queue.hours)}</span>
      </span>
      <span className={classes["facts"]}>
        <span>{t("team.waiting", { count: queue.waiting })}</span>
        <span className={classes["detail"]}>{availableText(t, queue.available)}</span>
      </span>
    </>
  );
}

function hoursText(t: TFunction, hours: QueueHours): string {
  switch (hours.kind) {
    case "unchecked":
      return "";
    case "open":
      return hours.untilTime === null
        ? t("tickets.transferTo.open")
        : t("tickets.transferTo.openUntil", { time: hours.untilTime });
    case "closed":
      return hours.opensAt === null
        ? t("tickets.transferTo.closed")
        : t("tickets.transferTo.opens", { when: openingText(t, hours.opensAt, epochMs()) });
  }
}
