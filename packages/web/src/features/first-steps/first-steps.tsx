import type { FirstSteps as Reply } from "@balcao/contract";
import { isNationalOn, nationalHolidayKeys } from "@balcao/contract/holidays";
import { limits } from "@balcao/contract/limits";
import { useMediaQuery } from "@mantine/hooks";
import type { Icon } from "@tabler/icons-react";
import {
  IconCheck,
  IconDeviceMobileMessage,
  IconHourglass,
  IconPlugConnected,
  IconRocket,
  IconSitemap,
  IconUserPlus,
} from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useEffect, useReducer, useRef, useState } from "react";
import { daysUntil, formatMoney } from "../../i18n/format.ts";
import type { PlainTextKey, TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link, useNavigate } from "../../router/index.tsx";
import { Button, buttonLook } from "../../ui/button.tsx";
import { useNow } from "../../ui/clock.ts";
import { EmptyState, NoticeStrip, notifyError, notifySuccess } from "../../ui/index.ts";
import { formatPhone } from "../../ui/phone-number.ts";
import { useSession } from "../auth/index.ts";
import type { StepName, Steps } from "./api.ts";
import { doneOf, saveProposedHours, stepNames, useFirstSteps } from "./api.ts";
import classes from "./first-steps.module.css";
import { memoryOf } from "./memory.ts";

const ALL = stepNames.length;
const MINUTES_EACH = 2;
const MINUTE_MS = 60_000;

/**
 * The first steps of a company, which hide the empty place of a conversation; in the empty list of a narrow screen the way to them.
 * What is done is read once the page has shown.
 */
export function FirstSteps({ isInList }: { isInList: boolean }): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { companyId } = useSession().user;
  const key = memoryOf(companyId);
  const [, renderAgain] = useReducer((times: number) => times + 1, 0);
  const isOff = localStorage.getItem(key) !== null;
  const { data } = useFirstSteps(!isOff);
  const done = data && doneOf(data.steps);
  const hasSeen = useSeenUndone(key, { done, isInList });
  function leave(as: "hidden" | "done"): void {
    localStorage.setItem(key, as);
    renderAgain();
  }
  if (isOff || !data || (done === ALL && !hasSeen)) return null;
  if (isInList) {
    return (
      <span className={classes["below"]}>
        <Button variant="default" onClick={() => navigate("/tickets", { state: "ticket" })}>
          {t("firstSteps.see")}
        </Button>
      </span>
    );
  }
  return (
    <div className={classes["scroll"]} data-first-steps="">
      <div className={classes["column"]}>
        {data.trial === null ? null : <TrialLine trial={data.trial} />}
        {done === ALL ? (
          <Ready
            onLeave={() => {
              leave("done");
              // On a narrow screen the list has its own pane.
              navigate("/tickets");
            }}
          />
        ) : (
          <Checklist {...data} onHide={() => leave("hidden")} />
        )}
      </div>
    </div>
  );
}

/**
 * Whether the user has seen that something was not done: only then it is said that all is, once. After that, and for a company
 * that was done before, nothing is asked any more.
 */
function useSeenUndone(
  key: string,
  { done, isInList }: { done: number | undefined; isInList: boolean },
): boolean {
  const seenKey = `${key}.seen`;
  const [hasSeen, setSeen] = useState(() => localStorage.getItem(seenKey) === "undone");
  const isUndone = done !== undefined && done < ALL;
  if (isUndone && !hasSeen) setSeen(true);
  useEffect(() => {
    if (done === undefined) return;
    if (isUndone) localStorage.setItem(seenKey, "undone");
    else if (!hasSeen) localStorage.setItem(key, "done");
    // The list only leads to where it is said.
    else if (!isInList) localStorage.setItem(seenKey, "done");
  }, [key, seenKey, done, isUndone, hasSeen, isInList]);
  return hasSeen;
}

/** ", 2 de 5", behind the name of the list. */
export function StepsCount(): ReactNode {
  const { t } = useTranslation();
  const { data } = useFirstSteps();
  return data ? `, ${t("firstSteps.ofAll", { done: doneOf(data.steps), all: ALL })}` : null;
}

