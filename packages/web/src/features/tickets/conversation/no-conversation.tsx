import { IconMessageCircleX, IconMessages, IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../../i18n/index.ts";
import { Button } from "../../../ui/button.tsx";
import { EmptyState, LoadFailed } from "../../../ui/index.ts";
import { Loader } from "../../../ui/loader.tsx";
import { openNewTicket } from "../new-ticket/new-ticket.tsx";
import classes from "./conversation.module.css";

/** No ticket is chosen. `steps` take its place once they are there. */
export function NoConversation({ steps }: { steps: ReactNode }): ReactNode {
  const { t } = useTranslation();
  return (
    <section className={classes["empty"]} aria-label={t("tickets.paneTicket")}>
      <EmptyState
        icon={IconMessages}
        drawing="talk"
        title={t("tickets.chooseTitle")}
        text={t("tickets.chooseText")}
        action={
          <Button
            variant="default"
            leftSection={<IconPlus size={15} stroke={1.9} aria-hidden="true" />}
            onClick={() => openNewTicket()}
          >
            {t("tickets.newTicket")}
          </Button>
        }
      />
      {steps}
    </section>
  );
}

/** The chosen ticket is loading or failed to load. */
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
          <Loader sizePx={26} />
        </div>
      ) : (
        <LoadFailed icon={IconMessageCircleX} error={error} onRetry={onRetry} />
      )}
    </section>
  );
}
