import type { Permission } from "@balcao/contract/permissions";
import type { Icon } from "@tabler/icons-react";
import {
  IconActivityHeartbeat,
  IconAddressBook,
  IconApi,
  IconBolt,
  IconCalendarEvent,
  IconChartBar,
  IconChecklist,
  IconClipboardText,
  IconDeviceMobileMessage,
  IconFile,
  IconHelpCircle,
  IconLayoutDashboard,
  IconLayoutKanban,
  IconListDetails,
  IconMessages,
  IconPlugConnected,
  IconReceipt,
  IconRobot,
  IconSettings,
  IconSitemap,
  IconSpeakerphone,
  IconTags,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
} from "@tabler/icons-react";
import type { ComponentType } from "react";
import { ConnectionsWarning } from "../features/connections/index.ts";
import { ImportMark } from "../features/contact-imports/index.ts";
import type { PlainTextKey } from "../i18n/index.ts";
import { firstPage, page } from "../ui/lazy-part.tsx";

type MenuPage = {
  /** Also the name of the page's file: `tags` is `features/…/tags-page.tsx` (`vite.config.ts` relies on it). */
  path: string;
  /** Further segments that the address may have after the path. */
  rest?: `:${string}?`;
  label: PlainTextKey;
  icon: Icon;
  section: "service" | "administration";
  /** Users without it, also by their plan, neither see the entry nor reach the page. */
  permission: Permission;
  /** Users who open its address without the permission are told that (spec 6). */
  saysRefusal?: true;
  /** Users who lack it by the plan alone read at its address what the page does. */
  offersPlan?: true;
  /** The first of these that a role may see is its home (spec 2). */
  isHome?: true;
  /** It stands in the tabs of this page, whose entry of the menu is marked on it; in the menu only for users without that page. */
  tabOf?: string;
  /** Warns on the menu's entry: a lazy part. */
  Mark?: ComponentType;
  Page: ComponentType;
};

/** The one page that opens when the subscription has ended. */
export const INVOICES = "financeiro";

