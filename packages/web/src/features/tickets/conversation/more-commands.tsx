import { Menu } from "@mantine/core";
import { IconDotsVertical } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../../i18n/index.ts";
import { IconButton } from "../../../ui/index.ts";
import type { TicketCommand } from "./ticket-commands.ts";
import { commandLooks } from "./ticket-commands.ts";

type Props = {
  commands: readonly TicketCommand[];
  isDisabled: boolean;
  onCommand: (command: TicketCommand) => void;
};

/** The menu of commands without an own button. */
export function MoreCommands({ commands, isDisabled, onCommand }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-end" width={264}>
      <Menu.Target>
        <IconButton label={t("tickets.more")} icon={IconDotsVertical} disabled={isDisabled} />
      </Menu.Target>
      <Menu.Dropdown>
        {commands.map((id) => {
          const { icon: Sign, keys } = commandLooks[id];
          return (
            <Menu.Item
              key={id}
              {...(id === "delete" ? { color: "bad" } : {})}
              leftSection={<Sign size={15} stroke={1.7} aria-hidden="true" />}
              rightSection={
                keys === undefined ? null : (
                  <span className="bc-meta" aria-hidden="true">
                    {keys}
                  </span>
                )
              }
              aria-keyshortcuts={keys?.replace(" ", "+")}
              onClick={() => onCommand(id)}
            >
              {t(`tickets.${id}`)}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
