import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { constants, setPriority } from "node:os";

export type Child = {
  /** Sends a wish and resolves with the next answer; rejects when the process ends instead. */
  ask<Answer>(wish: unknown): Promise<Answer>;
  stop(): void;
};

/** A script of this folder in a process of its own, run like this one, or at low priority. */
export function startChild(script: string, { isLow = false } = {}): Child {
  const child: ChildProcess = fork(new URL(script, import.meta.url));
  if (isLow && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  return {
    async ask<Answer>(wish: unknown) {
      const answered = new AbortController();
      const { signal } = answered;
      const ended = once(child, "exit", { signal }).then(() => {
        throw new Error(`${script} ended before it answered`);
      });
      ended.catch(() => undefined); // it lost the race below
      child.send(wish as object);
      const [answer] = await Promise.race([once(child, "message", { signal }), ended]);
      answered.abort();
      return answer as Answer; // the script and its caller share the type
    },
    stop: () => void child.kill(),
  };
}
