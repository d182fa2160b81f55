import { IconChecklist } from "@tabler/icons-react";
import type { FormEvent, ReactNode } from "react";
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useStore } from "../../store/index.ts";
import { Button } from "../../ui/button.tsx";
import { nowIso } from "../../ui/clock.ts";
import { EmptyState, notifyError } from "../../ui/index.ts";
import { Page } from "../../ui/page/page.tsx";
import { offerUndo } from "../../ui/undo.tsx";
import { useSession } from "../auth/index.ts";
import { TaskRow } from "./task-row.tsx";
import type { Task, TaskList } from "./tasks.ts";
import { added, changed, keyOf, moved, openTasks, TASK_MAX, TASKS_MAX } from "./tasks.ts";
import classes from "./todolist-page.module.css";

const NAME_LENGTH = 40;

/** The personal list of tasks, which stays in this browser. */
export function TodolistPage(): ReactNode {
  const { t } = useTranslation();
  const { user } = useSession();
  const key = keyOf(user);
  const list = useMemo(() => openTasks(key), [key]);
  useEffect(() => list.follow(), [list]);
  const tasks = useStore(list.store);
  return (
    <Page title={t("todo.title")} count={tasks.filter(({ isDone }) => !isDone).length}>
      <div className={classes["page"]}>
        <NewTask list={list} count={tasks.length} />
        {tasks.length === 0 ? (
          <EmptyState
            icon={IconChecklist}
            drawing="sheet"
            title={t("todo.emptyTitle")}
            text={t("todo.emptyText")}
          />
        ) : (
          <>
            <Tasks list={list} tasks={tasks} />
            <p className="bc-note">{t("todo.note")}</p>
          </>
        )}
      </div>
    </Page>
  );
}

/** Changes the list, or says that the browser has no space for that. */
function useChange(list: TaskList): (how: Parameters<TaskList["change"]>[0]) => void {
  const { t } = useTranslation();
  return (how) => {
    try {
      list.change(how);
    } catch {
      notifyError(t("todo.notKept"));
    }
  };
}

function NewTask({ list, count }: { list: TaskList; count: number }): ReactNode {
  const { t } = useTranslation();
  const change = useChange(list);
  const [text, setText] = useState("");
  const isFull = count >= TASKS_MAX;
  const helpId = useId();

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (text.trim() === "" || isFull) return;
    change((tasks) => added(tasks, text, nowIso()));
    setText("");
  }

  return (
    <form className={classes["new"]} onSubmit={submit}>
      <input
        className={classes["field"]}
        value={text}
        maxLength={TASK_MAX}
        placeholder={t("todo.new")}
        aria-label={t("todo.new")}
        aria-describedby={isFull ? helpId : undefined}
        autoComplete="off"
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" disabled={isFull}>
        {t("todo.add")}
      </Button>
      {isFull ? (
        <p id={helpId} className="bc-note">
          {t("todo.full")}
        </p>
      ) : null}
    </form>
  );
}

/** A task that was lifted by the keyboard or is dragged, and the order that it would have. */
type Lifted = { id: string; place: number };

function Tasks({ list, tasks }: { list: TaskList; tasks: readonly Task[] }): ReactNode {
  const { t } = useTranslation();
  const change = useChange(list);
  const [lifted, setLifted] = useState<Lifted | null>(null);
  const [said, setSaid] = useState("");
  const [editedId, setEditedId] = useState<string | null>(null);
  const place = useRef<HTMLUListElement>(null);
  const helpId = useId();
  const shown = lifted === null ? tasks : moved(tasks, lifted.id, lifted.place);
  const nameOf = ({ text }: Task): string => text.slice(0, NAME_LENGTH);
  const count = tasks.length;

  function say(key: "lifted" | "moved" | "dropped", task: Task, at: number): void {
    setSaid(t(`todo.${key}`, { name: nameOf(task), place: at + 1, count }));
  }

  function lift(task: Task, at: number): void {
    setLifted({ id: task.id, place: at });
    say("lifted", task, at);
  }

  function shift(task: Task, to: number): void {
    const at = Math.min(Math.max(to, 0), count - 1);
    setLifted({ id: task.id, place: at });
    say("moved", task, at);
  }

  function drop(task: Task): void {
    if (lifted === null) return;
    const { id, place: at } = lifted;
    setLifted(null);
    change((all) => moved(all, id, at));
    say("dropped", task, at);
  }

  function putBack(task: Task): void {
    setLifted(null);
    setSaid(t("todo.returned", { name: nameOf(task) }));
  }

  function step(task: Task, to: number): void {
    if (to < 0 || to >= count) return;
    change((all) => moved(all, task.id, to));
    say("moved", task, to);
  }

  function remove(task: Task, at: number): void {
    change((all) => all.filter(({ id }) => id !== task.id));
    // The focus does not stay on a removed button.
    const rows = place.current?.querySelectorAll<HTMLElement>("[data-task] input[type=checkbox]");
    (rows?.[at + 1] ?? rows?.[at - 1])?.focus();
    offerUndo({
      kind: "taskDeleted",
      name: nameOf(task),
      undo: async () => change((all) => all.toSpliced(at, 0, task)),
    });
  }

  return (
    <>
      <ul ref={place} className={classes["tasks"]} aria-label={t("todo.list")}>
        {shown.map((task, at) => (
          <TaskRow
            key={task.id}
            task={task}
            name={nameOf(task)}
            helpId={helpId}
            isFirst={at === 0}
            isLast={at === count - 1}
            isLifted={task.id === lifted?.id}
            isEdited={task.id === editedId}
            onEdit={(isOpen) => setEditedId(isOpen ? task.id : null)}
            onChange={(what) => change((all) => changed(all, task.id, what, nowIso()))}
            onRemove={() => remove(task, at)}
            onLift={() => lift(task, at)}
            onShift={(by) => shift(task, at + by)}
            onStep={(by) => step(task, at + by)}
            onDrop={() => drop(task)}
            onPutBack={() => putBack(task)}
            onDragOver={() => {
              if (lifted !== null && lifted.place !== at) setLifted({ ...lifted, place: at });
            }}
          />
        ))}
      </ul>
      <p id={helpId} className="bc-hidden-text">
        {t("todo.moveHelp")}
      </p>
      <p className="bc-hidden-text" role="status">
        {said}
      </p>
    </>
  );
}
