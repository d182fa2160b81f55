import type { RouteObject } from "react-router";
import { createBrowserRouter, Navigate } from "react-router";
import { withPageTexts } from "../i18n/index.ts";
import { HOME, PermittedOnly, VisitorsOnly } from "./guards.tsx";
import { NotFound } from "./not-found.tsx";
import { PageLoading } from "./page-loading.tsx";
import { RouteError } from "./route-error.tsx";

/** Every page is its own chunk, loaded when it is first shown. */
const routes: RouteObject[] = [
  {
    ErrorBoundary: RouteError,
    HydrateFallback: PageLoading,
    children: [
      {
        Component: VisitorsOnly,
        children: [
          {
            path: "login",
            lazy: async () => ({
              Component: (await import("../features/auth/login-page.tsx")).LoginPage,
            }),
          },
        ],
      },
      {
        lazy: async () => ({ Component: (await import("./shell/shell.tsx")).Shell }),
        children: [
          {
            // Inside the shell, so that a broken page leaves the menu usable.
            ErrorBoundary: RouteError,
            children: [
              { index: true, element: <Navigate to={HOME} replace /> },
              {
                path: "tickets/:ticketUuid?",
                lazy: async () => ({
                  Component: (await import("../features/tickets/tickets-page.tsx")).TicketsPage,
                }),
              },
              {
                path: "quick-messages",
                lazy: async () => ({
                  Component: (await import("../features/quick-messages/index.ts"))
                    .QuickMessagesPage,
                }),
              },
              {
                path: "tags",
                lazy: async () => ({
                  Component: (await import("../features/tags/tags-page.tsx")).TagsPage,
                }),
              },
              {
                element: <PermittedOnly permission="connections:manage" />,
                children: [
                  {
                    path: "connections",
                    lazy: async () => ({
                      Component: (
                        await withPageTexts(import("../features/connections/connections-page.tsx"))
                      ).ConnectionsPage,
                    }),
                  },
                ],
              },
              {
                element: <PermittedOnly permission="queues:manage" />,
                children: [
                  {
                    path: "queues",
                    lazy: async () => ({
                      Component: (await withPageTexts(import("../features/queues/queues-page.tsx")))
                        .QueuesPage,
                    }),
                  },
                ],
              },
              {
                element: <PermittedOnly permission="users:manage" />,
                children: [
                  {
                    path: "users",
                    lazy: async () => ({
                      Component: (await withPageTexts(import("../features/users/users-page.tsx")))
                        .UsersPage,
                    }),
                  },
                ],
              },
              {
                element: <PermittedOnly permission="connections:read-any" />,
                children: [
                  {
                    path: "connections-health",
                    lazy: async () => ({
                      Component: (
                        await withPageTexts(
                          import("../features/connections/connections-health-page.tsx"),
                        )
                      ).ConnectionsHealthPage,
                    }),
                  },
                ],
              },
              {
                element: <PermittedOnly permission="settings:write" />,
                children: [
                  {
                    path: "settings",
                    lazy: async () => ({
                      Component: (
                        await withPageTexts(import("../features/settings/settings-page.tsx"))
                      ).SettingsPage,
                    }),
                  },
                ],
              },
              {
                element: <PermittedOnly permission="simulator:use" />,
                children: [
                  {
                    path: "simulator",
                    lazy: async () => ({
                      Component: (await withPageTexts(import("../features/simulator/index.ts")))
                        .SimulatorPage,
                    }),
                  },
                ],
              },
            ],
          },
        ],
      },
      { path: "*", Component: NotFound },
    ],
  },
];

export const router = createBrowserRouter(routes);
