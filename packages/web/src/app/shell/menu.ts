import type { Permission } from "@balcao/contract/permissions";
import type { Icon } from "@tabler/icons-react";
import { IconBolt, IconDeviceMobileMessage, IconMessages, IconTags } from "@tabler/icons-react";

export type MenuEntry = {
  to: string;
  label: "shell.tickets" | "shell.simulator" | "quickMessages.title" | "tags.title";
  icon: Icon;
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
    to: "/simulator",
    label: "shell.simulator",
    icon: IconDeviceMobileMessage,
    permission: "simulator:use",
    section: "administration",
  },
];
