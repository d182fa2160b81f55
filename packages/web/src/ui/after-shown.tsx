import { useIsFetching } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Suspense, useEffect, useState } from "react";
import { createStore, useStore } from "../store/index.ts";

/** The page has shown when nothing was read for this long. */
const SETTLED_MS = 500;

/** Later pages of this visit find the code there, so their parts come at once. */
let hasOneShown = false;

const loadingPages = createStore(0);

/** True while a page's code loads and nothing is shown. */
export function useIsPageLoading(): boolean {
  return useStore(loadingPages) > 0;
}

/** A page's code is on its way, until the returned function is called. */
export function announcePageLoading(): () => void {
  loadingPages.set(loadingPages.get() + 1);
  return () => loadingPages.set(loadingPages.get() - 1);
}

type Props = {
  /** Another page is on its way. */
  isPageLoading?: boolean;
  /** Lazy parts. */
  children: ReactNode;
};

/** Renders its parts once the first page has shown, which needs none of their code. */
export function AfterShown({ isPageLoading: isOther = false, children }: Props): ReactNode {
  const isReading = useIsFetching() > 0;
  const isPageLoading = useIsPageLoading() || isOther;
  const [hasShown, setHasShown] = useState(hasOneShown);
  useEffect(() => {
    if (isPageLoading || isReading) return undefined;
    const timer = setTimeout(() => {
      hasOneShown = true;
      setHasShown(true);
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [isPageLoading, isReading]);
  return <Suspense fallback={null}>{hasShown ? children : null}</Suspense>;
}
