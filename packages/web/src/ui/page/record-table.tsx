import { limits } from "@balcao/contract/limits";
import { Button, Loader } from "@mantine/core";
import { useIntersection } from "@mantine/hooks";
import type { Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useEffect } from "react";
import type { Pages } from "../../api/use-pages.ts";
import { useTranslation } from "../../i18n/index.ts";
import { EmptyState } from "../empty-state.tsx";
import { ListSkeleton } from "../list-skeleton.tsx";
import { LoadFailed } from "../load-failed.tsx";
import classes from "./record-table.module.css";

export type Column<T> = {
  /** Also names the cell on narrow screens, where there is no header. */
  title: string;
  renderCell: (row: T) => ReactNode;
  /** The column that names the row; on narrow screens it is the card's first line. */
  isName?: true;
};

type Props<T> = {
  label: string;
  pages: Pages<T>;
  columns: readonly Column<T>[];
  identify: (row: T) => number;
  /** Icon buttons at the right of a row; null where rows are only read. */
  renderActions: ((row: T) => ReactNode) | null;
  /** What stands where there is no row. */
  empty: { icon: Icon; title: string; text?: string; action?: ReactNode };
};

/** One table of records that reads its next page near its end (ui.md, Tables). Under 600 px a row is a two-line card. */
export function RecordTable<T>(props: Props<T>): ReactNode {
  const { label, pages, columns, identify, renderActions, empty } = props;
  const { t } = useTranslation();
  const { rows, error } = pages;
  if (rows === undefined && error !== null) {
    return (
      <div className={classes["card"]}>
        <LoadFailed icon={empty.icon} error={error} onRetry={pages.retry} />
      </div>
    );
  }
  // That nothing matched the words before says nothing about these.
  const isUnknown = rows === undefined || (rows.length === 0 && pages.isPrevious);
  if (isUnknown) return <ListSkeleton />;
  if (rows.length === 0) {
    return (
      <div className={classes["card"]}>
        <EmptyState {...empty} />
      </div>
    );
  }
  return (
    <div className={classes["card"]}>
      <div className={classes["sideways"]} tabIndex={-1}>
        <table className={classes["table"]} aria-label={label}>
          <thead>
            <tr>
              {columns.map(({ title }) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
              {renderActions === null ? null : (
                <th scope="col">
                  <span className="bc-hidden-text">{t("common.actions")}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={identify(row)}>
                {columns.map((column) => (
                  <Cell key={column.title} column={column} row={row} />
                ))}
                {renderActions === null ? null : (
                  <td className={classes["actions"]}>{renderActions(row)}</td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <NextPage pages={pages} />
    </div>
  );
}

function Cell<T>({ column, row }: { column: Column<T>; row: T }): ReactNode {
  const { title, renderCell, isName } = column;
  if (isName) {
    return (
      <th scope="row" className={classes["name"]}>
        {renderCell(row)}
      </th>
    );
  }
  return (
    <td data-title={title} className={classes["cell"]}>
      {renderCell(row)}
    </td>
  );
}

/** Reads on when the end of the list comes near. */
function NextPage({ pages }: { pages: Pages<unknown> }): ReactNode {
  const { t } = useTranslation();
  const { ref, entry } = useIntersection({ rootMargin: `${limits.nextPageDistancePx}px` });
  const { hasMore, isLoadingMore, loadMore, error } = pages;
  const isNear = entry?.isIntersecting ?? false;
  useEffect(() => {
    if (isNear && hasMore && !isLoadingMore && error === null) loadMore();
  });
  if (!hasMore) return null;
  return (
    <div ref={ref} className={classes["next"]}>
      {error === null ? (
        <Loader size="xs" aria-label={t("common.loading")} />
      ) : (
        <Button variant="default" size="xs" onClick={pages.loadMore}>
          {t("common.retry")}
        </Button>
      )}
    </div>
  );
}
