import { Loader } from "@mantine/core";
import { IconMessageCircleX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { LoadFailed } from "../../ui/index.ts";
import classes from "./conversation-pane.module.css";

/** The chosen ticket is on its way, or could not be had. */
export function OpenedTicketMissing({
  error,
  onRetry,
}: {
  error: Error | null;
  onRetry: () => void;
}): ReactNode {
  const { t } = useTranslation();
  return (
    <section className={classes["empty"]} aria-label={t("tickets.paneTicket")}>
      {error === null ? (
        <div className={classes["loading"]} role="status" aria-label={t("common.loading")}>
          <Loader size={26} />
        </div>
      ) : (
        <LoadFailed icon={IconMessageCircleX} error={error} onRetry={onRetry} />
      )}
    </section>
  );
}
