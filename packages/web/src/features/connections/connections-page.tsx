import type { Connection } from "@balcao/contract";
import { IconPlugConnected, IconRefresh, IconStarFilled } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { IconButton, notifyInfo, notifySuccess } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { ActionQuestion, RecordPage, useListAddress } from "../../ui/page/record-page.tsx";
import { RowName } from "../../ui/page/record-table.tsx";
import { connectionList, deleteConnection, disconnect, restartAll, useConnection } from "./api.ts";
import type { SessionAction } from "./connection-state.tsx";
import {
  ConnectionState,
  isLinkedByPhone,
  Moment,
  sessionActions,
  Since,
  sinceOf,
  useSessionActions,
} from "./connection-state.tsx";
import classes from "./connections-page.module.css";

const ConnectionDialog = lazyPart(
  async () => (await import("./connection-dialog.tsx")).ConnectionDialog,
  "over",
);
const LinkDialog = lazyPart(async () => (await import("./link-dialog.tsx")).LinkDialog, "over");
const WebhookDialog = lazyPart(
  async () => (await import("./connection-dialog.tsx")).WebhookDialog,
  "over",
);

/** A dialog over the page other than the form and the deletion. */
type Overlay =
  | { kind: "disconnect" | "webhook"; connection: Connection }
  | { kind: "restart" }
  | null;

/** The connections of the company with their sessions: linked, edited and deleted. */
export function ConnectionsPage(): ReactNode {
  const { t } = useTranslation();
  const address = useListAddress();
  const pages = connectionList.usePages(
    address.words,
    ({ name, number }) => `${name} ${number ?? ""}`,
  );
  const [overlay, setOverlay] = useState<Overlay>(null);
  const endOverlay = (): void => setOverlay(null);
  const session = useSessionActions((connection) => setOverlay({ kind: "disconnect", connection }));

  function afterSaving(before: Connection | null, saved: Connection): void {
    if (saved.channel === "cloud-api" && before?.channel !== saved.channel) {
      setOverlay({ kind: "webhook", connection: saved });
    } else if (before === null && saved.status !== "CONNECTED") {
      session.follow(saved.id);
    }
  }

  return (
    <RecordPage
      texts="connections"
      icon={IconPlugConnected}
      address={address}
      pages={pages}
      tools={
        pages.count === 0 ? null : (
          <IconButton
            label={t("connections.restartAll")}
            icon={IconRefresh}
            onClick={() => setOverlay({ kind: "restart" })}
          />
        )
      }
      nameOf={({ name }) => name}
      columns={[
        {
          id: "name",
          title: t("connections.name"),
          renderCell: ({ name, isDefault }) => (
            <RowName name={name} after={isDefault ? <DefaultMark /> : null} />
          ),
          sortBy: ({ name }) => name,
          isName: true,
        },
        {
          id: "status",
          fit: "content",
          title: t("connections.status"),
          renderCell: (connection) => <ConnectionState connection={connection} />,
          sortBy: ({ status }) => t(`common.connection.${status}`),
        },
        {
          id: "channel",
          title: t("connections.channel"),
          renderCell: ({ channel }) => t(`connections.channels.${channel}`),
          sortBy: ({ channel }) => t(`connections.channels.${channel}`),
        },
        {
          id: "number",
          fit: "content",
          title: t("connections.number"),
          renderCell: ({ number }) => number || t("connections.noNumber"),
          sortBy: ({ number }) => number,
        },
        {
          id: "since",
          fit: "content",
          isExtra: true,
          title: t("connections.since"),
          renderCell: (connection) => <Since connection={connection} />,
          sortBy: sinceOf,
        },
        {
          id: "updated",
          fit: "content",
          isExtra: true,
          title: t("connections.updated"),
          renderCell: ({ updatedAt }) => (
            <span className="bc-wide-only">
              <Moment iso={updatedAt} />
            </span>
          ),
          sortBy: ({ updatedAt }) => updatedAt,
        },
        {
          id: "session",
          fit: "content",
          title: t("connections.session"),
          renderCell: (connection) => (
            <SessionButtons
              connection={connection}
              busyWith={session.busyId === connection.id ? session.busyWith : null}
              onAction={(action) => session.act(connection, action)}
            />
          ),
        },
      ]}
      renderForm={(connection, onClose) => (
        <ConnectionDialog
          connection={connection}
          onSaved={(saved) => {
            onClose();
            afterSaving(connection, saved);
          }}
          onClose={onClose}
        />
      )}
      deleteText={() => t("connections.deleteText")}
      onDelete={({ id }) => deleteConnection(id)}
    >
      {session.linking === null ? null : (
        <Linking
          key={session.linking.connectionId}
          connectionId={session.linking.connectionId}
          mustStart={session.linking.mustStart}
          onDone={session.leaveLinking}
        />
      )}
      {overlay?.kind === "webhook" ? (
        <WebhookDialog connection={overlay.connection} onClose={endOverlay} />
      ) : null}
      {overlay?.kind === "disconnect" ? (
        <DisconnectQuestion connection={overlay.connection} onClose={endOverlay} />
      ) : null}
      {overlay?.kind === "restart" ? <RestartQuestion onClose={endOverlay} /> : null}
    </RecordPage>
  );
}

