import { Button } from "@mantine/core";
import { IconMessages, IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { EmptyState } from "../../ui/index.ts";
import classes from "./conversation-pane.module.css";
import { openNewTicket } from "./new-ticket.ts";

/** No ticket is chosen. */
export function NoConversation(): ReactNode {
  const { t } = useTranslation();
  return (
    <section className={classes["empty"]} aria-label={t("tickets.paneTicket")}>
      <EmptyState
        icon={IconMessages}
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
    </section>
  );
}
