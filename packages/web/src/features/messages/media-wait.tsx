import type { Media } from "@balcao/contract";
import { IconCloudDown, IconFileOff } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./media-wait.module.css";

/** Stands for a file that is still on its way from the chat network, or will never come. */
export function MediaWait({ media }: { media: Media }): ReactNode {
  const { t } = useTranslation();
  const isLoading = media.state === "loading";
  const WaitIcon = isLoading ? IconCloudDown : IconFileOff;
  return (
    <span className={classes["wait"]} data-loading={isLoading || undefined}>
      <WaitIcon size={22} stroke={1.5} aria-hidden="true" />
      {t(isLoading ? "messages.mediaLoading" : "messages.mediaUnavailable")}
    </span>
  );
}
