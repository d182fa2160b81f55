import type { DashboardNow } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { useMediaQuery } from "@mantine/hooks";
import { IconPlugConnected, IconPlugConnectedX, IconSpeakerphone } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import { call } from "../../api/client.ts";
import { formatNumber, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useCompanyEvent, useLiveStatus } from "../../realtime/index.ts";
import { readAgain } from "../../realtime/live.ts";
import { useNavigate, useSearchParams } from "../../router/index.tsx";
import { epochMs, nowIso, useNow } from "../../ui/clock.ts";
import { useColorScheme } from "../../ui/color-scheme.ts";
import { AppAvatar, ErrorWords } from "../../ui/index.ts";
import { Loader } from "../../ui/loader.tsx";
import { Logo } from "../../ui/logo.tsx";
import { usePageTitle } from "../../ui/page-title.ts";
import { LiveSession, useSession, useStoredSession } from "../auth/index.ts";
import { useConnections } from "../connections/index.ts";
import {
  addressWith,
  choiceOf,
  durationText,
  longWeekday,
  oneDigit,
  readFilter,
  sinceText,
  spokenDay,
  waitTone,
} from "../reports/index.ts";
import { QueueMark, useNowFigures, useServerNow } from "./now.tsx";
import classes from "./wall.module.css";

const POINTER_SHOWN_MS = 5_000;
/** A break of the live channel is shown after this long. */
const LOST_AFTER_MS = 10_000;
const TEAM_ROWS = 5;
const QUEUE_ROWS = 4;
const ROTATE_MS = 15_000;
const CLOCK_MS = 1_000;
/** Hours of the chart that are always shown. */
const HOURS_FROM = 8;
const HOURS_TO = 19;

/**
 * The wall view (ui-2.md): what goes on now, legible from some metres, in the whole window. The address has the filter, and
 * `names=off` where customers can see the screen.
 */
export function WallPage(): ReactNode {
  const { t } = useTranslation();
  const session = useStoredSession();
  const [params, setParams] = useSearchParams();
  const text = params.get("filter") ?? "";
  const choice = choiceOf(readFilter(text));
  const hasNames = params.get("names") !== "off";
  const now = useNowFigures(choice);
  usePageTitle(t("dashboard.wall"));
  useLeave(addressWith("/", choice));
  useWakeLock();
  const isStill = useStillPointer();
  const { choice: scheme } = useColorScheme();
  const toggleNames = (): void =>
    setParams(
      { ...(text === "" ? {} : { filter: text }), ...(hasNames ? { names: "off" } : {}) },
      { replace: true },
    );
  return (
    <main
      className={classes["wall"]}
      data-still={isStill || undefined}
      // Dark unless the user has chosen otherwise, whatever the system says.
      data-mantine-color-scheme={scheme === "auto" ? "dark" : scheme}
    >
      {session ? <LiveSession key={session.id} session={session} /> : null}
      <WallHead today={now.data?.today} />
      {now.data === undefined ? (
        <div className={classes["wait"]} role={now.error === null ? "status" : "alert"}>
          {now.error === null ? (
            <Loader sizePx={40} aria-label={t("common.loading")} />
          ) : (
            <>
              <ErrorWords error={now.error} />{" "}
              <button type="button" className={classes["names"]} onClick={() => void now.refetch()}>
                {t("common.retry")}
              </button>
            </>
          )}
        </div>
      ) : (
        <WallFigures now={now.data} readAtMs={now.dataUpdatedAt} hasNames={hasNames} />
      )}
      <WallFoot>
        <button
          type="button"
          className={classes["names"]}
          aria-pressed={hasNames}
          onClick={toggleNames}
        >
          {t(hasNames ? "wall.hideNames" : "wall.showNames")}
        </button>
      </WallFoot>
    </main>
  );
}

/** Esc leaves. While the browser fills the screen, it takes that key and says only that the screen is no longer filled. */
function useLeave(to: string): void {
  const navigate = useNavigate();
  useEffect(() => {
    let wasFull = isFull();
    const leave = (): void => navigate(to);
    const onKeyDown = ({ key }: KeyboardEvent): void => {
      if (key === "Escape") leave();
    };
    const onScreen = (): void => {
      if (wasFull && !isFull()) leave();
      wasFull = isFull();
    };
    document.addEventListener("keydown", onKeyDown);
    document.addEventListener("fullscreenchange", onScreen);
    return () => {
      document.removeEventListener("keydown", onKeyDown);
      document.removeEventListener("fullscreenchange", onScreen);
    };
  }, [navigate, to]);
  useEffect(
    () => () => {
      if (isFull()) void document.exitFullscreen();
    },
    [],
  );
}

/** Some browsers have no such element at all. */
const isFull = (): boolean => Boolean(document.fullscreenElement);

