import { IconMessageCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useStore } from "../../store/index.ts";
import { CountBadge } from "../../ui/count-badge.tsx";
import type { IconTargetProps } from "../../ui/index.ts";
import { IconButton } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { OnDemand } from "../../ui/on-demand.tsx";
import { useSession } from "../auth/index.ts";
import { unreadChats } from "./unread.ts";

const ChatsPopover = lazyPart(
  async () => (await import("./chats-popover.tsx")).ChatsPopover,
  "inline",
  "teamwork",
);

/** The internal chats with the number of unread ones; a press lists them. Nothing where the plan has none. */
export function ChatsButton(): ReactNode {
  const { can } = useSession();
  if (!can("chats:use")) return null;
  return (
    <OnDemand
      part={ChatsPopover}
      standIn={<ChatsTarget aria-haspopup="dialog" aria-expanded={false} />}
    >
      <ChatsPopover target={ChatsTarget} />
    </OnDemand>
  );
}

function ChatsTarget(props: IconTargetProps): ReactNode {
  const { t } = useTranslation();
  const count = useStore(unreadChats);
  return (
    <IconButton
      {...props}
      label={count === 0 ? t("chats.title") : t("chats.open", { count })}
      icon={IconMessageCircle}
      badge={<CountBadge count={count} />}
    />
  );
}
