import type { SimulatorMessage } from "@balcao/contract";
import { Menu } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./message-menu.module.css";

/** What a customer's thumb reaches first. */
const emojis = ["👍", "❤️", "😂", "😮", "😢", "🙏"] as const;

export type MessageActions = {
  reply: (message: SimulatorMessage) => void;
  edit: (message: SimulatorMessage) => void;
  remove: (message: SimulatorMessage) => void;
  /** An empty emoji takes the reaction back. */
  react: (message: SimulatorMessage, emoji: string) => void;
  vote: (message: SimulatorMessage, option: string) => void;
};

type Props = { message: SimulatorMessage; actions: MessageActions };

/** What the customer can do to a message: react, answer, vote, and to his own ones edit and delete. */
export function MessageMenu({ message, actions }: Props): ReactNode {
  const { t } = useTranslation();
  const own = message.reactions.find(({ fromCompany }) => !fromCompany)?.emoji;
  const poll = message.content?.kind === "poll" ? message.content : null;
  if (message.isDeleted) return null;
  return (
    <Menu position="bottom-end" width={210}>
      <Menu.Target>
        <button type="button" className={classes["open"]} aria-label={t("simulator.messageMenu")}>
          <IconChevronDown size={15} stroke={1.9} aria-hidden="true" />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes["emojis"]}>
          {emojis.map((emoji) => (
            <Menu.Item
              key={emoji}
              className={classes["emoji"] ?? ""}
              aria-label={t("simulator.react", { emoji })}
              data-chosen={emoji === own || undefined}
              onClick={() => actions.react(message, emoji === own ? "" : emoji)}
            >
              {emoji}
            </Menu.Item>
          ))}
        </div>
        <Menu.Item onClick={() => actions.reply(message)}>{t("simulator.reply")}</Menu.Item>
        {poll?.options.map((option) => (
          <Menu.Item key={option} onClick={() => actions.vote(message, option)}>
            {t("simulator.vote", { option })}
          </Menu.Item>
        ))}
        {message.fromCustomer && message.kind === "text" ? (
          <Menu.Item onClick={() => actions.edit(message)}>{t("simulator.edit")}</Menu.Item>
        ) : null}
        {message.fromCustomer && message.call === null ? (
          <Menu.Item color="bad" onClick={() => actions.remove(message)}>
            {t("simulator.delete")}
          </Menu.Item>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  );
}