function TrialLine({ trial }: { trial: NonNullable<Reply["trial"]> }): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const daysLeft = daysUntil(trial.endsAt, useNow(MINUTE_MS));
  const name = trial.plan;
  const plan = /^plan[oe]?\b/i.test(name) ? name : t("firstSteps.planNamed", { name });
  return (
    <div className={classes["trial"]}>
      <NoticeStrip
        tone={daysLeft <= 0 ? "warn" : "info"}
        icon={IconHourglass}
        title={
          daysLeft <= 0
            ? t("firstSteps.trialEndsToday")
            : t("firstSteps.trialDays", { count: daysLeft })
        }
        action={{ label: t("firstSteps.subscription"), onClick: () => navigate("/subscription") }}
      >
        {trial.value === 0
          ? t("firstSteps.afterwardsFree", { plan })
          : t("firstSteps.afterwards", { plan, price: formatMoney(trial.value) })}
      </NoticeStrip>
    </div>
  );
}

/** On a narrow screen the steps are alone, without the list and its heading. */
function useIsAlone(): boolean {
  return useMediaQuery(`(max-width: ${limits.drawerOverlayBelowPx - 1}px)`, false, {
    getInitialValueInEffect: false,
  });
}

function Ready({ onLeave }: { onLeave: () => void }): ReactNode {
  const { t } = useTranslation();
  const heading = useIsAlone() ? "h1" : "h2";
  return (
    <section className={classes["card"]} aria-label={t("firstSteps.title")}>
      <EmptyState
        icon={IconRocket}
        drawing="talk"
        heading={heading}
        title={t("firstSteps.readyTitle")}
        text={t("firstSteps.readyText")}
        action={<Button onClick={onLeave}>{t("firstSteps.toTickets")}</Button>}
      />
    </section>
  );
}

type StepTexts = {
  /** Where it is done, and where it is seen once it is. */
  to: string;
  done: string;
  icon: Icon;
  title: PlainTextKey;
  text: PlainTextKey;
  act: PlainTextKey;
};

const texts: Readonly<Record<Exclude<StepName, "hours">, StepTexts>> = {
  connection: {
    ...{ to: "/connections?new", done: "/connections", icon: IconPlugConnected },
    title: "firstSteps.connection.title",
    text: "firstSteps.connection.text",
    act: "firstSteps.connection.act",
  },
  queue: {
    ...{ to: "/queues?new", done: "/queues", icon: IconSitemap },
    title: "firstSteps.queue.title",
    text: "firstSteps.queue.text",
    act: "firstSteps.queue.act",
  },
  team: {
    ...{ to: "/users?new", done: "/users", icon: IconUserPlus },
    title: "firstSteps.team.title",
    text: "firstSteps.team.text",
    act: "firstSteps.team.act",
  },
  simulator: {
    ...{ to: "/simulator", done: "/simulator", icon: IconDeviceMobileMessage },
    title: "firstSteps.simulator.title",
    text: "firstSteps.simulator.text",
    act: "firstSteps.simulator.act",
  },
};
const HOURS = "/settings?tab=hours";

/** What a done step shows of itself. */
function factOf(t: TFunction, name: StepName, steps: Steps): string {
  const { connection, queue, hours, team, simulator } = steps;
  switch (name) {
    case "connection": {
      const number = connection?.number ? formatPhone(connection.number) : "";
      return [connection?.name, number].filter(Boolean).join(", ");
    }
    case "queue":
      return queue?.name ?? "";
    case "hours":
      return t(hours === "queue" ? "firstSteps.hours.ofQueues" : "firstSteps.hours.ofCompany");
    case "team":
      if (!team) return "";
      return team.others === 0
        ? team.name
        : t("firstSteps.team.more", { name: team.name, count: team.others });
    case "simulator":
      return t("firstSteps.simulator.answered", { name: simulator?.name ?? "" });
  }
}

function Checklist({ steps, holidays, onHide }: Reply & { onHide: () => void }): ReactNode {
  const { t } = useTranslation();
  const Heading = useIsAlone() ? "h1" : "h2";
  const heading = useRef<HTMLHeadingElement>(null);
  const [chosen, setChosen] = useState<StepName | null>(null);
  const done = doneOf(steps);
  const first = stepNames.find((name) => steps[name] === null);
  const open = chosen !== null && steps[chosen] === null ? chosen : first;
  return (
    <section className={classes["card"]} aria-label={t("firstSteps.title")}>
      <header className={classes["head"]}>
        <div className="bc-fill">
          <Heading ref={heading} tabIndex={-1} className={classes["title"]}>
            {t("firstSteps.title")}
          </Heading>
          <p className={classes["lead"]}>
            {t("firstSteps.lead", { count: (ALL - done) * MINUTES_EACH })}
          </p>
        </div>
        <div className={classes["progress"]}>
          <p role="status">
            <strong>{done}</strong> {t("firstSteps.of", { all: ALL })}
          </p>
          <span className={classes["bar"]} aria-hidden="true">
            <span style={{ width: `${(100 * done) / ALL}%` }} />
          </span>
        </div>
      </header>
      <ol className={classes["steps"]}>
        {stepNames.map((name, index) => (
          <Step
            key={name}
            name={name}
            number={index + 1}
            fact={steps[name] === null ? null : factOf(t, name, steps)}
            isOpen={name === open}
            onOpen={() => setChosen(name)}
          >
            {name === "hours" ? (
              <ProposedHours
                holidays={nationalHolidayKeys.filter((one) => isNationalOn(holidays, one)).length}
                // The button that had the focus is gone.
                onSaved={() => heading.current?.focus()}
              />
            ) : null}
          </Step>
        ))}
      </ol>
      <footer className={classes["foot"]}>
        <span>{t("firstSteps.byThemselves")}</span>
        <button type="button" className={classes["quiet"]} onClick={onHide}>
          {t("firstSteps.hide")}
        </button>
      </footer>
    </section>
  );
}

