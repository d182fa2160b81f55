import { IconVolume, IconVolumeOff } from "@tabler/icons-react";
import type { ComponentProps, ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { OnDemand } from "../../ui/on-demand.tsx";
import { Bell } from "./bell.tsx";
import { useVolume } from "./volume.ts";

const NotificationsPopover = lazyPart(
  async () => (await import("./notifications-popover.tsx")).NotificationsPopover,
);
const VolumePopover = lazyPart(async () => (await import("./volume-popover.tsx")).VolumePopover);

/** The bell; a press opens the list of unread tickets. */
export function NotificationsButton(): ReactNode {
  return (
    <OnDemand
      part={NotificationsPopover}
      standIn={<Bell aria-haspopup="dialog" aria-expanded={false} />}
    >
      <NotificationsPopover />
    </OnDemand>
  );
}

/** The volume of alerts; a press opens its slider. */
export function VolumeButton(): ReactNode {
  return (
    <OnDemand
      part={VolumePopover}
      standIn={<VolumeTarget aria-haspopup="dialog" aria-expanded={false} />}
    >
      <VolumePopover target={<VolumeTarget />} />
    </OnDemand>
  );
}

type TargetProps = Omit<ComponentProps<typeof IconButton>, "label" | "icon">;

function VolumeTarget(props: TargetProps): ReactNode {
  const { t } = useTranslation();
  const icon = useVolume() === 0 ? IconVolumeOff : IconVolume;
  return <IconButton {...props} label={t("notifications.volume")} icon={icon} />;
}
