import type { ReactNode } from "react";
import { useEffect } from "react";
import { LiveQueues, refreshQueues } from "../../features/queues/index.ts";
import { LiveSettings } from "../../features/settings/index.ts";

/** Keeps current what every signed-in page may read of the company: its queues, settings and opening hours. */
export function LiveData(): ReactNode {
  // Loaded after the page, so queues may have been read before their events were followed.
  useEffect(refreshQueues, []);
  return (
    <>
      <LiveQueues />
      <LiveSettings />
    </>
  );
}
