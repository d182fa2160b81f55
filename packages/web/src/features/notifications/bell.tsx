import { IconBell } from "@tabler/icons-react";
import type { ComponentProps, ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import classes from "./bell.module.css";
import { useUnreadTickets } from "./unread-tickets.ts";

const COUNT_MAX = 99;

/** The bell with the number of tickets with unread messages. */
export function Bell(props: Omit<ComponentProps<typeof IconButton>, "label" | "icon">): ReactNode {
  const { t } = useTranslation();
  const { count } = useUnreadTickets();
  const shown = count > COUNT_MAX ? `${COUNT_MAX}+` : String(count);
  return (
    <IconButton
      {...props}
      label={count === 0 ? t("notifications.open") : t("notifications.openCount", { count })}
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
}
