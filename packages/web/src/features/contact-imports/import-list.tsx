import type { ContactImport } from "@balcao/contract";
import { IconAlertCircle, IconCheck, IconClock, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { formatMoment } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link, useNavigate } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { IconButton, notifySuccess } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { deleteImport, importPages } from "./api.ts";
import classes from "./import-list.module.css";
import { addressOf, counted, countImported, percentOf, startAddress } from "./import-news.tsx";
import { faultOf } from "./upload-step.tsx";

export const ActionQuestion = lazyPart(
  async () => (await import("../../ui/dialogs/question-dialog.tsx")).ActionQuestion,
  "over",
);

type Props = {
  listId: number | null;
  /** The import that is shown beside the list. */
  openId: number | null;
};

/** The imports of the company, or those into one list, newest first. Nothing while there is none. */
export function ImportList({ listId, openId }: Props): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { rows = [], hasMore, isLoadingMore, loadMore } = importPages.usePages(listId ?? 0);
  const [removed, setRemoved] = useState<ContactImport | null>(null);
  if (rows.length === 0) return null;
  return (
    <aside className={classes["card"]} aria-labelledby="imports-list">
      <div className={classes["head"]}>
        <h2 id="imports-list">{t("imports.list")}</h2>
        {openId === null ? null : (
          <Link to={startAddress(listId)} className={classes["new"]}>
            {t("imports.newOne")}
          </Link>
        )}
      </div>
      <ul className="bc-plain-list">
        {rows.map((one) => (
          <li key={one.id} className={classes["row"]} data-open={one.id === openId || undefined}>
            <div className={classes["line"]}>
              <Link
                to={addressOf(one)}
                className={classes["name"]}
                aria-current={one.id === openId ? "page" : undefined}
              >
                {one.fileName}
              </Link>
              <State one={one} />
              {isOver(one) ? (
                <IconButton
                  size="small"
                  className={classes["delete"]}
                  label={t("common.delete", { name: one.fileName })}
                  icon={IconTrash}
                  onClick={() => setRemoved(one)}
                />
              ) : null}
            </div>
            <p className="bc-detail">
              <Detail one={one} runningName={nameOfRunning(rows)} />
            </p>
          </li>
        ))}
      </ul>
      {hasMore ? (
        <div className={classes["more"]}>
          <Button variant="default" size="xs" loading={isLoadingMore} onClick={loadMore}>
            {t("imports.showMore")}
          </Button>
        </div>
      ) : null}
      <Suspense fallback={null}>
        {removed === null ? null : (
          <ActionQuestion
            isDestructive
            title={t("imports.deleteTitle", { name: removed.fileName })}
            text={t("imports.deleteText")}
            confirm={t("common.deleteConfirm")}
            run={async () => {
              // Its page would say that it is gone.
              if (removed.id === openId) navigate(startAddress(listId), { replace: true });
              await deleteImport(removed.id);
            }}
            onDone={() => notifySuccess(t("imports.deleted"))}
            onClose={() => setRemoved(null)}
          />
        )}
      </Suspense>
    </aside>
  );
}

/** The states in which an import can be taken off the list. */
const over: ReadonlySet<ContactImport["state"]> = new Set([
  "draft",
  "unreadable",
  "done",
  "stopped",
]);
const isOver = ({ state }: ContactImport): boolean => over.has(state);

const nameOfRunning = (rows: readonly ContactImport[]): string | null =>
  rows.find(({ state }) => state === "running")?.fileName ?? null;

/** Whom the import waits for, in words. */
export function useWaitReason(): string {
  const { t } = useTranslation();
  const { rows = [] } = importPages.usePages(0);
  const name = nameOfRunning(rows);
  return name === null ? t("imports.waitsForOther") : t("imports.waitsFor", { name });
}

const looks = {
  unreadable: ["bad", IconAlertCircle],
  waiting: ["info", IconClock],
  paused: ["warn", IconClock],
  stopped: ["warn", IconAlertCircle],
  done: ["ok", IconCheck],
  draft: ["info", IconClock],
  reading: ["info", IconClock],
} as const;

function State({ one }: { one: ContactImport }): ReactNode {
  const { t } = useTranslation();
  const { state } = one;
  if (state === "running") {
    return (
      <span className={classes["percent"]}>{t("imports.percent", { n: percentOf(one) })}</span>
    );
  }
  const [tone, Icon] = looks[state];
  return (
    <span className={classes["pill"]} data-tone={tone}>
      <Icon size={13} stroke={1.9} aria-hidden="true" />
      {t(`imports.states.${state}`)}
    </span>
  );
}

/** Who began it and when, and how it went. */
function Detail(props: { one: ContactImport; runningName: string | null }): ReactNode {
  const { one, runningName } = props;
  const { t } = useTranslation();
  const when = formatMoment(one.createdAt);
  const who = [one.user.name, when].filter(Boolean).join(", ");
  if (one.state === "unreadable") return `${when}. ${faultOf(t, one) ?? ""}`;
  if (one.state === "waiting") {
    const wait =
      runningName === null
        ? t("imports.waitsForOther")
        : t("imports.waitsFor", { name: runningName });
    return `${who}. ${wait}`;
  }
  if (one.state !== "done" && one.state !== "stopped") return who;
  const { count, n } = counted(one.refused);
  const refused = count === 0 ? "" : `, ${n} ${t("imports.refused", { count })}`;
  return `${when}, ${t("imports.result", counted(countImported(one)))}${refused}`;
}
