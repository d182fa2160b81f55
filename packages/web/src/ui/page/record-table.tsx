import { limits } from "@balcao/contract/limits";
import { useIntersection } from "@mantine/hooks";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import type { MouseEvent, PointerEvent, ReactNode } from "react";
import { Suspense, useEffect, useState } from "react";
import type { Pages } from "../../api/use-pages.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../button.tsx";
import { lazyPart } from "../lazy-part.tsx";
import type { EmptyProps } from "../states.tsx";
import { EmptyState, ListSkeleton, LoadFailed } from "../states.tsx";
import { Loader } from "../loader.tsx";
import { PAGE_SCROLLER } from "./page.tsx";
import classes from "./record-table.module.css";
import type { ShownRows } from "./row-window.tsx";

export type Column<T> = {
  /** Names the column in the address and in the stored choice of columns. */
  id: string;
  /** Also names the cell on narrow screens, where there is no header. */
  title: string;
  renderCell: (row: T) => ReactNode;
  /** The column that names the row; on narrow screens it is the card's first line. It cannot be hidden. */
  isName?: true;
  /** Shown only once it is chosen. */
  isHiddenAtFirst?: true;
  /** As wide as its content and never cut. Default: shares the rest with the others, cut where it is too narrow. */
  fit?: "content";
  /** Numbers that are compared stand at the end of their cells. */
  align?: "end";
  /** Left out where the table has less than 1000 px, `wide` ones where it has less than 1100. */
  isExtra?: true | "wide";
  /** The sort key of a row, with empty values last; or the server sorts. */
  sortBy?: ((row: T) => string | number | null) | "server";
  /** The first press of its title shows the largest value first. */
  isLargestFirst?: true;
};

/** The column that the rows are ordered by; null is the order in which they were read. */
export type Sort = { by: string; descending: boolean } | null;

/** The cells of the column that selects rows. */
export type Select<T> = {
  renderAll: (rows: readonly T[]) => ReactNode;
  renderRow: (row: T, rows: readonly T[]) => ReactNode;
};

type Props<T> = {
  label: string;
  pages: Pages<T>;
  columns: readonly Column<T>[];
  sort: Sort;
  onSort: (sort: Sort) => void;
  identify: (row: T) => number;
  /** The first column, where rows are selected. */
  select?: Select<T> | undefined;
  /** Icon buttons at the right of a row; null where rows are only read. */
  renderActions: ((row: T) => ReactNode) | null;
  /** Shown when there is no row. */
  empty: EmptyProps;
  /** The ground of a row, with an edge for what is worse. The words of the row say the same. */
  tintOf?: (row: T) => RowTint | undefined;
  /** A press anywhere in the row. Something in the row does the same for the keyboard. */
  onOpen?: (row: T) => void;
};

export type RowTint = "warn" | "warn-edge" | "bad" | "bad-edge";

const RowWindow = lazyPart(
  async () => (await import("./row-window.tsx")).RowWindow,
  "over",
  "first",
);

/** From this many rows on, only those near the visible part are in the document. */
const WINDOW_FROM = 200;
/** And the page that led beyond them, at whose end the reader is. */
const FIRST_ROWS = 2 * WINDOW_FROM;
/** The height of a row before it is measured. */
const ROW_PX = 44;

