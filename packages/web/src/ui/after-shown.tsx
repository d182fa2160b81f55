import { useIsFetching } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Suspense, useEffect, useState } from "react";

/** The page has shown when nothing was read for this long. */
const SETTLED_MS = 500;

/** Later pages of this visit find the code there, so their parts come at once. */
let hasOneShown = false;

type Props = {
  /** The code of the page is still on its way. */
  isPageLoading?: boolean;
  /** Lazy parts. */
  children: ReactNode;
};

/** Renders its parts once the first page has shown, which needs none of their code. */
export function AfterShown({ isPageLoading = false, children }: Props): ReactNode {
  const isReading = useIsFetching() > 0;
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
