import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useCompanyEvent } from "../../realtime/index.ts";
import { simulatorKeys } from "./api.ts";

/** Events of one burst cause one reading. */
const GATHER_MS = 120;

/** Reads again what an event says has changed on the simulated network. */
export function useSimulatorEvents(): void {
  const client = useQueryClient();
  const changed = useRef(new Map<string, readonly unknown[]>());
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);

  function refetchSoon(key: readonly unknown[]): void {
    changed.current.set(JSON.stringify(key), key);
    timer.current ??= setTimeout(() => {
      timer.current = null;
      const keys = [...changed.current.values()];
      changed.current.clear();
      for (const queryKey of keys) void client.invalidateQueries({ queryKey });
    }, GATHER_MS);
  }

  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
    },
    [],
  );
  useCompanyEvent("whatsappSession", () => refetchSoon(simulatorKeys.connections));
  useCompanyEvent("simulator", ({ connectionId, phone }) => {
    if (phone === null) refetchSoon(simulatorKeys.connections);
    else refetchSoon(simulatorKeys.messages({ connectionId, phone }));
    refetchSoon(simulatorKeys.chats(connectionId));
  });
}
