import type { Permission } from "@balcao/contract/permissions";
import type { Icon } from "@tabler/icons-react";
import {
  IconActivityHeartbeat,
  IconBolt,
  IconDeviceMobileMessage,
  IconMessages,
  IconPlugConnected,
  IconTags,
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
    | "connections.title"
    | "connections.health.title";
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
    label: "connections.title",
    icon: IconPlugConnected,
    Mark: ConnectionsWarning,
    permission: "connections:manage",
    section: "administration",
  },
  {
    to: "/connections-health",
    label: "connections.health.title",
    icon: IconActivityHeartbeat,
    permission: "connections:read-any",
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
