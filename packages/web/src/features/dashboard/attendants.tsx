import type { UserFigures } from "@balcao/contract";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { formatNumber } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { AppAvatar } from "../../ui/index.ts";
import type { FiguresFilter } from "../reports/index.ts";
import { addressWith, choiceOf, durationText, oneDigit } from "../reports/index.ts";
import classes from "./dashboard.module.css";
import { ticketsAddress } from "./now.tsx";

/** Rows shown before all are asked for. */
const ROWS = 6;

const columns = ["name", "resolved", "open", "support", "firstAnswer", "rating"] as const;
type ColumnName = (typeof columns)[number];
/** The order as the address has it: `-resolved`, `name`. */
export type AttendantSort = Readonly<{ by: ColumnName; descending: boolean }>;

const START: AttendantSort = { by: "resolved", descending: true };

export function readSort(text: string): AttendantSort {
  const by = columns.find((name) => name === text.replace(/^-/, ""));
  return by === undefined ? START : { by, descending: text.startsWith("-") };
}

/** Undefined for the order that is there without one in the address. */
export function writeSort({ by, descending }: AttendantSort): string | undefined {
  if (by === START.by && descending === START.descending) return undefined;
  return (descending ? "-" : "") + by;
}

const keys: Readonly<Record<ColumnName, (user: UserFigures) => number | string | null>> = {
  name: ({ name }) => name,
  resolved: ({ resolved }) => resolved,
  open: ({ openNow }) => openNow,
  support: ({ support }) => support.seconds,
  firstAnswer: ({ firstAnswer }) => firstAnswer.seconds,
  rating: ({ ratings }) => ratings.average,
};

