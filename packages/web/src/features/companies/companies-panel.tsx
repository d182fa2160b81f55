import type { CompanyState, ManagedCompany } from "@balcao/contract";
import { companyOrders, companyStates } from "@balcao/contract/company-choices";
import { Menu } from "@mantine/core";
import {
  IconBuilding,
  IconDotsVertical,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlus,
  IconTrash,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { formatDayLabel, formatMoney, formatNumber, formatTime } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { currentLanguage, useTranslation } from "../../i18n/index.ts";
import { localeTags } from "../../i18n/languages.ts";
import { Button } from "../../ui/button.tsx";
import { minutesSince, useNow } from "../../ui/clock.ts";
import { DraftOf } from "../../ui/drafts.ts";
import { AppAvatar, IconButton, notifyError, notifySuccess } from "../../ui/index.ts";
import { Pill } from "../../ui/marks.tsx";
import { FilterChips } from "../../ui/page/filter-chips.tsx";
import { PageSearch } from "../../ui/page/page.tsx";
import { useListAddress, useOpenRow } from "../../ui/page/record-page.tsx";
import type { Column, RowTint, Sort } from "../../ui/page/record-table.tsx";
import { RecordTable, RowName } from "../../ui/page/record-table.tsx";
import { tip } from "../../ui/tooltip.tsx";
import type { Totals } from "./api.ts";
import { companyPages, dayOf, dayWords, setSuspended, useTotals } from "./api.ts";
import classes from "./companies.module.css";
import { CompanyForm, DeleteQuestion, Meter, SuspendQuestion } from "./company-form.tsx";

const place = { tab: "companies" };
/** Connections go down, and people come and go. */
const READ_EVERY_MS = 60_000;
const usual = { by: "dueDate", descending: false } as const;
const chips = [null, ...companyStates] as const;

/** Which companies need a call today: a tab of the settings for super users. */
export function CompaniesPanel(): ReactNode {
  const { t } = useTranslation();
  const nowMs = useNow(READ_EVERY_MS);
  const address = useListAddress(place);
  const { words, open, openForm, closeForm } = address;
  const state = companyStates.find((one) => one === address.filter) ?? null;
  const order = companyOrders.find((one) => one === address.sort?.by) ?? usual.by;
  const sort = { by: order, descending: address.sort?.descending ?? false };
  const pages = companyPages.usePages(
    { words, state, order, descending: sort.descending },
    { staleTime: 0, refetchInterval: READ_EVERY_MS },
  );
  const totals = useTotals();
  const opened = useOpenRow(address, pages, () => true);
  const [suspended, setSuspendedRow] = useState<ManagedCompany | null>(null);
  const [deleted, setDeletedRow] = useState<ManagedCompany | null>(null);
  // Another number is another, empty field.
  const [clearings, setClearings] = useState(0);
  const isUsual = (next: Sort): boolean => next?.by === usual.by && !next.descending;
  const add = (
    <Button
      leftSection={<IconPlus size={15} stroke={1.7} aria-hidden="true" />}
      onClick={() => openForm("new")}
    >
      {t("companies.new")}
    </Button>
  );

  return (
    <div className={classes["panel"]}>
      <Figures
        totals={totals}
        nowMs={nowMs}
        chosen={state}
        onChoose={(value) => address.change({ filter: value ?? "" })}
      />
      <div className={classes["tools"]}>
        <FilterChips
          label={t("companies.show")}
          chips={chips.map((value) => ({
            value,
            label: t(`companies.states.${value ?? "all"}`),
            count: totals?.[value ?? "all"] ?? null,
          }))}
          chosen={state}
          onChoose={(value) => address.change({ filter: value ?? "" })}
        />
        <div className={classes["find"]}>
          <PageSearch
            key={`${address.fieldKey} ${clearings}`}
            label={t("companies.search")}
            start={words}
            onSearch={(next) => address.change({ words: next })}
          />
          {add}
        </div>
      </div>
      <RecordTable
        label={t("companies.title")}
        pages={pages}
        columns={columnsOf(t, nowMs, openForm)}
        sort={sort}
        onSort={(next) => address.change({ sort: isUsual(next) ? null : next })}
        identify={({ id }) => id}
        tintOf={({ daysLeft }) => tintOf(daysLeft)}
        onOpen={({ id }) => openForm(id)}
        renderActions={(company) => (
          <Actions
            company={company}
            onEdit={() => openForm(company.id)}
            onSuspend={() => setSuspendedRow(company)}
            onDelete={() => setDeletedRow(company)}
          />
        )}
        empty={{
          icon: IconBuilding,
          drawing: "search",
          title: words === "" ? t("common.noFiltered") : t("common.noMatch", { words }),
          action: (
            <Button
              variant="default"
              onClick={() => {
                address.change({ words: "", filter: "" });
                setClearings(clearings + 1);
              }}
            >
              {t("common.clearAll")}
            </Button>
          ),
        }}
      />
      {open === "new" || opened !== null ? (
        <DraftOf value={`companies ${open}`}>
          <CompanyForm key={open} company={opened} onClose={closeForm} />
        </DraftOf>
      ) : null}
      <Suspense fallback={null}>
        {suspended === null ? null : (
          <SuspendQuestion company={suspended} onClose={() => setSuspendedRow(null)} />
        )}
        {deleted === null ? null : (
          <DeleteQuestion company={deleted} onClose={() => setDeletedRow(null)} />
        )}
      </Suspense>
    </div>
  );
}

type FiguresProps = {
  totals: Totals | null;
  nowMs: number;
  chosen: CompanyState | null;
  onChoose: (state: CompanyState | null) => void;
};

/** What came in and what is owed, and how many connections are lost. Two of the numbers filter the list. */
function Figures({ totals, nowMs, chosen, onChoose }: FiguresProps): ReactNode {
  const { t } = useTranslation();
  const money = (of: { value: number } | undefined) => of && formatMoney(of.value);
  const number = (count: number | undefined) => (count === undefined ? null : formatNumber(count));
  const filter = (state: CompanyState) => ({
    isChosen: chosen === state,
    onPress: () => onChoose(chosen === state ? null : state),
  });
  return (
    <div role="group" aria-label={t("companies.figures")} className={classes["figures"]}>
      <Figure
        label={t("companies.revenue", { month: monthName(nowMs) })}
        value={totals && formatMoney(totals.revenue)}
        words={totals && comparison(t, totals, monthName(nowMs, 1))}
      />
      <Figure
        label={t("companies.openInvoices")}
        value={number(totals?.open.count)}
        words={money(totals?.open)}
      />
      <Figure
        label={t("companies.late")}
        value={number(totals?.late.count)}
        words={money(totals?.late)}
        tone={totals?.late.count ? "bad" : undefined}
        filter={filter("overdue")}
      />
      <Figure
        label={t("companies.lostConnections")}
        value={number(totals?.connectionsDown)}
        words={
          totals &&
          t("companies.ofCompanies", {
            count: totals.down,
            all: formatNumber(totals.all),
          })
        }
        tone={totals?.connectionsDown ? "warn" : undefined}
        filter={filter("down")}
      />
    </div>
  );
}

type FigureProps = {
  label: string;
  /** Null or undefined while it is unknown. */
  value: string | null | undefined;
  words: string | null | undefined;
  tone?: "bad" | "warn" | undefined;
  filter?: { isChosen: boolean; onPress: () => void };
};

function Figure({ label, value, words, tone, filter }: FigureProps): ReactNode {
  const lines = (
    <>
      <span>{label}</span> <strong>{value ?? "–"}</strong>{" "}
      <span data-tone={tone}>{words ?? "–"}</span>
    </>
  );
  if (!filter) return <p className={classes["figure"]}>{lines}</p>;
  return (
    <button
      type="button"
      className={classes["figure"]}
      aria-pressed={filter.isChosen}
      onClick={filter.onPress}
    >
      {lines}
    </button>
  );
}

/** The calendar of the provider's money. */
const PROVIDER_ZONE = "America/Sao_Paulo";

/** "novembro": the month of a moment, or some months earlier. */
function monthName(nowMs: number, earlier = 0): string {
  const [year = 0, month = 1] = dayOf(new Date(nowMs).toISOString(), PROVIDER_ZONE)
    .split("-")
    .map(Number);
  const style = { month: "long", timeZone: "UTC" } as const;
  return new Intl.DateTimeFormat(localeTags[currentLanguage()], style).format(
    Date.UTC(year, month - 1 - earlier, 15),
  );
}

function comparison(t: TFunction, { revenue, revenueBefore }: Totals, month: string): string {
  const more = revenue - revenueBefore;
  if (more === 0) return t("companies.same", { month });
  const value = formatMoney(Math.abs(more));
  return t(more > 0 ? "companies.more" : "companies.less", { value, month });
}

function columnsOf(
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
            <button
              type="button"
              className={classes["name"]}
              aria-haspopup="dialog"
              onClick={() => open(company.id)}
            >
              {company.name}
            </button>
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
            <Connections company={company} />
            <DownWords company={company} />
          </span>
        </span>
      ),
    },
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
function tintOf(daysLeft: number | null): RowTint | undefined {
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

function Connections({ company }: RowProps): ReactNode {
  const { t } = useTranslation();
  const { connections } = company;
  const names = connections.map(({ name, isUp, disconnectedAt: at }) => {
    if (isUp) return name;
    if (at === null) return t("companies.neverLinked", { name });
    return t("companies.downSince", { name, day: formatDayLabel(at), time: formatTime(at) });
  });
  const count = connections.length;
  if (count === 0) return <span className={classes["due"]}>{t("companies.noConnection")}</span>;
  const label = `${t("companies.connectionCount", { count })}: ${names.join("; ")}`;
  return (
    <span className={classes["dots"]} role="img" aria-label={label} {...tip(names.join("; "))}>
      {count > DOTS_MAX
        ? formatNumber(count)
        : connections.map((one) => (
            <span
              key={one.id}
              className={classes["dot"]}
              data-up={one.isUp || undefined}
              data-down={isDown(one) || undefined}
            />
          ))}
    </span>
  );
}

function DownWords({ company }: RowProps): ReactNode {
  const { t } = useTranslation();
  const count = company.connections.filter(isDown).length;
  if (count === 0) return null;
  return <span className={classes["down"]}>{t("companies.down", { count })}</span>;
}

const MINUTES_PER_HOUR = 60;
const MINUTES_PER_DAY = 24 * MINUTES_PER_HOUR;

/** "agora", "há 12 min", "há 5 dias". */
function agoWords(t: TFunction, iso: string, nowMs: number): string {
  const minutes = minutesSince(iso, nowMs);
  if (minutes === 0) return t("tickets.now");
  if (minutes >= MINUTES_PER_DAY) {
    return t("tickets.sinceDays", { count: Math.floor(minutes / MINUTES_PER_DAY) });
  }
  const isHours = minutes >= MINUTES_PER_HOUR;
  const value = isHours ? Math.floor(minutes / MINUTES_PER_HOUR) : minutes;
  return t("tickets.ago", { time: t(isHours ? "tickets.hours" : "tickets.minutes", { value }) });
}

type ActionsProps = RowProps & Record<"onEdit" | "onSuspend" | "onDelete", () => void>;

function Actions({ company, onEdit, onSuspend, onDelete }: ActionsProps): ReactNode {
  const { t } = useTranslation();
  const { name, status, isProvider } = company;
  const icon = { size: 15, stroke: 1.7, "aria-hidden": true } as const;

  function resume(): void {
    setSuspended(company.id, null)
      .then(() => notifySuccess(t("companies.resumed", { name })))
      .catch(notifyError);
  }

  return (
    <>
      <span className="bc-wide-only">
        <IconButton label={t("common.edit", { name })} icon={IconPencil} onClick={onEdit} />
      </span>
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <IconButton label={t("companies.actionsOf", { name })} icon={IconDotsVertical} />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil {...icon} />} onClick={onEdit}>
            {t("companies.edit")}
          </Menu.Item>
          {status && !isProvider ? (
            <Menu.Item leftSection={<IconPlayerPause {...icon} />} onClick={onSuspend}>
              {t("companies.suspend")}
            </Menu.Item>
          ) : null}
          {status ? null : (
            <Menu.Item leftSection={<IconPlayerPlay {...icon} />} onClick={resume}>
              {t("companies.resume")}
            </Menu.Item>
          )}
          {isProvider ? null : (
            <Menu.Item color="bad" leftSection={<IconTrash {...icon} />} onClick={onDelete}>
              {t("companies.delete")}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