type StepProps = {
  name: StepName;
  number: number;
  /** Null while it is not done. */
  fact: string | null;
  /** The one whose decision is shown in place. */
  isOpen: boolean;
  onOpen: () => void;
  /** The decision of the hours. */
  children: ReactNode;
};

function Step({ name, number, fact, isOpen, onOpen, children }: StepProps): ReactNode {
  const { t } = useTranslation();
  const own = name === "hours" ? null : texts[name];
  const StepIcon = own?.icon;
  const title = t(own?.title ?? "firstSteps.hours.title");
  const act = t(own?.act ?? "firstSteps.hours.act");
  const isDone = fact !== null;
  const leading = StepIcon ? <StepIcon size={15} stroke={1.7} aria-hidden="true" /> : null;
  function renderAct(): ReactNode {
    if (isDone) {
      return (
        <Link
          className={classes["quiet"]}
          to={own?.done ?? HOURS}
          aria-label={t("firstSteps.showOf", { step: title })}
        >
          {t("firstSteps.show")}
        </Link>
      );
    }
    if (own === null) {
      return isOpen ? null : (
        <Button variant="default" onClick={onOpen}>
          {act}
        </Button>
      );
    }
    return (
      <Link to={own.to} {...buttonLook({ variant: isOpen ? "filled" : "default" })}>
        {leading}
        {act}
      </Link>
    );
  }
  return (
    <li
      className={classes["step"]}
      data-state={isDone ? "done" : isOpen ? "open" : undefined}
      aria-current={isOpen ? "step" : undefined}
    >
      <span className={classes["mark"]}>
        {isDone ? <IconCheck size={15} stroke={2} aria-hidden="true" /> : number}
        {isDone ? <span className="bc-hidden-text">{t("firstSteps.isDone")}</span> : null}
      </span>
      <div className={classes["words"]}>
        <p className={classes["name"]}>{title}</p>
        <p className={classes["text"]}>{fact ?? t(own?.text ?? "firstSteps.hours.text")}</p>
      </div>
      <div className={classes["act"]}>{renderAct()}</div>
      {isOpen && children ? <div className={classes["decision"]}>{children}</div> : null}
    </li>
  );
}

type HoursProps = { holidays: number; onSaved: () => void };

/** The opening hours that are proposed; one press saves them. */
function ProposedHours({ holidays, onSaved }: HoursProps): ReactNode {
  const { t } = useTranslation();
  const { companyId } = useSession().user;
  const save = useMutation({
    mutationFn: () => saveProposedHours(companyId),
    onSuccess: () => {
      notifySuccess(t("firstSteps.hours.saved"));
      onSaved();
    },
    onError: notifyError,
  });
  const tiles = [
    [t("firstSteps.hours.weekdays"), "9:00 – 12:00", "13:00 – 18:00"],
    [t("firstSteps.hours.saturday"), "9:00 – 13:00"],
    [t("firstSteps.hours.sunday"), t("firstSteps.hours.closed")],
    [t("firstSteps.hours.holidays"), t("firstSteps.hours.national", { count: holidays })],
  ];
  return (
    <>
      <dl className={classes["hours"]}>
        {tiles.map(([day, ...times]) => (
          <div key={day}>
            <dt>{day}</dt>
            {times.map((time) => (
              <dd key={time}>{time}</dd>
            ))}
          </div>
        ))}
      </dl>
      <div className={classes["buttons"]}>
        <Button loading={save.isPending} onClick={() => save.mutate()}>
          {t("firstSteps.hours.use")}
        </Button>
        <Link to={HOURS} {...buttonLook({ variant: "default" })}>
          {t("firstSteps.hours.adjust")}
        </Link>
      </div>
    </>
  );
}
