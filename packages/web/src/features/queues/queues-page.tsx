import type { Queue } from "@balcao/contract";
import { Button } from "@mantine/core";
import { IconPencil, IconSitemap, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton, QueueDot } from "../../ui/index.ts";
import { matches } from "../../ui/matches.ts";
import { ListPage } from "../../ui/page/page.tsx";
import { RecordTable } from "../../ui/page/record-table.tsx";
import { plainText } from "../messages/index.ts";
import { useQueuesQuery } from "./api.ts";
import { useOptionCounts } from "./chatbot-api.ts";
import { RowName } from "../../ui/page/row-name.tsx";
import classes from "./queues-page.module.css";
import { lazyPart } from "../../ui/lazy-part.tsx";

const QueueDialog = lazyPart(async () => (await import("./queue-dialog.tsx")).QueueDialog, "over");
const QueueRemoval = lazyPart(
  async () => (await import("./queue-removal.tsx")).QueueRemoval,
  "over",
);

/** The company's queues with their chatbots: listed, added, changed, deleted. */
export function QueuesPage(): ReactNode {
  const { t } = useTranslation();
  const [words, setWords] = useState("");
  const [edited, setEdited] = useState<Queue | "new" | null>(null);
  const [removed, setRemoved] = useState<Queue | null>(null);
  const { data: queues, error, refetch } = useQueuesQuery();
  const optionCounts = useOptionCounts();
  const add = (): void => setEdited("new");

  function optionCount(queueId: number): string {
    if (optionCounts === undefined) return "";
    const count = optionCounts.get(queueId) ?? 0;
    return count === 0 ? t("queues.noChatbot") : t("queues.optionCount", { count });
  }

  return (
    <ListPage
      title={t("queues.title")}
      count={queues ? queues.length : null}
      searchLabel={t("queues.search")}
      onSearch={setWords}
      addLabel={t("queues.add")}
      onAdd={add}
    >
      <RecordTable
        label={t("queues.title")}
        pages={{
          rows: queues?.filter(({ name }) => matches(name, words)),
          count: queues?.length ?? 0,
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
            title: t("queues.name"),
            renderCell: ({ name, color }) => (
              <RowName name={name} before={<QueueDot color={color} />} />
            ),
            isName: true,
          },
          {
            title: t("queues.greeting"),
            renderCell: ({ greetingMessage }) =>
              greetingMessage === "" ? t("queues.noGreeting") : oneLine(greetingMessage),
          },
          {
            title: t("queues.order"),
            // Narrow, the order of the list says it.
            renderCell: ({ orderQueue }) => (
              <span className={classes["wide"]}>{orderQueue ?? t("queues.noOrder")}</span>
            ),
          },
          {
            title: t("queues.chatbot"),
            renderCell: ({ id }) => optionCount(id),
          },
        ]}
        renderActions={(queue) => (
          <>
            <IconButton
              label={t("queues.edit", { name: queue.name })}
              icon={IconPencil}
              onClick={() => setEdited(queue)}
            />
            <IconButton
              label={t("queues.delete", { name: queue.name })}
              icon={IconTrash}
              onClick={() => setRemoved(queue)}
            />
          </>
        )}
        empty={
          words === ""
            ? {
                icon: IconSitemap,
                title: t("queues.emptyTitle"),
                text: t("queues.emptyText"),
                action: <Button onClick={add}>{t("queues.add")}</Button>,
              }
            : { icon: IconSitemap, title: t("queues.noMatch", { words }) }
        }
      />
      <Suspense fallback={null}>
        {edited === null ? null : (
          <QueueDialog
            queue={edited === "new" ? null : edited}
            queues={queues ?? []}
            onClose={() => setEdited(null)}
          />
        )}
        {removed === null ? null : (
          <QueueRemoval
            queue={removed}
            others={queues?.filter(({ id }) => id !== removed.id) ?? []}
            onClose={() => setRemoved(null)}
          />
        )}
      </Suspense>
    </ListPage>
  );
}

function oneLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, " ");
}