/** One table of records that reads its next page near its end (ui.md, Tables). Under 600 px a row is a two-line card. */
export function RecordTable<T>(props: Props<T>): ReactNode {
  const { label, pages, columns, identify, select, renderActions, empty, tintOf, onOpen } = props;
  const { t } = useTranslation();
  const { rows, error } = pages;
  const sorted = useSortedRows(props);
  const [table, setTable] = useState<HTMLTableElement | null>(null);
  const isWindow = sorted.length > WINDOW_FROM;
  const [shownRows, setShownRows] = useState<ShownRows | null>(null);
  // Until its code has come, and before the first scrolling: the first rows.
  const shown = (isWindow ? shownRows : null) ?? {
    ...{ from: 0, to: FIRST_ROWS, beforePx: 0, measure: undefined },
    afterPx: Math.max(0, sorted.length - FIRST_ROWS) * ROW_PX,
  };
  const mayBecomeWindow = pages.hasMore || isWindow;
  useEffect(() => {
    if (mayBecomeWindow) RowWindow.preload();
  }, [mayBecomeWindow]);
  if (rows === undefined && error !== null) {
    return (
      <div className={classes["card"]}>
        <LoadFailed icon={empty.icon} error={error} onRetry={pages.retry} />
      </div>
    );
  }
  // An empty result of the previous search is not shown for this one.
  const isUnknown = rows === undefined || (rows.length === 0 && pages.isPrevious);
  if (isUnknown) return <ListSkeleton />;
  if (rows.length === 0) {
    return (
      <div className={classes["card"]}>
        <EmptyState {...empty} />
      </div>
    );
  }
  const body = table?.tBodies[0];
  const scroller = table?.closest<HTMLElement>(PAGE_SCROLLER);
  return (
    <div className={classes["card"]}>
      <div className={classes["sideways"]} tabIndex={-1}>
        <table
          ref={setTable}
          className={classes["table"]}
          onPointerOver={tellWhatIsCut}
          aria-label={label}
          aria-rowcount={isWindow ? sorted.length + 1 : undefined}
        >
          <thead>
            <tr>
              {select && (
                <th scope="col" className={classes["select"]}>
                  {select.renderAll(sorted)}
                </th>
              )}
              {columns.map((column) => (
                <Head
                  key={column.id}
                  column={column}
                  share={shareOf(column, columns)}
                  sort={props.sort}
                  onSort={props.onSort}
                />
              ))}
              {renderActions === null ? null : (
                <th scope="col">
                  <span className="bc-hidden-text">{t("common.actions")}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            <Gap heightPx={shown.beforePx} />
            {sorted.slice(shown.from, shown.to).map((row, index) => (
              <tr
                key={identify(row)}
                ref={shown.measure}
                data-index={shown.from + index}
                data-tint={tintOf?.(row)}
                data-opens={onOpen ? true : undefined}
                onClick={onOpen && ((event) => isOnRow(event) && onOpen(row))}
                aria-rowindex={isWindow ? shown.from + index + 2 : undefined}
              >
                {select && <td className={classes["select"]}>{select.renderRow(row, sorted)}</td>}
                {columns.map((column) => (
                  <Cell key={column.id} column={column} row={row} />
                ))}
                {renderActions === null ? null : (
                  <td className={classes["actions"]}>{renderActions(row)}</td>
                )}
              </tr>
            ))}
            <Gap heightPx={shown.afterPx} />
          </tbody>
        </table>
      </div>
      {isWindow && body && scroller ? (
        <Suspense fallback={null}>
          <RowWindow
            count={sorted.length}
            rowPx={ROW_PX}
            body={body}
            scroller={scroller}
            onChange={setShownRows}
          />
        </Suspense>
      ) : null}
      <NextPage pages={pages} readsOn={sortKeyOf(columns, props.sort) !== null} />
    </div>
  );
}

/** The rows in the chosen order. */
function useSortedRows<T>({ pages, columns, sort }: Props<T>): readonly T[] {
  const { rows = [] } = pages;
  const sortBy = sortKeyOf(columns, sort);
  if (sort === null || sortBy === null) return rows;
  return rows.toSorted((one, other) => {
    const [a, b] = [sortBy(one), sortBy(other)];
    const isEmpty = (value: typeof a): boolean => value === null || value === "";
    if (isEmpty(a) || isEmpty(b)) return Number(isEmpty(a)) - Number(isEmpty(b));
    const order =
      typeof a === "number" && typeof b === "number"
        ? a - b
        : String(a).localeCompare(String(b), undefined, { numeric: true });
    return sort.descending ? -order : order;
  });
}

/** Null where the rows are in the order in which they were read. */
function sortKeyOf<T>(columns: readonly Column<T>[], sort: Sort) {
  const sortBy = columns.find(({ id }) => id === sort?.by)?.sortBy;
  return typeof sortBy === "function" ? sortBy : null;
}

/** The space of rows that are not in the document. */
function Gap({ heightPx }: { heightPx: number }): ReactNode {
  if (heightPx <= 0) return null;
  return <tr className={classes["gap"]} style={{ height: heightPx }} aria-hidden="true" />;
}

/** Not on a control, in a menu of the row, or at the end of selecting text. */
function isOnRow({ target, currentTarget }: MouseEvent): boolean {
  if (!(target instanceof Element) || !currentTarget.contains(target)) return false;
  return target.closest("button, a, input, label") === null && !getSelection()?.toString();
}

/** The part of a name in the width that the columns share; others have one. */
const NAME_PARTS = 1.5;

/** The share of a column in percent; undefined for one that is as wide as its content. */
function shareOf<T>(column: Column<T>, columns: readonly Column<T>[]): string | undefined {
  if (column.fit !== undefined) return undefined;
  const parts = (one: Column<T>): number => (one.isName ? NAME_PARTS : 1);
  const all = columns
    .filter(({ fit }) => fit === undefined)
    .reduce((sum, one) => sum + parts(one), 0);
  return `${(100 * parts(column)) / all}%`;
}

/** Gives a cell whose text is cut that text as its tooltip. */
function tellWhatIsCut({ target }: PointerEvent): void {
  const cell = target instanceof Element ? target.closest<HTMLElement>("td, th") : null;
  if (cell === null) return;
  const isCut = [cell, ...cell.querySelectorAll<HTMLElement>("span")].some(
    ({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth,
  );
  if (isCut) cell.dataset["tip"] = cell.textContent;
  else delete cell.dataset["tip"];
}

type HeadProps<T> = {
  column: Column<T>;
  share: string | undefined;
  sort: Sort;
  onSort: (sort: Sort) => void;
};

/** A column's title. Each press sorts in the first order, the other way round, then in the order of reading. */
function Head<T>({ column, share, sort, onSort }: HeadProps<T>): ReactNode {
  const { id, title, sortBy, align, isExtra, isLargestFirst = false } = column;
  const look = { style: { width: share }, "data-align": align, "data-extra": isExtra };
  if (sortBy === undefined) {
    return (
      <th scope="col" {...look}>
        {title}
      </th>
    );
  }
  const isSorted = sort?.by === id;
  const descending = isSorted && sort.descending;
  const Arrow = descending ? IconArrowDown : IconArrowUp;
  const order = descending ? "descending" : "ascending";
  const first: Sort = { by: id, descending: isLargestFirst };
  const other: Sort = { by: id, descending: !isLargestFirst };
  const isSortedFirst = isSorted && descending === isLargestFirst;
  const second = isSortedFirst ? other : null;
  const next = isSorted ? second : first;
  return (
    <th scope="col" aria-sort={isSorted ? order : "none"} {...look}>
      <button
        type="button"
        className={classes["sort"]}
        data-on={isSorted || undefined}
        onClick={() => onSort(next)}
      >
        {title}
        <Arrow size={13} stroke={1.9} aria-hidden="true" />
      </button>
    </th>
  );
}

function Cell<T>({ column, row }: { column: Column<T>; row: T }): ReactNode {
  const { title, renderCell, isName, fit, align, isExtra } = column;
  if (isName) {
    return (
      <th scope="row" className={classes["name"]} data-fit={fit}>
        {renderCell(row)}
      </th>
    );
  }
  return (
    <td
      data-title={title}
      className={classes["cell"]}
      data-fit={fit}
      data-align={align}
      data-extra={isExtra}
    >
      {renderCell(row)}
    </td>
  );
}

/** Loads the next page near the end of the list, and all pages if the sort order needs them. */
export function NextPage(props: { pages: Pages<unknown>; readsOn?: boolean }): ReactNode {
  const { pages, readsOn = false } = props;
  const { t } = useTranslation();
  const { ref, entry } = useIntersection({ rootMargin: `${limits.nextPageDistancePx}px` });
  const { hasMore, isLoadingMore, loadMore, error } = pages;
  const isWanted = readsOn || (entry?.isIntersecting ?? false);
  useEffect(() => {
    if (isWanted && hasMore && !isLoadingMore && error === null) loadMore();
  });
  if (!hasMore) return null;
  return (
    <div ref={ref} className={classes["next"]}>
      {error === null ? (
        <Loader sizePx={18} aria-label={t("common.loading")} />
      ) : (
        <Button variant="default" size="xs" onClick={pages.loadMore}>
          {t("common.retry")}
        </Button>
      )}
    </div>
  );
}

type RowNameProps = {
  name: ReactNode;
  /** A mark of colour or state. */
  before?: ReactNode;
  after?: ReactNode;
};

/** The name of a row, truncated if needed, with marks that are never truncated. */
export function RowName({ name, before, after }: RowNameProps): ReactNode {
  return (
    <span className={classes["rowName"]}>
      {before}
      <span className={classes["rowText"]}>{name}</span>
      {after}
    </span>
  );
}