/** The pages in the order of the menu: for menu, routes, palette, the browser's tab and the home of each role. */
export const pages: readonly MenuPage[] = [
  {
    // The page's file is `dashboard-page.tsx`.
    path: "",
    label: "dashboard.title",
    icon: IconLayoutDashboard,
    section: "administration",
    permission: "dashboard:view",
    isHome: true,
    Page: page(
      async () => (await import("../features/dashboard/dashboard-page.tsx")).DashboardPage,
      "figures",
    ),
  },
  {
    path: "tickets",
    rest: ":ticketUuid?",
    label: "shell.tickets",
    icon: IconMessages,
    section: "service",
    permission: "tickets:work",
    isHome: true,
    Page: firstPage(async () => (await import("../features/tickets/tickets-page.tsx")).TicketsPage),
  },
  {
    path: "quick-messages",
    label: "quickMessages.title",
    icon: IconBolt,
    section: "service",
    permission: "quick-messages:use",
    Page: page(
      async () =>
        (await import("../features/quick-messages/quick-messages-page.tsx")).QuickMessagesPage,
    ),
  },
  {
    path: "kanban",
    label: "kanban.title",
    icon: IconLayoutKanban,
    section: "service",
    permission: "kanban:use",
    Page: page(
      async () => (await import("../features/kanban/kanban-page.tsx")).KanbanPage,
      "kanban",
    ),
  },
  {
    path: "contacts",
    rest: ":part?/:item?",
    label: "contacts.title",
    icon: IconAddressBook,
    section: "service",
    permission: "contacts:work",
    Mark: ImportMark,
    Page: page(
      async () => (await import("../features/contacts/contacts-page.tsx")).ContactsPage,
      "rare",
    ),
  },
  {
    path: "schedules",
    label: "schedules.title",
    icon: IconCalendarEvent,
    section: "service",
    permission: "schedules:use",
    Page: page(
      async () => (await import("../features/schedules/schedules-page.tsx")).SchedulesPage,
      "rare",
    ),
  },
  {
    path: "tags",
    label: "tags.title",
    icon: IconTags,
    section: "service",
    permission: "tags:use",
    Page: page(async () => (await import("../features/tags/tags-page.tsx")).TagsPage),
  },
  {
    path: "chats",
    rest: ":chatUuid?",
    label: "chats.title",
    icon: IconUsersGroup,
    section: "service",
    permission: "chats:use",
    Page: page(
      async () => (await import("../features/chats/chats-page.tsx")).ChatsPage,
      "teamwork",
    ),
  },
  {
    path: "todolist",
    label: "todo.title",
    icon: IconChecklist,
    section: "service",
    permission: "tickets:work",
    Page: page(
      async () => (await import("../features/todolist/todolist-page.tsx")).TodolistPage,
      "teamwork",
    ),
  },
  {
    path: "helps",
    label: "helps.title",
    icon: IconHelpCircle,
    section: "service",
    permission: "helps:read",
    Page: page(
      async () => (await import("../features/helps/helps-page.tsx")).HelpsPage,
      "teamwork",
    ),
  },
  {
    path: "reports",
    label: "reports.title",
    icon: IconClipboardText,
    section: "administration",
    permission: "reports:view",
    Page: page(
      async () => (await import("../features/reports/reports-page.tsx")).ReportsPage,
      "figures",
    ),
  },
  {
    path: "campaigns",
    rest: ":campaignId?",
    label: "campaigns.title",
    icon: IconSpeakerphone,
    section: "administration",
    permission: "campaigns:use",
    Page: page(
      async () => (await import("../features/campaigns/campaigns-page.tsx")).CampaignsPage,
      "campaigns",
    ),
  },
  {
    path: "contact-lists",
    rest: ":contactListId?/:part?/:item?",
    label: "contactLists.title",
    icon: IconListDetails,
    section: "administration",
    permission: "contact-lists:manage",
    tabOf: "campaigns",
    Page: page(
      async () =>
        (await import("../features/contact-lists/contact-lists-page.tsx")).ContactListsPage,
      "rare",
    ),
  },
  {
    path: "connections",
    label: "shell.connections",
    icon: IconPlugConnected,
    section: "administration",
    permission: "connections:manage",
    Mark: ConnectionsWarning,
    Page: page(
      async () => (await import("../features/connections/connections-page.tsx")).ConnectionsPage,
      "admin",
    ),
  },
  {
    path: "queues",
    label: "shell.queues",
    icon: IconSitemap,
    section: "administration",
    permission: "queues:manage",
    Page: page(
      async () => (await import("../features/queues/queues-page.tsx")).QueuesPage,
      "admin",
    ),
  },
  {
    path: "users",
    label: "shell.users",
    icon: IconUsers,
    section: "administration",
    permission: "users:manage",
    Page: page(async () => (await import("../features/users/users-page.tsx")).UsersPage, "admin"),
  },
  {
    path: "prompts",
    label: "prompts.title",
    icon: IconRobot,
    section: "administration",
    permission: "knowledge:manage",
    saysRefusal: true,
    Page: page(
      async () => (await import("../features/prompts/prompts-page.tsx")).PromptsPage,
      "admin",
    ),
  },
  {
    path: "queue-integration",
    label: "integrations.title",
    icon: IconWebhook,
    section: "administration",
    permission: "integrations:manage",
    offersPlan: true,
    Page: page(
      async () =>
        (await import("../features/integrations/queue-integration-page.tsx")).QueueIntegrationPage,
      "programs",
    ),
  },
  {
    path: "messages-api",
    label: "api.title",
    icon: IconApi,
    section: "administration",
    permission: "api:manage",
    offersPlan: true,
    Page: page(
      async () => (await import("../features/api/messages-api-page.tsx")).MessagesApiPage,
      "programs",
    ),
  },
  {
    path: "files",
    label: "fileLists.menu",
    icon: IconFile,
    section: "administration",
    permission: "file-lists:manage",
    tabOf: "campaigns",
    Page: page(
      async () => (await import("../features/file-lists/files-page.tsx")).FilesPage,
      "rare",
    ),
  },
  {
    path: "campaigns-config",
    label: "campaignConfig.title",
    icon: IconSettings,
    section: "administration",
    permission: "campaigns:manage",
    tabOf: "campaigns",
    Page: page(
      async () =>
        (await import("../features/campaigns/campaigns-config-page.tsx")).CampaignsConfigPage,
      "campaigns",
    ),
  },
  {
    path: "connections-health",
    label: "shell.connectionsHealth",
    icon: IconActivityHeartbeat,
    section: "administration",
    permission: "connections:read-any",
    Page: page(
      async () =>
        (await import("../features/connections/connections-health-page.tsx")).ConnectionsHealthPage,
      "admin",
    ),
  },
  {
    path: "operation",
    label: "shell.operation",
    icon: IconChartBar,
    section: "administration",
    permission: "companies:manage-any",
    Page: page(
      async () => (await import("../features/operation/operation-page.tsx")).OperationPage,
      "operation",
    ),
  },
  {
    path: "announcements",
    label: "announcements.title",
    icon: IconSpeakerphone,
    section: "administration",
    permission: "announcements:manage",
    saysRefusal: true,
    Page: page(
      async () =>
        (await import("../features/announcements/announcements-page.tsx")).AnnouncementsPage,
      "teamwork",
    ),
  },
  {
    path: INVOICES,
    label: "invoices.title",
    icon: IconReceipt,
    section: "administration",
    permission: "invoices:pay",
    Page: page(
      async () => (await import("../features/invoices/financeiro-page.tsx")).FinanceiroPage,
      "provider",
    ),
  },
  {
    path: "settings",
    label: "shell.settings",
    icon: IconSettings,
    section: "administration",
    permission: "settings:write",
    Page: page(
      async () => (await import("../features/settings/settings-page.tsx")).SettingsPage,
      "admin",
    ),
  },
  {
    path: "simulator",
    label: "shell.simulator",
    icon: IconDeviceMobileMessage,
    section: "administration",
    permission: "simulator:use",
    Page: page(
      async () => (await import("../features/simulator/simulator-page.tsx")).SimulatorPage,
      "rare",
    ),
  },
];

/** The entries of the menu: pages that stand in the tabs of another one are left out where the user reaches that. */
export function menuOf(can: (permission: Permission) => boolean): readonly MenuPage[] {
  const reached = pages.filter(({ permission }) => can(permission));
  return reached.filter(({ tabOf }) => !reached.some(({ path }) => path === tabOf));
}

/** The home page of a role. */
export function homeOf(
  can: (permission: Permission) => boolean,
  from: readonly Pick<MenuPage, "path" | "permission" | "isHome">[] = pages,
): string {
  const home = from.find(({ isHome, permission }) => isHome && can(permission));
  return `/${home?.path ?? "tickets"}`;
}
