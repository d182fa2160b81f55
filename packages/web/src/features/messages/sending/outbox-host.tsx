import type { ReactNode } from "react";
import { Suspense, useEffect, useState } from "react";
import { useIsFetching } from "@tanstack/react-query";
import { lazyPart } from "../../../ui/lazy-part.tsx";

/** The page has shown when nothing was read for this long. */
const SETTLED_MS = 500;

const OutboxKeeper = lazyPart(
  async () => (await import("./sending.ts")).OutboxKeeper,
  "over",
  "first",
);

/**
 * Sends what waits in the queues of all tickets. Its code loads after the first page has shown, which needs none of it.
 * `isPageLoading`: the code of the page is still on its way.
 */
export function OutboxHost({ isPageLoading }: { isPageLoading: boolean }): ReactNode {
  const isReading = useIsFetching() > 0;
  const [hasShown, setHasShown] = useState(false);
  useEffect(() => {
    if (isPageLoading || isReading) return undefined;
    const timer = setTimeout(() => setHasShown(true), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [isPageLoading, isReading]);
  return <Suspense fallback={null}>{hasShown ? <OutboxKeeper /> : null}</Suspense>;
}

/** How many messages of the user have not left this browser. Rejects when its code cannot be loaded. */
export async function countUnsent(): Promise<number> {
  return (await import("./sending.ts")).unsentCount();
}
