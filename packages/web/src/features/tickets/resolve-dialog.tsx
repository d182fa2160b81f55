import "@mantine/core/styles/Modal.layer.css";
import "@mantine/core/styles/ModalBase.layer.css";
import "@mantine/core/styles/Overlay.layer.css";
import type { Ticket } from "@balcao/contract";
import { Button, Modal } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./resolve-dialog.module.css";

type Props = {
  /** Null: closed. */
  ticket: Ticket | null;
  onConfirm: (ticket: Ticket) => void;
  onClose: () => void;
};

/** Asks before a key press resolves a ticket. The button in the header is deliberate enough without. */
export function ResolveDialog({ ticket, onConfirm, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  // It is fetched with the first question; a dialog that was never closed before gives no focus back to its opener.
  const isMounted = useMounted();
  return (
    <Modal.Root opened={isMounted && ticket !== null} onClose={onClose} size={480} centered>
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Body className={classes["body"]}>
          <Modal.Title className={classes["title"]}>
            {ticket ? t("tickets.resolveTitle", { name: ticket.contact.name }) : ""}
          </Modal.Title>
          <p className={classes["text"]}>{t("tickets.resolveText")}</p>
          <div className={classes["actions"]}>
            <Button variant="default" onClick={onClose}>
              {t("common.cancel")}
            </Button>
            <Button
              data-autofocus
              onClick={() => {
                onClose();
                if (ticket) onConfirm(ticket);
              }}
            >
              {t("tickets.resolve")}
            </Button>
          </div>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
