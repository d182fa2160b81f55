import type { ManagedCompany } from "@balcao/contract";
import type { ReactNode } from "react";
import { formatDayLabel, formatNumber, formatTime } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { agoWords } from "../../ui/ago-words.ts";
import { AppAvatar } from "../../ui/index.ts";
import { Pill } from "../../ui/marks.tsx";
import { EmptyCell } from "../../ui/page/cells.tsx";
import { RowButton } from "../../ui/page/filtered-list.tsx";
import type { Column, RowTint } from "../../ui/page/record-table.tsx";
import { RowName } from "../../ui/page/record-table.tsx";
import { tip } from "../../ui/tooltip.tsx";
import { dayOf, dayWords } from "./api.ts";
import classes from "./companies.module.css";
import { gigabytes, Meter } from "./usage-section.tsx";

/** The columns of the list; a press of a name, or of connections that are down, opens the company. */
export function columnsOf(
  t: TFunction,
  nowMs: number,
  open: (id: number) => void,
): readonly Column<ManagedCompany>[] {
  return [
    {
      id: "name",
      title: t("companies.company"),
      isName: true,
      sortBy: "server",
      renderCell: (company) => (
        <RowName
          before={
            <span className="bc-wide-only">
              <AppAvatar name={company.name} id={company.id} size={28} />
            </span>
          }
          name={
            <span className={classes["nameRoom"]}>
              <RowButton onOpen={() => open(company.id)}>{company.name}</RowButton>
            </span>
          }
          after={<Standing company={company} nowMs={nowMs} />}
        />
      ),
    },
    {
      id: "plan",
      title: t("companies.plan"),
      fit: "content",
      sortBy: "server",
      renderCell: ({ plan }) => (
        <span className="bc-wide-only">
          <span className={classes["plan"]}>{plan.name}</span>
        </span>
      ),
    },
    {
      id: "dueDate",
      title: t("companies.dueDate"),
      fit: "content",
      sortBy: "server",
      renderCell: (company) => (
        <>
          <span className="bc-narrow-only">{company.plan.name}, </span>
          <Due company={company} />
          {company.connections.some(isDown) ? (
            <span className="bc-narrow-only">
              , <DownWords company={company} />
            </span>
          ) : null}
        </>
      ),
    },
    {
      id: "users",
      title: t("companies.users"),
      fit: "content",
      sortBy: "server",
      isLargestFirst: true,
      renderCell: ({ users, plan }) => (
        <span className="bc-wide-only">
          <span className={classes["users"]}>
            <span>
              <strong>{formatNumber(users)}</strong>/{formatNumber(plan.users)}
            </span>
            <Meter used={users} of={plan.users} />
          </span>
        </span>
      ),
    },
    {
      id: "connections",
      title: t("companies.connections"),
      fit: "content",
      renderCell: (company) => (
        <span className="bc-wide-only">
          <span className={classes["connections"]}>
            <Connections company={company} onOpen={() => open(company.id)} />
            <DownWords company={company} />
          </span>
        </span>
      ),
    },
    usageColumn("messages", t("companies.messages"), ({ messages }) => formatNumber(messages)),
    usageColumn("fileBytes", t("companies.files"), ({ fileBytes }) => gigabytes(fileBytes)),
    {
      id: "lastSeenAt",
      title: t("companies.activity"),
      fit: "content",
      sortBy: "server",
      isLargestFirst: true,
      renderCell: ({ lastSeenAt }) => (
        <span className="bc-wide-only">
          {lastSeenAt === null ? t("companies.neverSeen") : agoWords(t, lastSeenAt, nowMs)}
        </span>
      ),
    },
  ];
}

/** A figure of this month, left out where there is little room. */
function usageColumn(
  id: "messages" | "fileBytes",
  title: string,
  words: (usage: ManagedCompany["usage"]) => string,
): Column<ManagedCompany> {
  return {
    ...{ id, title, fit: "content", align: "end", isExtra: "wide" },
    ...{ sortBy: "server", isLargestFirst: true },
    renderCell: ({ usage }) => (
      <span className="bc-wide-only">
        {usage.countedAt === null ? <EmptyCell /> : words(usage)}
      </span>
    ),
  };
}

type RowProps = { company: ManagedCompany };