/** Marks the connection that new tickets use. */
function DefaultMark(): ReactNode {
  const { t } = useTranslation();
  return (
    <span className={classes["default"]}>
      <IconStarFilled size={11} aria-hidden="true" />
      {t("connections.isDefault")}
    </span>
  );
}

type SessionProps = {
  connection: Pick<Connection, "name" | "status" | "channel">;
  /** The action under way, if any. */
  busyWith: SessionAction | null;
  onAction: (action: SessionAction) => void;
};

/** The buttons of a session by its status (spec 4). */
function SessionButtons({ connection, busyWith, onAction }: SessionProps): ReactNode {
  const { t } = useTranslation();
  const { name, status, channel } = connection;
  return (
    <span className={classes["buttons"]}>
      {sessionActions(status, channel).map((action) => {
        const label = t(`connections.actions.${action}`);
        return (
          <Button
            key={action}
            size="xs"
            variant={action === "qr" ? "filled" : "default"}
            disabled={action === "connecting"}
            loading={busyWith === action}
            aria-label={t("connections.actions.of", { action: label, name })}
            onClick={() => onAction(action)}
          >
            {label}
          </Button>
        );
      })}
    </span>
  );
}

type LinkingProps = { connectionId: number; mustStart: boolean; onDone: () => void };

/** The link dialog with the connection's current state; closes if the connection is deleted. */
function Linking({ connectionId, mustStart, onDone }: LinkingProps): ReactNode {
  const connection = useConnection(connectionId);
  if (!connection) return null;
  return <LinkDialog connection={connection} mustStart={mustStart} onDone={onDone} />;
}

type DisconnectProps = { connection: Connection; onClose: () => void };

/** Asks before a connection's session is ended. */
export function DisconnectQuestion({ connection, onClose }: DisconnectProps): ReactNode {
  const { t } = useTranslation();
  const { id, name, channel } = connection;
  return (
    <ActionQuestion
      isDestructive
      title={t("connections.disconnectTitle", { name })}
      text={t(
        isLinkedByPhone(channel) ? "connections.disconnectText" : "connections.disconnectCloudText",
      )}
      confirm={t("connections.actions.disconnect")}
      run={() => disconnect(id)}
      onDone={() => notifySuccess(t("connections.disconnected", { name }))}
      onClose={onClose}
    />
  );
}

/** Asks before all sessions of the company restart. */
export function RestartQuestion({ onClose }: { onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  return (
    <ActionQuestion
      title={t("connections.restartTitle")}
      text={t("connections.restartText")}
      confirm={t("connections.restartConfirm")}
      run={restartAll}
      onDone={() => notifyInfo(t("connections.restarted"))}
      onClose={onClose}
    />
  );
}
