import type { Connection } from "@balcao/contract";
import { Button } from "@mantine/core";
import { IconPencil, IconPlugConnected, IconRefresh, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import { matches } from "../../ui/matches.ts";
import { ListPage } from "../../ui/page/page.tsx";
import { RecordTable } from "../../ui/page/record-table.tsx";
import { ConnectionName } from "./connection-name.tsx";
import { ConnectionState, Moment, Since } from "./connection-state.tsx";
import classes from "./connections-page.module.css";
import { useConnection, useConnectionsQuery } from "./live-connections.ts";
import type { Question } from "./questions.tsx";
import { SessionButtons } from "./session-buttons.tsx";
import { useSessionActions } from "./use-session-actions.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";

const ConnectionDialog = lazyPart(
  async () => (await import("./connection-dialog.tsx")).ConnectionDialog,
  "over",
);
const LinkDialog = lazyPart(async () => (await import("./link-dialog.tsx")).LinkDialog, "over");
const WebhookDialog = lazyPart(
  async () => (await import("./webhook-dialog.tsx")).WebhookDialog,
  "over",
);
const Questions = lazyPart(async () => (await import("./questions.tsx")).Questions, "over");

/** The company's connections with their sessions; what is needed to link one, change one and take one away. */
export function ConnectionsPage(): ReactNode {
  const { t } = useTranslation();
  const [words, setWords] = useState("");
  const [edited, setEdited] = useState<Connection | "new" | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  const [webhookOf, setWebhookOf] = useState<Connection | null>(null);
  const session = useSessionActions((connection) =>
    setQuestion({ kind: "disconnect", connection }),
  );
  const { data: connections, error, refetch } = useConnectionsQuery();
  const shown = connections?.filter(({ name, number }) =>
    matches(`${name} ${number ?? ""}`, words),
  );
  const add = (): void => setEdited("new");

  function afterSaving(saved: Connection): void {
    const isNew = edited === "new";
    setEdited(null);
    if (
      saved.channel === "cloud-api" &&
      (isNew || (edited !== null && changesChannel(edited, saved)))
    ) {
      setWebhookOf(saved);
    } else if (isNew && saved.status !== "CONNECTED") {
      session.follow(saved.id);
    }
  }

  return (
    <ListPage
      title={t("connections.title")}
      count={connections ? connections.length : null}
      searchLabel={t("connections.search")}
      onSearch={setWords}
      tools={
        connections === undefined || connections.length === 0 ? null : (
          <IconButton
            label={t("connections.restartAll")}
            icon={IconRefresh}
            onClick={() => setQuestion({ kind: "restart" })}
          />
        )
      }
      addLabel={t("connections.add")}
      onAdd={add}
    >
      <RecordTable
        label={t("connections.title")}
        pages={{
          rows: shown,
          count: connections?.length ?? 0,
          isPrevious: false,
          hasMore: false,
          isLoadingMore: false,
          error,
          loadMore: () => undefined,
          retry: () => void refetch(),
        }}
        identify={({ id }) => id}
        columns={[
          {
            title: t("connections.name"),
            renderCell: (connection) => <ConnectionName connection={connection} />,
            isName: true,
          },
          {
            title: t("connections.status"),
            renderCell: (connection) => <ConnectionState connection={connection} />,
          },
          {
            title: t("connections.channel"),
            renderCell: ({ channel }) => t(`connections.channels.${channel}`),
          },
          {
            title: t("connections.number"),
            renderCell: ({ number }) => number || t("connections.noNumber"),
          },
          {
            title: t("connections.since"),
            renderCell: (connection) => <Since connection={connection} />,
          },
          {
            title: t("connections.updated"),
            renderCell: ({ updatedAt }) => (
              <span className={classes["wide"]}>
                <Moment iso={updatedAt} />
              </span>
            ),
          },
          {
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
        renderActions={(connection) => (
          <>
            <IconButton
              label={t("connections.actions.edit", { name: connection.name })}
              icon={IconPencil}
              onClick={() => setEdited(connection)}
            />
            <IconButton
              label={t("connections.actions.delete", { name: connection.name })}
              icon={IconTrash}
              onClick={() => setQuestion({ kind: "delete", connection })}
            />
          </>
        )}
        empty={
          words === ""
            ? {
                icon: IconPlugConnected,
                title: t("connections.emptyTitle"),
                text: t("connections.emptyText"),
                action: <Button onClick={add}>{t("connections.add")}</Button>,
              }
            : { icon: IconPlugConnected, title: t("connections.noMatch", { words }) }
        }
      />
      <Suspense fallback={null}>
        {edited === null ? null : (
          <ConnectionDialog
            connection={edited === "new" ? null : edited}
            onSaved={afterSaving}
            onClose={() => setEdited(null)}
          />
        )}
        {session.linking === null ? null : (
          <Linking
            key={session.linking.connectionId}
            connectionId={session.linking.connectionId}
            mustStart={session.linking.mustStart}
            onDone={session.leaveLinking}
          />
        )}
        {webhookOf === null ? null : (
          <WebhookDialog connection={webhookOf} onClose={() => setWebhookOf(null)} />
        )}
        {question === null ? null : (
          <Questions question={question} onClose={() => setQuestion(null)} />
        )}
      </Suspense>
    </ListPage>
  );
}

type LinkingProps = { connectionId: number; mustStart: boolean; onDone: () => void };

/** The dialog with the code follows the connection as it is now; with the connection it goes as well. */
function Linking({ connectionId, mustStart, onDone }: LinkingProps): ReactNode {
  const connection = useConnection(connectionId);
  if (!connection) return null;
  return <LinkDialog connection={connection} mustStart={mustStart} onDone={onDone} />;
}

function changesChannel(before: Connection | "new", after: Connection): boolean {
  return before !== "new" && before.channel !== after.channel;
}
