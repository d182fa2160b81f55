import { randomUuid } from "../../api/random-uuid.ts";
import { createStore } from "../../store/index.ts";

/** A task of the personal list (spec 3), which stays in this browser. */
export type Task = {
  id: string;
  text: string;
  isDone: boolean;
  createdAt: string;
  updatedAt: string;
};

export const TASK_MAX = 500;
export const TASKS_MAX = 500;

/** The list of one user; others who sign in at this browser have their own. */
export const keyOf = (user: { id: number; companyId: number }): string =>
  `balcao.tasks.${user.companyId}.${user.id}`;

/** What is stored, if it is a list of tasks: it may be damaged, or of another version. */
export function readTasks(stored: string | null): readonly Task[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(stored ?? "[]");
  } catch {
    return [];
  }
  return Array.isArray(parsed) ? parsed.filter(isTask) : [];
}

function isTask(value: unknown): value is Task {
  if (typeof value !== "object" || value === null) return false;
  const texts = ["id", "text", "createdAt", "updatedAt"] as const;
  return (
    texts.every((name) => typeof Reflect.get(value, name) === "string") &&
    "isDone" in value &&
    typeof value.isDone === "boolean"
  );
}

/** The tasks with a new one at the end; the same ones for a blank text. */
export function added(tasks: readonly Task[], text: string, now: string): readonly Task[] {
  const content = text.trim();
  if (content === "") return tasks;
  const task = { id: randomUuid(), text: content, isDone: false, createdAt: now, updatedAt: now };
  return [...tasks, task];
}

/** The tasks with one of them changed; a blank text changes nothing. */
export function changed(
  tasks: readonly Task[],
  id: string,
  change: Partial<Pick<Task, "text" | "isDone">>,
  now: string,
): readonly Task[] {
  const text = change.text?.trim();
  if (text === "") return tasks;
  return tasks.map((task) =>
    task.id === id
      ? { ...task, ...change, ...(text === undefined ? {} : { text }), updatedAt: now }
      : task,
  );
}

/** The tasks with one of them at another place, from 0. */
export function moved(tasks: readonly Task[], id: string, place: number): readonly Task[] {
  const task = tasks.find((one) => one.id === id);
  if (!task) return tasks;
  return tasks.filter((one) => one !== task).toSpliced(place, 0, task);
}

export type TaskList = ReturnType<typeof openTasks>;

/** The stored list of a user. Other tabs of the browser write it too, so each change begins with what is stored now. */
export function openTasks(key: string) {
  const store = createStore(readTasks(localStorage.getItem(key)));
  const readAgain = (): void => store.set(readTasks(localStorage.getItem(key)));
  return {
    store,
    /** Throws if the browser has no space for it; the list is then as it was. */
    change(how: (tasks: readonly Task[]) => readonly Task[]): void {
      const next = how(readTasks(localStorage.getItem(key)));
      localStorage.setItem(key, JSON.stringify(next));
      store.set(next);
    },
    /** Follows the other tabs. Returns the function that stops it. */
    follow(): () => void {
      const hear = (event: StorageEvent): void => {
        // A key of null: everything was cleared.
        if (event.key === key || event.key === null) readAgain();
      };
      window.addEventListener("storage", hear);
      return () => window.removeEventListener("storage", hear);
    },
  };
}
