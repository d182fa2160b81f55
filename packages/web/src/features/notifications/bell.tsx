import { IconBell } from "@tabler/icons-react";
import type { ComponentProps, ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import classes from "./bell.module.css";
import { useMentions } from "./mentions.ts";
import { useUnreadTickets } from "./unread-tickets.ts";

const COUNT_MAX = 99;

/** The bell with the number of tickets with unread messages and of unread mentions. */
export function Bell(props: Omit<ComponentProps<typeof IconButton>, "label" | "icon">): ReactNode {
  const { t } = useTranslation();
  const { count: tickets } = useUnreadTickets();
  const mentions = useMentions().length;
  const count = tickets + mentions;
  const shown = count > COUNT_MAX ? `${COUNT_MAX}+` : String(count);
  return (
    <IconButton
      {...props}
      label={nameOf()}
      icon={IconBell}
      badge={
        count === 0 ? null : (
          <span className={classes["badge"]} aria-hidden="true">
            {shown}
          </span>
        )
      }
    />
  );

  function nameOf(): string {
    const parts = [
      tickets === 0 ? "" : t("notifications.openCount", { count: tickets }),
      mentions === 0 ? "" : t("notifications.mentionCount", { count: mentions }),
    ].filter(Boolean);
    return parts.length === 0 ? t("notifications.open") : parts.join(", ");
  }
}
