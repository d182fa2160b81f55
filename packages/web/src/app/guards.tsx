import type { Permission } from "@balcao/contract/permissions";
import type { ReactNode } from "react";
import type { Location } from "react-router";
import { Navigate, Outlet, useLocation } from "react-router";
import { lastSignOut } from "../api/session-store.ts";
import { useSession, useStoredSession } from "../features/auth/index.ts";

export const HOME = "/tickets";

/** Private pages. Others are sent to sign in and come back here afterwards, except who just signed out. */
export function SignedInOnly({ children }: { children: ReactNode }): ReactNode {
  const location = useLocation();
  if (useStoredSession()) return children;
  const state = lastSignOut() === "logout" ? null : { from: location };
  return <Navigate to="/login" replace state={state} />;
}

/** Public pages. Whoever is signed in goes on to where he wanted to go. */
export function VisitorsOnly(): ReactNode {
  const location: Location<unknown> = useLocation();
  if (!useStoredSession()) return <Outlet />;
  return <Navigate to={originOf(location.state)} replace />;
}

/** Pages of one permission; without it there is nothing to see, so one goes home. */
export function PermittedOnly({ permission }: { permission: Permission }): ReactNode {
  const { can } = useSession();
  return can(permission) ? <Outlet /> : <Navigate to={HOME} replace />;
}

/** The address in what `SignedInOnly` left in the history, which a browser keeps over restarts. */
function originOf(state: unknown): string {
  if (typeof state !== "object" || state === null || !("from" in state)) return HOME;
  const { from } = state;
  if (typeof from !== "object" || from === null) return HOME;
  if (!("pathname" in from) || typeof from.pathname !== "string") return HOME;
  const search = "search" in from && typeof from.search === "string" ? from.search : "";
  // Two slashes would leave the site.
  return from.pathname.startsWith("//") ? HOME : from.pathname + search;
}
