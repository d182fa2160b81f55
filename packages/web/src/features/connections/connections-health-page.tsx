import type { ConnectionHealth } from "@balcao/contract";
import { IconActivityHeartbeat } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { call } from "../../api/client.ts";
import type { Pages } from "../../api/use-pages.ts";
import { usePages } from "../../api/use-pages.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { ListPage, useListAddress } from "../../ui/page/record-page.tsx";
import type { Column } from "../../ui/page/record-table.tsx";
import { ConnectionState, Since } from "./connection-state.tsx";

/** Connections of all companies, lost ones first, for the installation's operator. Refreshed every 30 s. */
export function ConnectionsHealthPage(): ReactNode {
  const { t } = useTranslation();
  const address = useListAddress();
  return (
    <ListPage
      texts="connections.health"
      icon={IconActivityHeartbeat}
      address={address}
      pages={useConnectionHealth(address.words)}
      columns={[
        { id: "name", title: t("connections.name"), renderCell: ({ name }) => name, isName: true },
        {
          id: "company",
          title: t("connections.health.company"),
          renderCell: ({ company }) => company.name,
        },
        {
          id: "status",
          title: t("connections.status"),
          fit: "content",
          renderCell: (connection) => <ConnectionState connection={connection} />,
        },
        {
          id: "channel",
          title: t("connections.channel"),
          renderCell: ({ channel }) => t(`connections.channels.${channel}`),
        },
        {
          id: "since",
          title: t("connections.since"),
          fit: "content",
          isExtra: true,
          renderCell: (connection) => <Since connection={connection} />,
        },
        figure("outbound", t("connections.health.outbound"), (row) => outbound(t, row)),
        figure("inbound", t("connections.health.inbound"), (row) => inbound(t, row)),
        figure("retries", t("connections.health.retries"), ({ retries }) => String(retries)),
      ]}
    />
  );
}

/** A column of numbers. Narrow screens have no header, so each cell repeats the title. */
function figure(
  id: string,
  title: string,
  textOf: (row: ConnectionHealth) => string,
): Column<ConnectionHealth> {
  return {
    id,
    title,
    renderCell: (row) => (
      <>
        <span className="bc-narrow-only">{title}: </span>
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

/** The health table is polled: there are no events of other companies. */
const HEALTH_REFRESH_MS = 30_000;

/** Connections of all companies that match the words by name or company, lost ones first. */
function useConnectionHealth(words: string): Pages<ConnectionHealth> {
  return usePages(
    ["connections-health", words],
    async (pageNumber, signal) => {
      const query = { searchParam: words, pageNumber };
      const reply = await call("GET /connections-health", { query }, { signal });
      return { rows: reply.connections, count: reply.count, hasMore: reply.hasMore };
    },
    ({ id }) => id,
    { refetchInterval: HEALTH_REFRESH_MS },
  );
}