/** A pill for a company that is suspended or on trial. */
function Standing({ company, nowMs }: RowProps & { nowMs: number }): ReactNode {
  const { t } = useTranslation();
  const { status, trialExpiration } = company;
  if (!status) return <Pill tone={undefined}>{t("companies.suspended")}</Pill>;
  const isTrial = trialExpiration !== null && Date.parse(trialExpiration) > nowMs;
  return isTrial ? <Pill tone={undefined}>{t("companies.trial")}</Pill> : null;
}

/** A day that is further off is told with its year, and without words. */
const DAYS_WITHOUT_YEAR = 366;

function Due({ company }: RowProps): ReactNode {
  const { t } = useTranslation();
  const { dueDate, daysLeft, timeZone } = company;
  if (dueDate === null || daysLeft === null) {
    return <span className={classes["due"]}>{t("companies.noDueDate")}</span>;
  }
  const isFar = daysLeft > DAYS_WITHOUT_YEAR;
  return (
    <>
      <span className={classes["day"]}>{dayWords(dayOf(dueDate, timeZone), !isFar)}</span>{" "}
      {isFar ? null : (
        <span className={classes["due"]} data-tint={tintOf(daysLeft)}>
          {dueWords(t, daysLeft)}
        </span>
      )}
    </>
  );
}

/** The ground of a row by the days until it is due (spec 5). */
export function tintOf(daysLeft: number | null): RowTint | undefined {
  if (daysLeft === null || daysLeft > 5) return undefined;
  if (daysLeft === 5) return "warn";
  return daysLeft >= -3 ? "warn-edge" : "bad-edge";
}

/** From here on the days are told in months. */
const DAYS_AS_MONTHS = 60;
const DAYS_PER_MONTH = 30;

function dueWords(t: TFunction, daysLeft: number): string {
  const days = Math.abs(daysLeft);
  const isFar = days >= DAYS_AS_MONTHS;
  const count = isFar ? Math.round(days / DAYS_PER_MONTH) : days;
  if (daysLeft === 0) return t("companies.dueToday");
  if (daysLeft < 0)
    return t(isFar ? "companies.overdueMonths" : "companies.overdueDays", { count });
  if (daysLeft <= 5) return t("companies.dueDays", { count });
  return t(isFar ? "companies.inMonths" : "companies.inDays", { count });
}

/** A connection that was never linked is not down. */
const isDown = ({ isUp, disconnectedAt }: ManagedCompany["connections"][number]): boolean =>
  !isUp && disconnectedAt !== null;

/** More than these are a number. */
const DOTS_MAX = 8;

/** Its connections with their names, and since when those are down. Where one is, it is a button, so that the keyboard reaches that too. */
function Connections({ company, onOpen }: RowProps & { onOpen: () => void }): ReactNode {
  const { t } = useTranslation();
  const { connections } = company;
  const names = connections.map(({ name, isUp, disconnectedAt: at }) => {
    if (isUp) return name;
    if (at === null) return t("companies.neverLinked", { name });
    return t("companies.downSince", { name, day: formatDayLabel(at), time: formatTime(at) });
  });
  const count = connections.length;
  if (count === 0) return <span className={classes["due"]}>{t("companies.noConnection")}</span>;
  const words = {
    "aria-label": `${t("companies.connectionCount", { count })}: ${names.join("; ")}`,
    ...tip(names.join("; ")),
  };
  const dots =
    count > DOTS_MAX
      ? formatNumber(count)
      : connections.map((one) => (
          <span
            key={one.id}
            className={classes["dot"]}
            data-up={one.isUp || undefined}
            data-down={isDown(one) || undefined}
          />
        ));
  if (!connections.some(isDown)) {
    return (
      <span className={classes["dots"]} role="img" {...words}>
        {dots}
      </span>
    );
  }
  return (
    <button
      type="button"
      className={classes["dotButton"]}
      aria-haspopup="dialog"
      onClick={onOpen}
      {...words}
    >
      {dots}
    </button>
  );
}

function DownWords({ company }: RowProps): ReactNode {
  const { t } = useTranslation();
  const count = company.connections.filter(isDown).length;
  if (count === 0) return null;
  return <span className={classes["down"]}>{t("companies.down", { count })}</span>;
}
