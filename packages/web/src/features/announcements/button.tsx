import { IconSpeakerphone } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useStore } from "../../store/index.ts";
import { CountBadge } from "../../ui/count-badge.tsx";
import type { IconTargetProps } from "../../ui/index.ts";
import { IconButton } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { OnDemand } from "../../ui/on-demand.tsx";
import { unseenCount } from "./unseen.ts";

const AnnouncementsPopover = lazyPart(
  async () => (await import("./announcements-popover.tsx")).AnnouncementsPopover,
  "inline",
  "teamwork",
);

/** The megaphone with the number of unseen announcements; a press lists them. */
export function AnnouncementsButton(): ReactNode {
  return (
    <OnDemand
      part={AnnouncementsPopover}
      standIn={<AnnouncementsTarget aria-haspopup="dialog" aria-expanded={false} />}
    >
      <AnnouncementsPopover target={AnnouncementsTarget} />
    </OnDemand>
  );
}

function AnnouncementsTarget(props: IconTargetProps): ReactNode {
  const { t } = useTranslation();
  const count = useStore(unseenCount);
  return (
    <IconButton
      {...props}
      data-announcements=""
      label={count === 0 ? t("announcements.title") : t("announcements.open", { count })}
      icon={IconSpeakerphone}
      badge={<CountBadge count={count} />}
    />
  );
}
