import {
  IconArrowDown,
  IconArrowUp,
  IconGripVertical,
  IconPencil,
  IconTrash,
} from "@tabler/icons-react";
import type { DragEvent, FormEvent, KeyboardEvent, ReactNode } from "react";
import { useRef, useState } from "react";
import { formatMoment } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import type { Task } from "./tasks.ts";
import { TASK_MAX } from "./tasks.ts";
import classes from "./todolist-page.module.css";

type Props = {
  task: Task;
  /** The beginning of its text. */
  name: string;
  /** Of the element that explains the keys. */
  helpId: string;
  isFirst: boolean;
  isLast: boolean;
  isLifted: boolean;
  isEdited: boolean;
  onEdit: (isOpen: boolean) => void;
  onChange: (change: Partial<Pick<Task, "text" | "isDone">>) => void;
  onRemove: () => void;
  onLift: () => void;
  /** Moves the lifted task. */
  onShift: (by: number) => void;
  /** Moves the task at once. */
  onStep: (by: number) => void;
  onDrop: () => void;
  onPutBack: () => void;
  onDragOver: () => void;
};

/** One task: done or not, its text, and what moves, changes and removes it. */
export function TaskRow(props: Props): ReactNode {
  const { task, name, isLifted, isEdited, onEdit } = props;
  const { t } = useTranslation();
  const row = useRef<HTMLLIElement>(null);
  const editButton = useRef<HTMLButtonElement>(null);
  const isChanged = task.updatedAt !== task.createdAt;
  const when = formatMoment(isChanged ? task.updatedAt : task.createdAt);

  function endEdit(): void {
    onEdit(false);
    requestAnimationFrame(() => editButton.current?.focus());
  }

  if (isEdited) {
    return (
      <li className={classes["task"]}>
        <TaskForm
          text={task.text}
          onSave={(text) => {
            if (text.trim() !== task.text) props.onChange({ text });
            endEdit();
          }}
          onCancel={endEdit}
        />
      </li>
    );
  }
  return (
    <li
      ref={row}
      className={classes["task"]}
      data-task=""
      data-lifted={isLifted || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        props.onDragOver();
      }}
      onDrop={(event) => {
        event.preventDefault();
        props.onDrop();
      }}
    >
      <Grip {...props} row={row} />
      <input
        type="checkbox"
        className={classes["check"]}
        checked={task.isDone}
        aria-label={t("todo.done", { name })}
        onChange={() => props.onChange({ isDone: !task.isDone })}
      />
      <div className="bc-fill">
        <p className={classes["text"]} data-done={task.isDone || undefined}>
          {task.text}
        </p>
        <p className="bc-meta">{t(isChanged ? "todo.changed" : "todo.made", { when })}</p>
      </div>
      <span className={classes["actions"]}>
        <IconButton
          size="small"
          label={t("todo.up", { name })}
          icon={IconArrowUp}
          disabled={props.isFirst}
          onClick={() => props.onStep(-1)}
        />
        <IconButton
          size="small"
          label={t("todo.down", { name })}
          icon={IconArrowDown}
          disabled={props.isLast}
          onClick={() => props.onStep(1)}
        />
        <IconButton
          ref={editButton}
          size="small"
          label={t("todo.edit", { name })}
          icon={IconPencil}
          onClick={() => onEdit(true)}
        />
        <IconButton
          size="small"
          label={t("todo.delete", { name })}
          icon={IconTrash}
          onClick={props.onRemove}
        />
      </span>
    </li>
  );
}

type GripProps = Pick<
  Props,
  "name" | "helpId" | "isLifted" | "onLift" | "onShift" | "onDrop" | "onPutBack"
> & { row: { readonly current: HTMLLIElement | null } };

/** Drags the task with the pointer, and lifts and moves it by the keys of the board. */
function Grip(props: GripProps): ReactNode {
  const { name, helpId, isLifted, row } = props;
  const { t } = useTranslation();

  function press(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, () => void>> = {
      " ": isLifted ? props.onDrop : props.onLift,
      Enter: isLifted ? props.onDrop : props.onLift,
      ...(isLifted
        ? {
            ArrowUp: () => props.onShift(-1),
            ArrowDown: () => props.onShift(1),
            Escape: props.onPutBack,
          }
        : {}),
    };
    const run = steps[event.key];
    if (!run) return;
    event.preventDefault();
    event.stopPropagation();
    run();
    // The row may have another place in the document now.
    const { currentTarget } = event;
    requestAnimationFrame(() => (currentTarget as HTMLElement).focus());
  }

  function drag(event: DragEvent): void {
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", name);
    if (row.current) event.dataTransfer.setDragImage(row.current, 12, 12);
    props.onLift();
  }

  return (
    <button
      type="button"
      className={classes["grip"]}
      draggable
      aria-label={t("todo.move", { name })}
      aria-describedby={helpId}
      aria-pressed={isLifted}
      onKeyDown={press}
      onDragStart={drag}
      // Dropped outside of the list: back to its place. After a drop in it nothing is lifted any more.
      onDragEnd={() => {
        if (isLifted) props.onPutBack();
      }}
      onBlur={(event) => {
        if (isLifted && event.relatedTarget !== null) props.onPutBack();
      }}
    >
      <IconGripVertical size={17} stroke={1.7} aria-hidden="true" />
    </button>
  );
}

type FormProps = { text: string; onSave: (text: string) => void; onCancel: () => void };

function TaskForm({ text: before, onSave, onCancel }: FormProps): ReactNode {
  const { t } = useTranslation();
  const [text, setText] = useState(before);

  function submit(event: FormEvent): void {
    event.preventDefault();
    onSave(text);
  }

  return (
    <form className={classes["edit"]} onSubmit={submit}>
      <input
        className={classes["field"]}
        value={text}
        maxLength={TASK_MAX}
        aria-label={t("todo.field")}
        autoComplete="off"
        ref={(field) => {
          if (field && document.activeElement !== field) field.focus();
        }}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
          event.stopPropagation();
          onCancel();
        }}
      />
      <Button variant="default" onClick={onCancel}>
        {t("common.cancel")}
      </Button>
      <Button type="submit">{t("common.save")}</Button>
    </form>
  );
}
