import type { Permission } from "@balcao/contract/permissions";
import type { Icon } from "@tabler/icons-react";
import {
  IconActivityHeartbeat,
  IconBolt,
  IconDeviceMobileMessage,
  IconMessages,
  IconPlugConnected,
  IconSettings,
  IconSitemap,
  IconTags,
  IconUsers,
} from "@tabler/icons-react";
import type { ComponentType } from "react";
import { ConnectionsWarning } from "../../features/connections/index.ts";

export type MenuEntry = {
  to: string;
  label:
    | "shell.tickets"
    | "shell.simulator"
    | "quickMessages.title"
    | "tags.title"
    | "shell.connections"
    | "shell.queues"
    | "shell.users"
    | "shell.connectionsHealth"
    | "shell.settings";
  icon: Icon;
  /** What stands on the entry when there is something to say. */
  Mark?: ComponentType;
  /** Without it the entry is not there. */
  permission: Permission;
  section: "service" | "administration";
};

/** The main menu, in its order. A new page is one line here and one in `routes.tsx`. */
export const menu: readonly MenuEntry[] = [
  {
    to: "/tickets",
    label: "shell.tickets",
    icon: IconMessages,
    permission: "tickets:work",
    section: "service",
  },
  {
    to: "/quick-messages",
    label: "quickMessages.title",
    icon: IconBolt,
    permission: "quick-messages:use",
    section: "service",
  },
  {
    to: "/tags",
    label: "tags.title",
    icon: IconTags,
    permission: "tags:use",
    section: "service",
  },
  {
    to: "/connections",
    label: "shell.connections",
    icon: IconPlugConnected,
    Mark: ConnectionsWarning,
    permission: "connections:manage",
    section: "administration",
  },
  {
    to: "/queues",
    label: "shell.queues",
    icon: IconSitemap,
    permission: "queues:manage",
    section: "administration",
  },
  {
    to: "/users",
    label: "shell.users",
    icon: IconUsers,
    permission: "users:manage",
    section: "administration",
  },
  {
    to: "/connections-health",
    label: "shell.connectionsHealth",
    icon: IconActivityHeartbeat,
    permission: "connections:read-any",
    section: "administration",
  },
  {
    to: "/settings",
    label: "shell.settings",
    icon: IconSettings,
    permission: "settings:write",
    section: "administration",
  },
  {
    to: "/simulator",
    label: "shell.simulator",
    icon: IconDeviceMobileMessage,
    permission: "simulator:use",
    section: "administration",
  },
];
