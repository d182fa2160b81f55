import { NativeSelect } from "@mantine/core";
import { IconActivity } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { formatDayLabel, formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useSearchParams } from "../../router/index.tsx";
import { formatSecond } from "../../ui/ago-words.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/code-block.tsx";
import { Pill } from "../../ui/marks.tsx";
import { EmptyCell } from "../../ui/page/cells.tsx";
import { RecordTable } from "../../ui/page/record-table.tsx";
import { rowsOf, useApiCalls, useTokens } from "./api.ts";
import classes from "./api.module.css";

/** The calls of other programs, and how they were answered. */
export function CallsTab(): ReactNode {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  const { data } = useTokens();
  const rows = rowsOf(data);
  const tokenKey = search.get("token") ?? "";
  const onlyFailed = search.has("failed");
  const row = rows.find(({ key }) => key === tokenKey);
  const pages = useApiCalls({
    apiTokenId: row !== undefined && row.kind !== "legacy" ? row.token.id : null,
    connectionId: row?.kind === "legacy" ? row.connection.connectionId : null,
    onlyFailed,
  });
  const change = (next: { token?: string; failed?: boolean }): void => {
    const { token = tokenKey, failed = onlyFailed } = next;
    setSearch(
      { tab: "calls", ...(token === "" ? {} : { token }), ...(failed ? { failed: "" } : {}) },
      { replace: true },
    );
  };
  const isFiltered = tokenKey !== "" || onlyFailed;
  return (
    <>
      <div className={classes["filters"]}>
        <NativeSelect
          aria-label={t("api.calls.of")}
          value={tokenKey}
          onChange={(event) => change({ token: event.currentTarget.value })}
          data={[
            { value: "", label: t("api.calls.allTokens") },
            ...rows.map(({ key, kind, name }) => ({
              value: key,
              label: kind === "legacy" ? t("api.tokens.connection", { name }) : name,
            })),
          ]}
        />
        <button
          type="button"
          className={classes["chip"]}
          aria-pressed={onlyFailed}
          onClick={() => change({ failed: !onlyFailed })}
        >
          {t("api.calls.failed")}
        </button>
      </div>
      <RecordTable
        label={t("api.tabs.calls")}
        pages={pages}
        sort={null}
        onSort={() => undefined}
        identify={({ id }) => id}
        renderActions={({ requestId }) => (
          <CopyButton text={requestId} label={t("api.calls.copyRequest")} />
        )}
        columns={[
          {
            id: "call",
            title: t("api.calls.call"),
            isName: true,
            renderCell: ({ call }) => <code className={classes["mono"]}>{call}</code>,
          },
          {
            id: "at",
            title: t("api.calls.at"),
            fit: "content",
            renderCell: ({ createdAt }) =>
              `${formatDayLabel(createdAt)}, ${formatSecond(createdAt)}`,
          },
          {
            id: "token",
            title: t("api.trial.token"),
            renderCell: ({ tokenName }) => tokenName,
          },
          {
            id: "answer",
            title: t("api.answer.title"),
            fit: "content",
            renderCell: ({ status }) => <Pill tone={toneOf(status)}>{status}</Pill>,
          },
          {
            id: "code",
            title: t("api.calls.code"),
            isExtra: true,
            renderCell: ({ code }) =>
              code === null ? <EmptyCell /> : <code className={classes["mono"]}>{code}</code>,
          },
          {
            id: "took",
            title: t("api.calls.took"),
            fit: "content",
            align: "end",
            renderCell: ({ tookMs }) => `${formatNumber(tookMs)} ms`,
          },
        ]}
        empty={
          isFiltered
            ? {
                icon: IconActivity,
                drawing: "search",
                title: t("common.noFiltered"),
                action: (
                  <Button variant="default" onClick={() => change({ token: "", failed: false })}>
                    {t("api.calls.clear")}
                  </Button>
                ),
              }
            : {
                icon: IconActivity,
                drawing: "sheet",
                title: t("api.calls.none"),
                text: t("api.calls.noneText"),
              }
        }
      />
    </>
  );
}

function toneOf(status: number): "ok" | "warn" | "bad" {
  if (status >= 500) return "bad";
  return status >= 400 ? "warn" : "ok";
}
