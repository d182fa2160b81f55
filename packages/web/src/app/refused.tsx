import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import { i18n } from "../i18n/index.ts";
import { notifyError } from "../ui/index.ts";
import { PageLoading } from "./page-states.tsx";

/** How long the page of another one's permission stands (spec 6 and 9). */
const REDIRECT_MS = 1_000;

/** Says that the company may not open this page, and then shows what leads home. */
export function Refused({ children }: { children: ReactNode }): ReactNode {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    notifyError(i18n.t("common.pageRefused"));
    const timer = setTimeout(() => setOver(true), REDIRECT_MS);
    return () => clearTimeout(timer);
  }, []);
  return isOver ? children : <PageLoading />;
}
