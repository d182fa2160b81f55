import { limits } from "@balcao/contract/limits";
import { Popover } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { ListSkeleton } from "../../ui/index.ts";
import { Bell } from "./bell.tsx";
import classes from "./notifications-popover.module.css";
import { lazyPart } from "../../ui/lazy-part.tsx";

// Most page visits never open it.
const UnreadList = lazyPart(async () => (await import("./unread-list.tsx")).UnreadList);

/** The bell with the number of tickets with unread messages; a press lists them. */
export function NotificationsPopover(): ReactNode {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const isNarrow = useMediaQuery(`(max-width: ${limits.drawerOverlayBelowPx - 1}px)`);
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
        <Bell isActive={isOpen} onClick={() => setOpen(!isOpen)} />
      </Popover.Target>
      <Popover.Dropdown className={classes["panel"] ?? ""} aria-label={t("notifications.title")}>
        <Suspense fallback={<ListSkeleton />}>
          <UnreadList onChosen={() => setOpen(false)} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
