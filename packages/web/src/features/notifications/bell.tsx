import { IconBell } from "@tabler/icons-react";
import type { ComponentProps, ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import { CountBadge } from "../../ui/count-badge.tsx";
import { useMentions } from "./mentions.ts";
import { useUnreadTickets } from "./unread-tickets.ts";

/** The bell with the number of tickets with unread messages and of unread mentions. */
export function Bell(props: Omit<ComponentProps<typeof IconButton>, "label" | "icon">): ReactNode {
  const { t } = useTranslation();
  const { count: tickets } = useUnreadTickets();
  const mentions = useMentions().length;
  return (
    <IconButton
      {...props}
      label={nameOf()}
      icon={IconBell}
      badge={<CountBadge count={tickets + mentions} />}
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
