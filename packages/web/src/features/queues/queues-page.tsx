import type { Queue } from "@balcao/contract";
import { IconSitemap } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { QueueDot } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { RecordPage, useListAddress } from "../../ui/page/record-page.tsx";
import { RowName } from "../../ui/page/record-table.tsx";
import { plainText } from "../messages/index.ts";
import { queueList, useQueues } from "./api.ts";
import { useOptionCounts } from "./chatbot-api.ts";

const QueueDialog = lazyPart(async () => (await import("./queue-dialog.tsx")).QueueDialog, "over");
const QueueRemoval = lazyPart(
  async () => (await import("./queue-dialog.tsx")).QueueRemoval,
  "over",
);

/** The queues of the company with their chatbots. */
export function QueuesPage(): ReactNode {
  const { t } = useTranslation();
  const address = useListAddress();
  const queues = useQueues() ?? [];
  const optionCounts = useOptionCounts();
  const optionsOf = ({ id }: Queue): number => optionCounts?.get(id) ?? 0;

  function chatbotCell(queue: Queue): string {
    if (optionCounts === undefined) return "";
    const count = optionsOf(queue);
    const words = count === 0 ? t("queues.noChatbot") : t("queues.optionCount", { count });
    return queue.hasChatbotDraft ? t("queues.draft.listed", { options: words }) : words;
  }

  return (
    <RecordPage
      texts="queues"
      icon={IconSitemap}
      address={address}
      pages={queueList.usePages(address.words, ({ name }) => name)}
      nameOf={({ name }) => name}
      columns={[
        {
          id: "name",
          title: t("queues.name"),
          renderCell: ({ name, color }) => (
            <RowName name={name} before={<QueueDot color={color} />} />
          ),
          sortBy: ({ name }) => name,
          isName: true,
        },
        {
          id: "greeting",
          title: t("queues.greeting"),
          renderCell: ({ greetingMessage }) => oneLine(greetingMessage) || t("queues.noGreeting"),
        },
        {
          id: "order",
          fit: "content",
          title: t("queues.order"),
          // On narrow screens the position in the list shows the order.
          renderCell: ({ orderQueue }) => (
            <span className="bc-wide-only">{orderQueue ?? t("queues.noOrder")}</span>
          ),
          sortBy: ({ orderQueue }) => orderQueue,
        },
        {
          id: "chatbot",
          fit: "content",
          title: t("queues.chatbot"),
          renderCell: chatbotCell,
          sortBy: optionsOf,
        },
      ]}
      renderForm={(queue, onClose) => (
        <QueueDialog queue={queue} queues={queues} onClose={onClose} />
      )}
      renderRemoval={(queue, onClose) => (
        <QueueRemoval
          queue={queue}
          others={queues.filter(({ id }) => id !== queue.id)}
          onClose={onClose}
        />
      )}
    />
  );
}

function oneLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, " ");
}
