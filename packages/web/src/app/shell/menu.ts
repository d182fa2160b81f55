import type { Permission } from "@balcao/contract/permissions";
import type { Icon } from "@tabler/icons-react";
import { IconDeviceMobileMessage, IconMessages } from "@tabler/icons-react";

export type MenuEntry = {
  to: string;
  label: "shell.tickets" | "shell.simulator";
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
    to: "/simulator",
    label: "shell.simulator",
    icon: IconDeviceMobileMessage,
    permission: "simulator:use",
    section: "administration",
  },
];
