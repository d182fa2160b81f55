import type { ConnectionHealth } from "@balcao/contract";
import { IconActivityHeartbeat } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useState } from "react";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { ListPage } from "../../ui/page/page.tsx";
import type { Column } from "../../ui/page/record-table.tsx";
import { RecordTable } from "../../ui/page/record-table.tsx";
import { useConnectionHealth } from "./api.ts";
import { ConnectionState, Since } from "./connection-state.tsx";
import classes from "./connections-page.module.css";

/** Connections of all companies for whoever runs the installation: those in trouble first, read again every 30 s. */
export function ConnectionsHealthPage(): ReactNode {
  const { t } = useTranslation();
  const [words, setWords] = useState("");
  const pages = useConnectionHealth(words);
  return (
    <ListPage
      title={t("connections.health.title")}
      count={pages.rows ? pages.count : null}
      searchLabel={t("connections.health.search")}
      onSearch={setWords}
      addLabel=""
      onAdd={null}
    >
      <RecordTable
        label={t("connections.health.title")}
        pages={pages}
        identify={({ id }) => id}
        columns={[
          { title: t("connections.name"), renderCell: ({ name }) => name, isName: true },
          { title: t("connections.health.company"), renderCell: ({ company }) => company.name },
          {
            title: t("connections.status"),
            renderCell: (connection) => <ConnectionState connection={connection} />,
          },
          {
            title: t("connections.channel"),
            renderCell: ({ channel }) => t(`connections.channels.${channel}`),
          },
          {
            title: t("connections.since"),
            renderCell: (connection) => <Since connection={connection} />,
          },
          figure(t("connections.health.outbound"), (row) => outbound(t, row)),
          figure(t("connections.health.inbound"), (row) => inbound(t, row)),
          figure(t("connections.health.retries"), ({ retries }) => String(retries)),
        ]}
        renderActions={null}
        empty={
          words === ""
            ? {
                icon: IconActivityHeartbeat,
                title: t("connections.emptyTitle"),
                text: t("connections.health.emptyText"),
              }
            : { icon: IconActivityHeartbeat, title: t("connections.noMatch", { words }) }
        }
      />
    </ListPage>
  );
}

/** A column of figures, which on narrow screens, where there is no header, carry their name themselves. */
function figure(
  title: string,
  textOf: (row: ConnectionHealth) => string,
): Column<ConnectionHealth> {
  return {
    title,
    renderCell: (row) => (
      <>
        <span className={classes["narrow"]}>{title}: </span>
        {textOf(row)}
      </>
    ),
  };
}

function outbound(t: TFunction, { outboundWaiting, outboundLagSeconds }: ConnectionHealth): string {
  if (outboundWaiting === 0) return t("connections.health.none");
  const lag = duration(t, outboundLagSeconds ?? 0);
  return t("connections.health.outboundLag", { count: outboundWaiting, lag });
}

function inbound(t: TFunction, { inboundWaiting, inboundFailed }: ConnectionHealth): string {
  const parts = [
    inboundWaiting > 0 ? t("connections.health.inboundWaiting", { count: inboundWaiting }) : "",
    inboundFailed > 0 ? t("connections.health.inboundFailed", { count: inboundFailed }) : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? t("connections.health.none") : parts.join(", ");
}

function duration(t: TFunction, seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return t("connections.health.seconds", { count: Math.floor(seconds) });
  if (minutes < 60) return t("connections.health.minutes", { count: minutes });
  return t("connections.health.hours", { count: Math.floor(minutes / 60) });
}