/** Keeps the screen awake where the browser can. It lets go of a hidden page, which asks again. */
function useWakeLock(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | null = null;
    let isLeft = false;
    async function ask(): Promise<void> {
      if (document.visibilityState !== "visible" || !("wakeLock" in navigator)) return;
      const granted = await navigator.wakeLock.request("screen");
      if (isLeft) await granted.release();
      else lock = granted;
    }
    // Refused on a device that saves power: the screen then sleeps as it always does.
    const request = (): void => void ask().catch(() => undefined);
    request();
    document.addEventListener("visibilitychange", request);
    return () => {
      isLeft = true;
      document.removeEventListener("visibilitychange", request);
      void lock?.release();
    };
  }, []);
}

/** True when the pointer has not moved for some seconds. */
function useStillPointer(): boolean {
  const [isStill, setStill] = useState(false);
  useEffect(() => {
    let timer = setTimeout(() => setStill(true), POINTER_SHOWN_MS);
    const onMove = (): void => {
      setStill(false);
      clearTimeout(timer);
      timer = setTimeout(() => setStill(true), POINTER_SHOWN_MS);
    };
    const events = ["pointermove", "pointerdown", "keydown"] as const;
    for (const name of events) document.addEventListener(name, onMove);
    return () => {
      clearTimeout(timer);
      for (const name of events) document.removeEventListener(name, onMove);
    };
  }, []);
  return isStill;
}

/** Since when the live channel is lost, once that has lasted; null while it is not. */
function useLostSince(): string | null {
  const isOnline = useLiveStatus().state === "online";
  const [lostAt, setLostAt] = useState<string | null>(null);
  useEffect(() => {
    if (isOnline) return undefined;
    const since = nowIso();
    const timer = setTimeout(() => setLostAt(since), LOST_AFTER_MS);
    return () => {
      clearTimeout(timer);
      setLostAt(null);
    };
  }, [isOnline]);
  return lostAt;
}

function WallHead({ today }: { today: string | undefined }): ReactNode {
  const { t } = useTranslation();
  const { user } = useSession();
  const nowMs = useNow(CLOCK_MS);
  const lostSince = useLostSince();
  return (
    <header className={classes["head"]}>
      <Logo className={classes["logo"]} />
      <h1>{user.company.name}</h1>
      <span className={classes["day"]}>{today === undefined ? null : spokenDay(today)}</span>
      <span className={classes["live"]} data-lost={lostSince !== null || undefined} role="status">
        {lostSince === null ? t("wall.live") : t("wall.stopped", { time: formatTime(lostSince) })}
      </span>
      <time className={classes["clock"]}>{formatTime(new Date(nowMs).toISOString())}</time>
    </header>
  );
}

type FiguresProps = { now: DashboardNow; readAtMs: number; hasNames: boolean };

function WallFigures({ now, readAtMs, hasNames }: FiguresProps): ReactNode {
  const { t } = useTranslation();
  const nowMs = useServerNow(now.at, readAtMs);
  const { waiting, open, people, waitToday, targetMinutes, resolvedToday, ratingsToday } = now;
  const { longest } = waiting;
  const average = splitDuration(durationText(t, waitToday.seconds));
  const isKept =
    targetMinutes !== null && (waitToday.seconds ?? 0) <= targetMinutes * MINUTE_S ? "ok" : "bad";
  return (
    <>
      <section className={classes["numbers"]} aria-label={t("wall.numbers")}>
        <BigNumber label={t("dashboard.waiting")} value={formatNumber(waiting.count)}>
          {longest === null ? (
            t("dashboard.nobodyWaits")
          ) : (
            <>
              <b data-tone={waitTone(longest.since, nowMs)}>
                {t("wall.since", { time: sinceText(t, longest.since, nowMs) })}
              </b>{" "}
              {[hasNames ? longest.contactName : null, longest.queueName]
                .filter(Boolean)
                .join(", ")}
            </>
          )}
        </BigNumber>
        <BigNumber label={t("dashboard.open")} value={formatNumber(open.count)}>
          <b>{t("dashboard.ofAll", { some: people.online, all: people.total })}</b>{" "}
          {t("wall.peopleOnline")}
        </BigNumber>
        <BigNumber
          label={t("wall.waitToday")}
          value={waitToday.seconds === null ? "–" : average.number}
          unit={waitToday.seconds === null ? "" : average.unit}
        >
          {targetMinutes === null ? (
            t("wall.noTarget")
          ) : (
            <>
              {t("wall.target")}{" "}
              <b data-tone={waitToday.seconds === null ? undefined : isKept}>
                {t("wall.targetMinutes", { m: targetMinutes })}
              </b>
            </>
          )}
        </BigNumber>
        <BigNumber label={t("dashboard.resolvedToday")} value={formatNumber(resolvedToday.count)}>
          {ratingsToday.average === null ? (
            t("wall.noRating")
          ) : (
            <>
              {t("wall.rating")}{" "}
              <b>{t("wall.ofThree", { value: oneDigit(ratingsToday.average) })}</b>{" "}
              {t("wall.answers", { count: ratingsToday.count })}
            </>
          )}
        </BigNumber>
      </section>
      <div className={classes["columns"]}>
        <WallQueues now={now} nowMs={nowMs} />
        <WallTeam now={now} nowMs={nowMs} />
        <WallHours now={now} />
      </div>
    </>
  );
}

