import { Menu } from "@mantine/core";
import { IconChevronDown, IconDotsVertical } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../../i18n/index.ts";
import { IconButton } from "../../../ui/index.ts";
import { useSession } from "../../auth/index.ts";
import { reasonList } from "../../settings/index.ts";
import { useMacroCommands } from "./macro-commands.tsx";
import { keepOpensNext, opensNext } from "./ticket-actions.ts";
import classes from "./conversation.module.css";
import type { TicketCommand } from "./ticket-commands.ts";
import { commandLooks } from "./ticket-commands.ts";

type Props = {
  commands: readonly TicketCommand[];
  isDisabled: boolean;
  onCommand: (command: TicketCommand) => void;
};

/** The menu of commands without an own button, and of the macros. */
export function MoreCommands({ commands, isDisabled, onCommand }: Props): ReactNode {
  const { t } = useTranslation();
  const macros = useMacroCommands();
  return (
    <Menu position="bottom-end" width={264}>
      <Menu.Target>
        <IconButton label={t("tickets.more")} icon={IconDotsVertical} disabled={isDisabled} />
      </Menu.Target>
      <Menu.Dropdown className={classes["menu"]}>
        {commands.map((id) => {
          const { icon: Sign, keys } = commandLooks[id];
          return (
            <Menu.Item
              key={id}
              {...(id === "delete" ? { color: "bad" } : {})}
              leftSection={<Sign size={15} stroke={1.7} aria-hidden="true" />}
              rightSection={<Keys keys={keys} />}
              aria-keyshortcuts={keys?.replace(" ", "+")}
              onClick={() => onCommand(id)}
            >
              {t(`tickets.${id}`)}
            </Menu.Item>
          );
        })}
        {macros.length === 0 ? null : (
          <>
            <Menu.Divider />
            <Menu.Label>{t("macros.title")}</Menu.Label>
            {macros.map(({ id, name, icon: Sign, keys, run }) => (
              <Menu.Item
                key={id}
                leftSection={<Sign size={15} stroke={1.7} aria-hidden="true" />}
                rightSection={<Keys keys={keys} />}
                onClick={run}
              >
                {name}
              </Menu.Item>
            ))}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function Keys({ keys }: { keys: string | undefined }): ReactNode {
  return keys === undefined ? null : (
    <span className="bc-meta" aria-hidden="true">
      {keys}
    </span>
  );
}

type ResolveProps = { className: string; isDisabled: boolean; onAsk: () => void };

/** How the user resolves tickets: with a reason, and with the next conversation opened after it. */
export function ResolveMenu({ className, isDisabled, onAsk }: ResolveProps): ReactNode {
  const { t } = useTranslation();
  const { user } = useSession();
  const { data: reasons = [] } = useQuery(reasonList.query);
  const [isOpeningNext, setOpeningNext] = useState(() => opensNext(user.id));
  const { icon: ReasonSign } = commandLooks.resolveAsking;
  function toggle(): void {
    keepOpensNext(user.id, !isOpeningNext);
    setOpeningNext(!isOpeningNext);
  }
  return (
    <Menu position="bottom-end" width={264}>
      <Menu.Target>
        <IconButton
          className={className}
          label={t("tickets.resolveOptions")}
          icon={IconChevronDown}
          disabled={isDisabled}
        />
      </Menu.Target>
      <Menu.Dropdown>
        {reasons.length === 0 ? null : (
          <Menu.Item
            leftSection={<ReasonSign size={15} stroke={1.7} aria-hidden="true" />}
            onClick={onAsk}
          >
            {t("tickets.resolveAsking")}
          </Menu.Item>
        )}
        <Menu.CheckboxItem checked={isOpeningNext} onChange={toggle}>
          {t("tickets.opensNext")}
        </Menu.CheckboxItem>
      </Menu.Dropdown>
    </Menu>
  );
}
