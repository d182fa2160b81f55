import type { QueueOption } from "@balcao/contract";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { OptionFields } from "./option-fields.tsx";
import classes from "./option-level.module.css";
import { OptionRow } from "./option-row.tsx";
import { levelOf } from "./option-tree.ts";
import type { OptionTree } from "./use-option-tree.ts";

type LevelProps = {
  tree: OptionTree;
  parent: QueueOption | null;
  onRemove: (option: QueueOption) => void;
};

/** The options of one level with all that is below them. */
export function OptionLevel({ tree, parent, onRemove }: LevelProps): ReactNode {
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
