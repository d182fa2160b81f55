import type { ChannelKind, Connection, ConnectionStatus } from "@balcao/contract";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { formatDayLabel, formatTime } from "../../i18n/format.ts";
import { ConnectionPill, notifyError, notifyInfo } from "../../ui/index.ts";
import classes from "./connections-page.module.css";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { connectionList, startSession } from "./api.ts";

type Status = Pick<Connection, "status" | "closeReason" | "connectedAt" | "disconnectedAt">;

/** The status of a connection and the reason for it. */
export function ConnectionState({
  connection,
}: {
  connection: Pick<Status, "status" | "closeReason">;
}): ReactNode {
  const { t } = useTranslation();
  const { status, closeReason } = connection;
  const isExplained = closeReason !== null && status !== "CONNECTED";
  return (
    <span className={classes["state"]}>
      <ConnectionPill status={status} />
      {isExplained ? <span className={classes["why"]}>{t(reasonKey(closeReason))}</span> : null}
    </span>
  );
}

/** The start of the connection or of its loss. */
export function sinceOf({ status, connectedAt, disconnectedAt }: Status): string | null {
  return status === "CONNECTED" ? connectedAt : disconnectedAt;
}

export function Since({ connection }: { connection: Status }): ReactNode {
  const { t } = useTranslation();
  const iso = sinceOf(connection);
  if (iso === null) return t("connections.noSince");
  return (
    <>
      <span className="bc-narrow-only">{t("connections.since")} </span>
      <Moment iso={iso} isInSentence />
    </>
  );
}

type MomentProps = { iso: string; isInSentence?: boolean };

/** "Hoje, 03:11"; `isInSentence`: "hoje, 03:11". */
export function Moment({ iso, isInSentence = false }: MomentProps): ReactNode {
  const { t } = useTranslation();
  const day = formatDayLabel(iso);
  return (
    <time dateTime={iso} className={classes["moment"]}>
      {t("connections.sinceMoment", {
        day: isInSentence ? day.toLocaleLowerCase() : day,
        time: formatTime(iso),
      })}
    </time>
  );
}

/** The actions on a session; `connecting` only shows progress. */
export type SessionAction = "qr" | "tryAgain" | "newQr" | "disconnect" | "connecting";

/** The buttons of each status (spec 4). */
const actionsByStatus: Readonly<Record<ConnectionStatus, readonly SessionAction[]>> = {
  qrcode: ["qr"],
  DISCONNECTED: ["tryAgain", "newQr"],
  CONNECTED: ["disconnect"],
  PAIRING: ["disconnect"],
  TIMEOUT: ["disconnect"],
  OPENING: ["connecting"],
};

/** The buttons of a connection. The official API has no code to scan. */
export function sessionActions(status: ConnectionStatus, channel: ChannelKind): SessionAction[] {
  return actionsByStatus[status].filter((action) => action !== "newQr" || isLinkedByPhone(channel));
}

/** True for channels that link a phone with a code. */
export function isLinkedByPhone(channel: ChannelKind): boolean {
  return channel !== "cloud-api";
}

const closeReasons = [
  "logged-out",
  "replaced",
  "network",
  "service",
  "unreadable",
  "restart",
  "qr-expired",
  "link-refused",
  "banned",
  "outdated",
  "untrusted",
  "auth",
  "stopped",
] as const;
type CloseReason = (typeof closeReasons)[number];

/** The text key of a close reason; an unknown reason has a text of its own. */
export function reasonKey(
  closeReason: string | null,
): `connections.reasons.${CloseReason | "unknown"}` {
  const known = closeReasons.find((reason) => reason === closeReason);
  return `connections.reasons.${known ?? "unknown"}`;
}

/** The connection whose code is shown; `mustStart` requests a new code first. */
type Linking = { connectionId: number; mustStart: boolean };

/** Runs the actions of a session. Disconnecting asks first. */
export function useSessionActions(onDisconnect: (connection: Connection) => void) {
  const { t } = useTranslation();
  const [linking, setLinking] = useState<Linking | null>(null);
  const again = useMutation({
    mutationFn: ({ id }: Connection) => startSession(id),
    onSuccess: (_, { name }) => {
      connectionList.readAgain();
      notifyInfo(t("connections.starting", { name }));
    },
    onError: notifyError,
  });

  function act(connection: Connection, action: SessionAction): void {
    switch (action) {
      case "qr":
        setLinking({ connectionId: connection.id, mustStart: false });
        return;
      case "newQr":
        setLinking({ connectionId: connection.id, mustStart: true });
        return;
      case "tryAgain":
        again.mutate(connection);
        return;
      case "disconnect":
        onDisconnect(connection);
        return;
      case "connecting":
    }
  }

  return {
    act,
    linking,
    /** Shows the code of a starting connection once it arrives. */
    follow: (connectionId: number): void => setLinking({ connectionId, mustStart: false }),
    leaveLinking: (): void => setLinking(null),
    busyId: again.isPending ? again.variables.id : null,
    busyWith: "tryAgain" as const,
  };
}
