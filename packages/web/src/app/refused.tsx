import type { Permission } from "@balcao/contract/permissions";
import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import { useSession } from "../features/auth/index.ts";
import { i18n } from "../i18n/index.ts";
import { notifyError } from "../ui/index.ts";
import { lazyPart } from "../ui/lazy-part.tsx";
import { PageLoading } from "./page-states.tsx";

const PlanOffer = lazyPart(
  async () => (await import("./plan-offer.tsx")).PlanOffer,
  "page",
  "programs",
);

/** How long the page of another one's permission stands (spec 6 and 9). */
const REDIRECT_MS = 1_000;

type Props = {
  permission: Permission;
  /** Users who lack it by the plan alone read what the page does; others are sent on at once. */
  offersPlan: true | undefined;
  /** Leads home. */
  children: ReactNode;
};

/** A page that the user may not open: it says so and then leads home, or says what the plan lacks. */
export function Refused({ permission, offersPlan, children }: Props): ReactNode {
  const { lacksPlan } = useSession();
  if (!offersPlan) return <Redirected>{children}</Redirected>;
  return lacksPlan(permission) ? <PlanOffer permission={permission} /> : children;
}

/** Says that the company may not open this page, and then shows what leads home. */
function Redirected({ children }: { children: ReactNode }): ReactNode {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    notifyError(i18n.t("common.pageRefused"));
    const timer = setTimeout(() => setOver(true), REDIRECT_MS);
    return () => clearTimeout(timer);
  }, []);
  return isOver ? children : <PageLoading />;
}