const MINUTE_S = 60;

/** "6 min" as a large number and a small unit. */
function splitDuration(text: string): { number: string; unit: string } {
  const [number = "", ...unit] = text.split(" ");
  return { number, unit: unit.join(" ") };
}

type NumberProps = { label: string; value: string; unit?: string; children: ReactNode };

function BigNumber({ label, value, unit = "", children }: NumberProps): ReactNode {
  return (
    <div className={classes["big"]}>
      <h2>{label}</h2>
      {/* Another key is another element, which fades in once. */}
      <p key={value} className={classes["value"]}>
        {value}
        {unit === "" ? null : <small>{unit}</small>}
      </p>
      <p className={classes["below"]}>{children}</p>
    </div>
  );
}

type PartProps = { now: DashboardNow; nowMs: number };

/** Queues with people waiting first, the longest wait before the others. */
function WallQueues({ now, nowMs }: PartProps): ReactNode {
  const { t } = useTranslation();
  const all = now.queues.toSorted(
    (a, b) =>
      Number(b.waiting > 0) - Number(a.waiting > 0) ||
      b.waiting - a.waiting ||
      (a.longest?.since ?? "").localeCompare(b.longest?.since ?? ""),
  );
  const shown = all.slice(0, QUEUE_ROWS);
  return (
    <section className={classes["card"]} aria-labelledby="wall-queues">
      <h2 id="wall-queues">{t("dashboard.waitingByQueue")}</h2>
      <ul>
        {shown.map(({ id, name, color, waiting, longest, online }) => (
          <li key={id} className={classes["queue"]}>
            <QueueMark color={color} />
            <span className={classes["text"]}>
              <span className={classes["name"]}>
                {id === null ? t("figures.without.queueIds") : name}
              </span>
              <span className={classes["facts"]}>
                {longest === null ? null : (
                  <>
                    <b data-tone={waitTone(longest.since, nowMs)}>
                      {t("wall.since", { time: sinceText(t, longest.since, nowMs) })}
                    </b>
                    ,{" "}
                  </>
                )}
                {id === null ? t("wall.chooseQueue") : t("wall.attendants", { count: online })}
              </span>
            </span>
            <span key={waiting} className={classes["count"]}>
              {formatNumber(waiting)}
            </span>
          </li>
        ))}
      </ul>
      {all.length > shown.length ? (
        <p className={classes["rest"]}>{t("wall.more", { count: all.length - shown.length })}</p>
      ) : null}
    </section>
  );
}

/** Who works, five at a time. Without motion the others are only counted. */
function WallTeam({ now: { team, queues }, nowMs }: PartProps): ReactNode {
  const { t } = useTranslation();
  const isCalm = useMediaQuery("(prefers-reduced-motion: reduce)", false, {
    getInitialValueInEffect: false,
  });
  const [turn, setTurn] = useState(0);
  const turns = Math.max(1, Math.ceil(team.length / TEAM_ROWS));
  useEffect(() => {
    if (isCalm || turns === 1) return undefined;
    const timer = setInterval(() => setTurn((last) => last + 1), ROTATE_MS);
    return () => clearInterval(timer);
  }, [isCalm, turns]);
  const at = isCalm ? 0 : turn % turns;
  const shown = team.slice(at * TEAM_ROWS, (at + 1) * TEAM_ROWS);
  const others = team.length - shown.length;
  return (
    <section className={classes["card"]} aria-labelledby="wall-team">
      <div className={classes["teamHead"]}>
        <h2 id="wall-team">{t("wall.team")}</h2>
        <span>{t("wall.open")}</span>
        <span>{t("wall.oldest")}</span>
      </div>
      <ul key={at} className={classes["team"]}>
        {shown.map(({ id, name, online, lastSeenAt, open, oldestSince, queueIds }) => (
          <li key={id} className={classes["member"]}>
            <span className={classes["avatar"]} data-online={online}>
              <AppAvatar name={name} id={id} size={100} />
            </span>
            <span className={classes["text"]}>
              <span className={classes["name"]}>{name}</span>
              <span className={classes["facts"]}>
                {[
                  queues.find((queue) => queue.id !== null && queueIds.includes(queue.id))?.name,
                  online ? null : offlineText(lastSeenAt),
                ]
                  .filter(Boolean)
                  .join(", ")}
              </span>
            </span>
            <span key={open} className={classes["open"]}>
              {formatNumber(open)}
            </span>
            <span
              className={classes["oldest"]}
              data-tone={
                oldestSince === null || waitTone(oldestSince, nowMs) === "ok"
                  ? undefined
                  : waitTone(oldestSince, nowMs)
              }
            >
              {oldestSince === null ? "–" : sinceText(t, oldestSince, nowMs)}
            </span>
          </li>
        ))}
      </ul>
      {isCalm && others > 0 ? (
        <p className={classes["rest"]}>{t("wall.more", { count: others })}</p>
      ) : null}
    </section>
  );

  function offlineText(lastSeenAt: string | null): string {
    const isToday = lastSeenAt !== null && epochMs() - Date.parse(lastSeenAt) < DAY_MS;
    return isToday
      ? t("wall.offlineSince", { time: formatTime(lastSeenAt) })
      : t("dashboard.offline");
  }
}

