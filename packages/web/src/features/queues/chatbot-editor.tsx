import type { EditedChatbot, QueueOption } from "@balcao/contract";
import {
  IconAlertTriangle,
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconChevronRight,
  IconGripVertical,
  IconPaperclip,
  IconPlayerPlay,
  IconPlus,
  IconSitemap,
  IconTrash,
} from "@tabler/icons-react";
import type { KeyboardEvent, ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { EmptyState, IconButton, ListSkeleton, LoadFailed } from "../../ui/index.ts";
import { countBelow, levelOf, useChatbot } from "./chatbot-api.ts";
import type { BotFile } from "./chatbot-preview.tsx";
import classes from "./chatbot-editor.module.css";
import { ChatbotPreview } from "./chatbot-preview.tsx";
import { DraftBar } from "./chatbot-publishing.tsx";
import { saveAllTyped, typeGreeting, useOptionTree, withDrafts } from "./option-drafts.ts";
import { Button } from "../../ui/button.tsx";
import { TextWithVariables } from "../../ui/text-with-variables.tsx";
import { OptionFields } from "./option-fields.tsx";
import type { OptionTree } from "./option-drafts.ts";

const GREETING_ROWS = 3;

type ChatbotEditorProps = {
  queueId: number;
  name: string;
  /** The file that follows the greeting, with unsaved changes. */
  file: BotFile | null;
  onRemove: (option: QueueOption) => void;
  onTry: () => void;
  onPublish: () => void;
  onDiscard: () => void;
};

/** The draft of a queue's chatbot: its greeting, its options as a tree, and beside them what the customer will see. */
export function ChatbotEditor(props: ChatbotEditorProps): ReactNode {
  const { data: chatbot, error, refetch } = useChatbot(props.queueId);
  if (chatbot) return <Editor {...props} chatbot={chatbot} />;
  if (error === null) return <ListSkeleton rows={4} />;
  return <LoadFailed icon={IconAlertTriangle} error={error} onRetry={() => void refetch()} />;
}

type EditorProps = ChatbotEditorProps & { chatbot: EditedChatbot };

function Editor({ queueId, name, file, chatbot, onRemove, onTry, ...bar }: EditorProps): ReactNode {
  const { t } = useTranslation();
  const tree = useOptionTree(queueId, chatbot);
  const { options, greetingMessage } = tree;
  return (
    <div className={classes["editor"]}>
      <DraftBar queueId={queueId} changes={tree.changes} {...bar} />
      <div className={classes["tree"]}>
        <TextWithVariables
          label={t("queues.greeting")}
          description={t("queues.greetingHelp")}
          value={greetingMessage}
          rows={GREETING_ROWS}
          onChange={(text) => typeGreeting(queueId, text)}
          onBlur={() => void saveAllTyped(queueId)}
        />
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
        <p className="bc-meta">{t("queues.savedInDraft")}</p>
        <p className="bc-hidden-text" role="status">
          {tree.announcement}
        </p>
      </div>
      <ChatbotPreview
        name={name}
        queue={{ greetingMessage, file }}
        options={withDrafts(options, tree.drafts)}
        followedId={tree.openId}
      />
    </div>
  );
}

type LevelProps = {
  tree: OptionTree;
  parent: QueueOption | null;
  onRemove: (option: QueueOption) => void;
};

/** The options of one level with all below them. */
function OptionLevel({ tree, parent, onRemove }: LevelProps): ReactNode {
  const { t } = useTranslation();
  const level = levelOf(tree.options, parent?.id ?? null);
  if (level.length === 0) return null;
  const label =
    parent === null ? t("queues.rootOptions") : t("queues.optionsOf", { title: parent.title });
  return (
    <ul className={classes["level"]} data-level={parent?.id ?? "root"} aria-label={label}>
      {level.map((option) => (
        <OptionItem key={option.id} tree={tree} option={option} level={level} onRemove={onRemove} />
      ))}
    </ul>
  );
}

type ItemProps = {
  tree: OptionTree;
  option: QueueOption;
  level: readonly QueueOption[];
  onRemove: (option: QueueOption) => void;
};

function OptionItem({ tree, option, level, onRemove }: ItemProps): ReactNode {
  const { id } = option;
  const { landing, draggedId } = tree.drag;
  return (
    <li
      className={classes["item"]}
      data-option={id}
      data-landing={landing?.id === id ? landing.side : undefined}
      data-dragged={draggedId === id || undefined}
    >
      <OptionRow tree={tree} option={option} level={level} onRemove={onRemove} />
      {tree.openId === id ? (
        <OptionFields
          key={id}
          option={option}
          draft={tree.drafts.get(id)}
          isNew={tree.newId === id}
          onDone={() => tree.open(null)}
        />
      ) : null}
      {tree.foldedIds.has(id) ? null : (
        <OptionLevel tree={tree} parent={option} onRemove={onRemove} />
      )}
    </li>
  );
}

type Props = {
  tree: OptionTree;
  option: QueueOption;
  level: readonly QueueOption[];
  onRemove: (option: QueueOption) => void;
};

/** The row of an option: number, title and actions. Alt ↑ and Alt ↓ move it. */
function OptionRow({ tree, option, level, onRemove }: Props): ReactNode {
  const { t } = useTranslation();
  const { id } = option;
  const draft = tree.drafts.get(id);
  const title = draft?.values.title?.trim() || option.title;
  const isOpen = tree.openId === id;
  const index = level.findIndex((one) => one.id === id);
  const ids = level.map((one) => one.id);

  function onKeyDown(event: KeyboardEvent): void {
    if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    tree.move(option, event.key === "ArrowUp" ? -1 : 1);
  }

  return (
    <div className={classes["row"]} data-open={isOpen || undefined} onKeyDown={onKeyDown}>
      <button
        type="button"
        className={classes["handle"]}
        tabIndex={-1}
        aria-label={t("queues.drag", { title })}
        // During a drag Escape only cancels the drag.
        data-mantine-stop-propagation={tree.drag.draggedId === id || undefined}
        {...tree.drag.handleOf(id, ids)}
      >
        <IconGripVertical size={15} stroke={1.7} aria-hidden="true" />
      </button>
      <Fold tree={tree} option={option} title={title} />
      <button
        type="button"
        className={classes["main"]}
        aria-expanded={isOpen}
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
        data-option-row={id}
        onClick={() => tree.open(isOpen ? null : id)}
      >
        <span className={classes["number"]}>{option.option}</span>{" "}
        <span className={classes["title"]}>{title}</span>
        {option.mediaName === null ? null : (
          <IconPaperclip size={15} stroke={1.7} aria-label={t("queues.hasFile")} />
        )}
        {draft?.failure ? <span className={classes["failed"]}>{t("queues.notSaved")}</span> : null}
      </button>
      <ChangeMark tree={tree} id={id} />
      <span className={classes["actions"]}>
        <IconButton
          size="small"
          label={t("queues.moveUp", { title })}
          shortcut="Alt ↑"
          icon={IconArrowUp}
          // Not `disabled`, so that it keeps the focus at the end of its level.
          aria-disabled={index === 0}
          onClick={() => tree.move(option, -1)}
        />
        <IconButton
          size="small"
          label={t("queues.moveDown", { title })}
          shortcut="Alt ↓"
          icon={IconArrowDown}
          aria-disabled={index === level.length - 1}
          onClick={() => tree.move(option, 1)}
        />
        <IconButton
          size="small"
          label={t("queues.addBelow", { title })}
          icon={IconPlus}
          onClick={() => tree.add(id)}
        />
        <IconButton
          size="small"
          label={t("queues.removeOption", { title })}
          icon={IconTrash}
          onClick={() => onRemove(option)}
        />
      </span>
    </div>
  );
}

/** Says that customers do not get an option yet, or not as it is here. */
function ChangeMark({ tree, id }: { tree: OptionTree; id: number }): ReactNode {
  const { t } = useTranslation();
  const change = tree.changes.find(({ key }) => key === String(id));
  if (change === undefined) return null;
  return (
    <span className={classes["mark"]} data-tone="warn">
      {t(change.kind === "added" ? "queues.draft.isNew" : "queues.draft.isChanged")}
    </span>
  );
}

/** Folds the options below; without any it leaves an empty space. */
function Fold({ tree, option, title }: Pick<Props, "tree" | "option"> & { title: string }) {
  const { t } = useTranslation();
  const below = countBelow(tree.options, option.id);
  if (below === 0) return <span className={classes["noFold"]} />;
  const isFolded = tree.foldedIds.has(option.id);
  return (
    <IconButton
      size="small"
      className={classes["fold"] ?? ""}
      label={t(isFolded ? "queues.unfold" : "queues.fold", { title, count: below })}
      icon={isFolded ? IconChevronRight : IconChevronDown}
      aria-pressed={isFolded}
      onClick={() => tree.toggleFold(option.id)}
    />
  );
}
