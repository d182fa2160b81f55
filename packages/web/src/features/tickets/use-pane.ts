import { useState } from "react";
import { useLocation } from "react-router";
import type { Pane } from "./pane-switch.tsx";

/**
 * The pane on a narrow screen: the ticket whenever one is opened, be it the same once more, the list when none is.
 */
export function usePane(ticketUuid: string | undefined): {
  pane: Pane;
  setPane: (pane: Pane) => void;
} {
  // Each step has its own key, also one to the address where one is.
  const { key } = useLocation();
  const [chosen, setChosen] = useState({ key, pane: paneFor(ticketUuid) });
  if (chosen.key !== key) setChosen({ key, pane: paneFor(ticketUuid) });
  return { pane: chosen.pane, setPane: (pane) => setChosen({ key, pane }) };
}

function paneFor(ticketUuid: string | undefined): Pane {
  return ticketUuid === undefined ? "list" : "ticket";
}
