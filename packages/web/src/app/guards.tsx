import type { Permission } from "@balcao/contract/permissions";
import type { ReactNode } from "react";
import { lazyPart } from "../ui/lazy-part.tsx";
import { Navigate, Outlet, useLocation } from "../router/index.tsx";
import { lastSignOut } from "../api/session-store.ts";
import { PageSession, useSession, useStoredSession } from "../features/auth/index.ts";
import { PageLoading } from "./page-states.tsx";
import { homeOf } from "./pages.ts";

/** Redirects to the home page of the user's role. */
export function Home(): ReactNode {
  return <Navigate to={homeOf(useSession().can)} replace />;
}

/** A private page. A visitor is sent to sign in and returns here afterwards, except after signing out. */
export function SignedInOnly({ children }: { children: ReactNode }): ReactNode {
  const location = useLocation();
  const session = useStoredSession();
  if (session) return <PageSession value={session}>{children}</PageSession>;
  const state = lastSignOut() === "logout" ? null : { from: location };
  return <Navigate to="/login" replace state={state} />;
}

/** Public pages. A signed-in user is redirected to the requested page. */
export function VisitorsOnly(): ReactNode {
  const location = useLocation();
  if (!useStoredSession()) return <Outlet />;
  return <Navigate to={originOf(location.state)} replace />;
}

const Refused = lazyPart(async () => (await import("./refused.tsx")).Refused, "page");

type PermittedProps = {
  permission: Permission;
  /** Users without it are told before they are sent home. */
  saysRefusal?: true | undefined;
  /** Users who lack it by the plan alone read what the page does. */
  offersPlan?: true | undefined;
  children: ReactNode;
};

/** A page that needs a permission; users without it are sent home. */
export function PermittedOnly(props: PermittedProps): ReactNode {
  const { permission, saysRefusal, offersPlan, children } = props;
  const { can, isUndecided } = useSession();
  if (can(permission)) return children;
  if (isUndecided(permission)) return <PageLoading />;
  return saysRefusal || offersPlan ? (
    <Refused permission={permission} offersPlan={offersPlan}>
      <Home />
    </Refused>
  ) : (
    <Home />
  );
}

/** The address that `SignedInOnly` stored in the history entry, or the home page. */
function originOf(state: unknown): string {
  if (typeof state !== "object" || state === null || !("from" in state)) return "/";
  const { from } = state;
  if (typeof from !== "object" || from === null) return "/";
  if (!("pathname" in from) || typeof from.pathname !== "string") return "/";
  const search = "search" in from && typeof from.search === "string" ? from.search : "";
  // Two slashes would lead to another site.
  return from.pathname.startsWith("//") ? "/" : from.pathname + search;
}