const DAY_MS = 86_400_000;

/** Conversations of today by hour, and as a short bar the average of the last four same weekdays. */
function WallHours({ now }: { now: DashboardNow }): ReactNode {
  const { t } = useTranslation();
  const used = now.hours.filter(({ attendances, usual }) => attendances > 0 || usual >= 0.5);
  const from = Math.min(HOURS_FROM, ...used.map(({ hour }) => hour));
  const to = Math.max(HOURS_TO, ...used.map(({ hour }) => hour));
  const shown = now.hours.filter(({ hour }) => hour >= from && hour <= to);
  const most = Math.max(1, ...shown.flatMap(({ attendances, usual }) => [attendances, usual]));
  return (
    <section className={classes["card"]} aria-labelledby="wall-hours">
      <div className={classes["hoursHead"]}>
        <h2 id="wall-hours">{t("wall.byHour")}</h2>
        <span className={classes["legend"]}>
          {t("wall.usual", { weekday: longWeekday(now.today) })}
        </span>
      </div>
      <ol className={classes["hours"]}>
        {shown.map(({ hour, attendances, usual }) => (
          <li key={hour} data-now={hour === now.hour || undefined}>
            <span className="bc-hidden-text">
              {t("wall.hour", { hour, count: attendances, usual: formatNumber(Math.round(usual)) })}
            </span>
            <span className={classes["bars"]} aria-hidden="true">
              {attendances === 0 ? null : (
                <span
                  className={classes["bar"]}
                  style={{ height: `${(100 * attendances) / most}%` }}
                >
                  {formatNumber(attendances)}
                </span>
              )}
              {usual === 0 ? null : (
                <span
                  className={classes["usual"]}
                  style={{ insetBlockEnd: `${(100 * usual) / most}%` }}
                />
              )}
            </span>
            <span className={classes["hour"]} aria-hidden="true">
              {hour}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The connections, and the campaign that runs. */
function WallFoot({ children }: { children: ReactNode }): ReactNode {
  const { t } = useTranslation();
  const connections = useConnections();
  const { can } = useSession();
  return (
    <footer className={classes["foot"]}>
      <ul>
        {connections.map(({ id, name, status, disconnectedAt }) => {
          const isUp = status === "CONNECTED";
          const Plug = isUp ? IconPlugConnected : IconPlugConnectedX;
          return (
            <li key={id} data-tone={isUp ? "ok" : "bad"}>
              <Plug stroke={1.7} aria-hidden="true" />
              {isUp ? name : null}
              {isUp || disconnectedAt === null
                ? null
                : t("wall.downSince", { name, time: formatTime(disconnectedAt) })}
              {!isUp && disconnectedAt === null ? t("wall.down", { name }) : null}
              {isUp ? <span className="bc-hidden-text">{t("wall.up")}</span> : null}
            </li>
          );
        })}
      </ul>
      {children}
      {can("campaigns:use") ? <RunningCampaign /> : null}
    </footer>
  );
}

const campaignKey = ["dashboard", "campaign"];

function RunningCampaign(): ReactNode {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: campaignKey,
    queryFn: ({ signal }) => {
      const query = { searchParam: "", pageNumber: "1", status: "EM_ANDAMENTO" as const };
      return call("GET /campaigns", { query }, { signal });
    },
    staleTime: limits.timeLabelRefreshMs,
  });
  useCompanyEvent("campaign", () => void readAgain({ queryKey: campaignKey }));
  const running = data?.records[0];
  if (running === undefined) return null;
  const { name, counts } = running;
  return (
    <span className={classes["campaign"]}>
      <IconSpeakerphone stroke={1.7} aria-hidden="true" />
      {t("wall.campaign", {
        name,
        done: formatNumber(counts.delivered),
        all: formatNumber(counts.valid),
      })}
    </span>
  );
}