/** The rows in this order; those without a value come last, and attendances without a user behind all others. */
export function sortedUsers(
  users: readonly UserFigures[],
  { by, descending }: AttendantSort,
): UserFigures[] {
  const key = keys[by];
  return users.toSorted((one, other) => {
    if (one.id === null || other.id === null)
      return Number(one.id === null) - Number(other.id === null);
    const [a, b] = [key(one), key(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    const order =
      typeof a === "number" && typeof b === "number"
        ? a - b
        : String(a).localeCompare(String(b), undefined, { numeric: true });
    return (descending ? -order : order) || one.name.localeCompare(other.name);
  });
}

type Props = {
  users: readonly UserFigures[];
  filter: FiguresFilter;
  sort: AttendantSort;
  onSort: (sort: AttendantSort) => void;
  isNarrow: boolean;
};

/** What each user did in the period. */
export function Attendants({ users, filter, sort, onSort, isNarrow }: Props): ReactNode {
  const { t } = useTranslation();
  const [isWhole, setWhole] = useState(false);
  const all = sortedUsers(users, sort);
  const shown = isWhole ? all : all.slice(0, ROWS);
  return (
    <>
      {isNarrow ? (
        <ul className={classes["attendants"]}>
          {shown.map((user) => (
            <li key={user.id}>
              <NarrowRow user={user} filter={filter} />
            </li>
          ))}
        </ul>
      ) : (
        <div className={classes["sideways"]}>
          <table className={classes["table"]} aria-label={t("dashboard.attendants")}>
            <thead>
              <tr>
                {columns.map((name) => (
                  <Head key={name} name={name} sort={sort} onSort={onSort} />
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((user) => (
                <Row key={user.id} user={user} filter={filter} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {all.length > ROWS && !isWhole ? (
        <p className={classes["more"]}>
          <Button variant="subtle" size="xs" onClick={() => setWhole(true)}>
            {t("dashboard.showAll", { count: all.length })}
          </Button>
        </p>
      ) : null}
    </>
  );
}

type HeadProps = { name: ColumnName } & Pick<Props, "sort" | "onSort">;

/** The first press shows the largest first, names from A on; the next one turns the order round. */
function Head({ name, sort, onSort }: HeadProps): ReactNode {
  const { t } = useTranslation();
  const isOn = sort.by === name;
  const order = sort.descending ? "descending" : "ascending";
  const Arrow = sort.descending ? IconArrowDown : IconArrowUp;
  const descending = isOn ? !sort.descending : name !== "name";
  return (
    <th scope="col" aria-sort={isOn ? order : "none"}>
      <button
        type="button"
        className={classes["sort"]}
        onClick={() => onSort({ by: name, descending })}
      >
        {t(`dashboard.columns.${name}`)}
        {isOn ? <Arrow size={13} stroke={1.9} aria-hidden="true" /> : null}
      </button>
    </th>
  );
}

type RowProps = { user: UserFigures; filter: FiguresFilter };

function Row({ user, filter }: RowProps): ReactNode {
  const { t } = useTranslation();
  const { id, resolved, openNow, support, firstAnswer, ratings } = user;
  const links = linksOf(user, filter);
  const cell = (text: string, to: string | null, isStrong = false, after?: string): ReactNode => (
    <td data-strong={isStrong || undefined}>
      {to === null ? (
        text
      ) : (
        <Link
          to={to}
          className={classes["open"]}
          aria-label={t("dashboard.openOf", { value: text, name: nameOf(t, user) })}
        >
          {text}
        </Link>
      )}
      {after === undefined ? null : <span className={classes["answers"]}>{after}</span>}
    </td>
  );
  return (
    <tr>
      <th scope="row">
        <Person user={user} />
      </th>
      {cell(formatNumber(resolved), links.resolved, true)}
      {id === null ? <td>–</td> : cell(formatNumber(openNow), links.open, true)}
      {cell(durationText(t, support.seconds), support.seconds === null ? null : links.support)}
      {cell(
        durationText(t, firstAnswer.seconds, true),
        firstAnswer.seconds === null ? null : links.firstAnswer,
      )}
      {ratings.average === null
        ? cell(t("figures.noData"), null)
        : cell(oneDigit(ratings.average), links.rating, true, formatNumber(ratings.count))}
    </tr>
  );
}

function NarrowRow({ user, filter }: RowProps): ReactNode {
  const { t } = useTranslation();
  const { resolved, support, firstAnswer, ratings } = user;
  const links = linksOf(user, filter);
  return (
    <span className={classes["attendant"]}>
      <Person user={user}>
        {support.seconds === null && firstAnswer.seconds === null
          ? t("figures.noData")
          : t("dashboard.narrowTimes", {
              support: durationText(t, support.seconds),
              answer: durationText(t, firstAnswer.seconds, true),
            })}
      </Person>
      <span className={classes["result"]}>
        <Link
          to={links.resolved}
          className={classes["open"]}
          aria-label={t("dashboard.openOf", {
            value: formatNumber(resolved),
            name: nameOf(t, user),
          })}
        >
          {formatNumber(resolved)}
        </Link>
        <span>
          {ratings.average === null
            ? t("dashboard.noRating")
            : t("dashboard.narrowRating", { value: oneDigit(ratings.average) })}
        </span>
      </span>
    </span>
  );
}

/** Avatar, presence, name and what else is to be known. */
function Person({ user, children }: { user: UserFigures; children?: ReactNode }): ReactNode {
  const { t } = useTranslation();
  const { id, isRemoved, online } = user;
  const name = nameOf(t, user);
  const isPresent = id !== null && !isRemoved;
  return (
    <span className={classes["person"]}>
      <span className={classes["avatar"]} data-online={isPresent ? online : undefined}>
        <AppAvatar name={name} id={id ?? 0} size={28} />
      </span>
      <span className={classes["who"]}>
        <span className={classes["name"]} data-removed={isRemoved || undefined}>
          {name}
          {isRemoved ? ` ${t("dashboard.removed")}` : null}
          {isPresent && !online ? (
            <span className={classes["offline"]}>{t("dashboard.offline")}</span>
          ) : null}
        </span>
        {children === undefined ? null : <span className={classes["times"]}>{children}</span>}
      </span>
    </span>
  );
}

function nameOf(t: TFunction, { id, name }: UserFigures): string {
  return id === null ? t("figures.without.userIds") : name;
}

function linksOf({ id }: UserFigures, filter: FiguresFilter) {
  const own = { ...filter, userIds: [id] };
  return {
    resolved: addressWith("/reports", { ...own, state: "resolved" }),
    open: ticketsAddress({ ...choiceOf(own) }),
    support: addressWith("/reports", { ...own, time: "support" }),
    firstAnswer: addressWith("/reports", { ...own, time: "firstAnswer" }),
    rating: addressWith("/reports", { ...own, state: "rated" }),
  };
}
