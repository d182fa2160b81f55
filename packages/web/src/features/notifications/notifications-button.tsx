import { limits } from "@balcao/contract/limits";
import { Popover } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconBell } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton, ListSkeleton } from "../../ui/index.ts";
import classes from "./notifications-button.module.css";
import { useUnreadTickets } from "./use-unread-tickets.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";

// Most page visits never open it.
const UnreadList = lazyPart(async () => (await import("./unread-list.tsx")).UnreadList);

const COUNT_MAX = 99;

/** The bell with how many tickets have unread messages; pressed, it lists them. */
export function NotificationsButton(): ReactNode {
  const { t } = useTranslation();
  const { count } = useUnreadTickets();
  const [isOpen, setOpen] = useState(false);
  const isNarrow = useMediaQuery(`(max-width: ${limits.drawerOverlayBelowPx - 1}px)`);
  const shown = count > COUNT_MAX ? `${COUNT_MAX}+` : String(count);
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      width={isNarrow ? 320 : 360}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <IconButton
          label={count === 0 ? t("notifications.open") : t("notifications.openCount", { count })}
          icon={IconBell}
          isActive={isOpen}
          badge={
            count === 0 ? null : (
              <span className={classes["badge"]} aria-hidden="true">
                {shown}
              </span>
            )
          }
          onClick={() => setOpen(!isOpen)}
        />
      </Popover.Target>
      <Popover.Dropdown className={classes["panel"] ?? ""} aria-label={t("notifications.title")}>
        <Suspense fallback={<ListSkeleton />}>
          <UnreadList onChosen={() => setOpen(false)} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
