import type { QueueOption } from "@balcao/contract";
import {
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconChevronRight,
  IconGripVertical,
  IconPaperclip,
  IconPlus,
  IconTrash,
} from "@tabler/icons-react";
import type { KeyboardEvent, ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import classes from "./option-row.module.css";
import { countBelow } from "./option-tree.ts";
import type { OptionTree } from "./use-option-tree.ts";

type Props = {
  tree: OptionTree;
  option: QueueOption;
  level: readonly QueueOption[];
  onRemove: (option: QueueOption) => void;
};

/** One option as a line: its number and title, and what can be done to it. Alt ↑ and Alt ↓ move it. */
export function OptionRow({ tree, option, level, onRemove }: Props): ReactNode {
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
        // While it is dragged, Escape puts the option back and closes nothing.
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
      <span className={classes["actions"]}>
        <IconButton
          size="small"
          label={t("queues.moveUp", { title })}
          shortcut="Alt ↑"
          icon={IconArrowUp}
          // It keeps the focus at the end of its way.
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

/** Folds what is below; room is kept where nothing is. */
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
