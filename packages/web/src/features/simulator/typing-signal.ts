import { useEffect, useRef } from "react";
import type { ChatAddress } from "./api.ts";
import { typeAsCustomer } from "./api.ts";

/** The other side forgets a typing sign by itself, so it is repeated while typing goes on. */
const REPEAT_MS = 3_000;
/** Nothing typed for this long is a pause. */
const IDLE_MS = 2_500;

/** Tells the company that the customer types. A lost sign is not worth a word to anybody. */
export function useTypingSignal({ connectionId, phone }: ChatAddress): {
  typed: () => void;
  stopped: () => void;
} {
  const startedAtMs = useRef(0);
  const idle = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  function send(on: boolean): void {
    typeAsCustomer({ connectionId, phone }, on).catch(() => undefined);
  }

  function stopped(): void {
    clearTimeout(idle.current);
    if (startedAtMs.current === 0) return;
    startedAtMs.current = 0;
    send(false);
  }

  function typed(): void {
    clearTimeout(idle.current);
    idle.current = setTimeout(stopped, IDLE_MS);
    if (Date.now() - startedAtMs.current < REPEAT_MS) return;
    startedAtMs.current = Date.now();
    send(true);
  }

  useEffect(
    () => () => {
      clearTimeout(idle.current);
      if (startedAtMs.current === 0) return;
      startedAtMs.current = 0;
      typeAsCustomer({ connectionId, phone }, false).catch(() => undefined);
    },
    [connectionId, phone],
  );

  return { typed, stopped };
}
