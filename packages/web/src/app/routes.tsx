import type { Permission } from "@balcao/contract/permissions";
import type { ComponentType, ReactNode } from "react";
import { Suspense } from "react";
import { Navigate, Outlet, Route, Routes } from "react-router";
import { withPageTexts } from "../i18n/index.ts";
import { lazyPart } from "../ui/lazy-part.tsx";
import { HOME, PermittedOnly, VisitorsOnly } from "./guards.tsx";
import { NotFound } from "./not-found.tsx";
import { PageBoundary } from "./page-boundary.tsx";
import { PageLoading } from "./page-loading.tsx";

const Shell = page(async () => (await import("./shell/shell.tsx")).Shell);
const LoginPage = page(async () => (await import("../features/auth/login-page.tsx")).LoginPage);
const TicketsPage = page(
  async () => (await import("../features/tickets/tickets-page.tsx")).TicketsPage,
);
const QuickMessagesPage = page(
  async () => (await import("../features/quick-messages/index.ts")).QuickMessagesPage,
);
const TagsPage = page(async () => (await import("../features/tags/tags-page.tsx")).TagsPage);
const ConnectionsPage = page(
  async () =>
    (await withPageTexts(import("../features/connections/connections-page.tsx"))).ConnectionsPage,
);
const QueuesPage = page(
  async () => (await withPageTexts(import("../features/queues/queues-page.tsx"))).QueuesPage,
);
const UsersPage = page(
  async () => (await withPageTexts(import("../features/users/users-page.tsx"))).UsersPage,
);
const ConnectionsHealthPage = page(
  async () =>
    (await withPageTexts(import("../features/connections/connections-health-page.tsx")))
      .ConnectionsHealthPage,
);
const SettingsPage = page(
  async () => (await withPageTexts(import("../features/settings/settings-page.tsx"))).SettingsPage,
);
const SimulatorPage = page(
  async () => (await withPageTexts(import("../features/simulator/index.ts"))).SimulatorPage,
);

/** Pages that need a permission. Every page's code is loaded when it is first shown. */
const guarded: readonly (readonly [path: string, Permission, ComponentType])[] = [
  ["connections", "connections:manage", ConnectionsPage],
  ["queues", "queues:manage", QueuesPage],
  ["users", "users:manage", UsersPage],
  ["connections-health", "connections:read-any", ConnectionsHealthPage],
  ["settings", "settings:write", SettingsPage],
  ["simulator", "simulator:use", SimulatorPage],
];

/** All addresses of the product. */
export function Pages(): ReactNode {
  return (
    <Routes>
      <Route element={<Guarded />}>
        <Route element={<VisitorsOnly />}>
          <Route path="login" element={<LoginPage />} />
        </Route>
        <Route element={<Shell />}>
          {/* Inside the shell too, so that a broken page leaves the menu usable. */}
          <Route element={<Guarded />}>
            <Route index element={<Navigate to={HOME} replace />} />
            <Route path="tickets/:ticketUuid?" element={<TicketsPage />} />
            <Route path="quick-messages" element={<QuickMessagesPage />} />
            <Route path="tags" element={<TagsPage />} />
            {guarded.map(([path, permission, Page]) => (
              <Route key={path} element={<PermittedOnly permission={permission} />}>
                <Route path={path} element={<Page />} />
              </Route>
            ))}
          </Route>
        </Route>
        <Route path="*" element={<NotFound />} />
      </Route>
    </Routes>
  );
}

function page(load: () => Promise<ComponentType>): ComponentType {
  return lazyPart(load, "page");
}

function Guarded(): ReactNode {
  return (
    <PageBoundary>
      <Suspense fallback={<PageLoading />}>
        <Outlet />
      </Suspense>
    </PageBoundary>
  );
}
