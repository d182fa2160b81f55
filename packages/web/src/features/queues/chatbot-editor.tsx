import type { QueueOption } from "@balcao/contract";
import { Button } from "@mantine/core";
import { IconAlertTriangle, IconPlayerPlay, IconPlus, IconSitemap } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { EmptyState, ListSkeleton, LoadFailed } from "../../ui/index.ts";
import { useOptions } from "./chatbot-api.ts";
import type { BotQueue } from "./chatbot-conversation.ts";
import classes from "./chatbot-editor.module.css";
import { ChatbotPreview } from "./chatbot-preview.tsx";
import { saveAllTyped, withDrafts } from "./option-drafts.ts";
import { OptionLevel } from "./option-level.tsx";
import { useOptionTree } from "./use-option-tree.ts";

type Props = {
  queueId: number;
  name: string;
  /** As it is being edited. */
  queue: BotQueue;
  onRemove: (option: QueueOption) => void;
  onTry: () => void;
};

/** The chatbot of a queue: its options as a tree, and beside it what the customer will see. */
export function ChatbotEditor(props: Props): ReactNode {
  const { data: options, error, refetch } = useOptions(props.queueId);
  if (options) return <Editor {...props} options={options} />;
  if (error === null) return <ListSkeleton rows={4} />;
  return <LoadFailed icon={IconAlertTriangle} error={error} onRetry={() => void refetch()} />;
}

type EditorProps = Props & { options: readonly QueueOption[] };

function Editor({ queueId, name, queue, options, onRemove, onTry }: EditorProps): ReactNode {
  const { t } = useTranslation();
  const tree = useOptionTree(queueId, options);
  return (
    <div className={classes["editor"]}>
      <div className={classes["tree"]}>
        {options.length === 0 ? (
          <EmptyState
            icon={IconSitemap}
            title={t("queues.noOptionsTitle")}
            text={t("queues.noOptionsText")}
          />
        ) : (
          <OptionLevel tree={tree} parent={null} onRemove={onRemove} />
        )}
        <div className={classes["tools"]}>
          <Button
            variant={options.length === 0 ? "filled" : "default"}
            leftSection={<IconPlus size={15} stroke={1.7} aria-hidden="true" />}
            loading={tree.isAdding}
            data-add-option
            onClick={() => tree.add(null)}
          >
            {t("queues.addOption")}
          </Button>
          <Button
            variant="default"
            leftSection={<IconPlayerPlay size={15} stroke={1.7} aria-hidden="true" />}
            onClick={() => void saveAllTyped(queueId).then(onTry)}
          >
            {t("queues.tryIt")}
          </Button>
        </div>
        <p className={classes["help"]}>{t("queues.savedAtOnce")}</p>
        <p className="bc-hidden-text" role="status">
          {tree.announcement}
        </p>
      </div>
      <ChatbotPreview
        name={name}
        queue={queue}
        options={withDrafts(options, tree.drafts)}
        followedId={tree.openId}
      />
    </div>
  );
}
