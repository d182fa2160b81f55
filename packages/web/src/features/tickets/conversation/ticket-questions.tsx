import "@mantine/core/styles/Combobox.layer.css";
import "@mantine/core/styles/ScrollArea.layer.css";
import type { Ticket } from "@balcao/contract";
import { Select } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useRef, useState } from "react";
import { hasCode } from "../../../api/client.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { Button } from "../../../ui/button.tsx";
import { DialogFrame } from "../../../ui/dialogs/dialog-frame.tsx";
import { QuestionDialog } from "../../../ui/dialogs/question-dialog.tsx";
import { notifySuccess, QueueDot } from "../../../ui/index.ts";
import { matchingOptions } from "../../../ui/matches.ts";
import { reasonList, useSetting } from "../../settings/index.ts";
import { MessageList, useMessageEvents } from "../../messages/index.ts";
import { deleteTicket } from "../api.ts";
import { writeTicketEvent } from "../list/ticket-pages.ts";
import classes from "./dialog.module.css";

type Props = {
  ticket: Ticket;
  opened: boolean;
  /** `finish` on a card, `resolve` by keys; the header's button asks no question. */
  action: "resolve" | "finish";
  onConfirm: (reasonId: number | null) => void;
  onClose: () => void;
};

/** Asks before a key press or a card's button resolves a ticket, and why, where the company has listed reasons. */
export function ResolveDialog({ ticket, opened, action, onConfirm, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { name } = ticket.contact;
  const { data: reasons = [] } = useQuery(reasonList.query);
  const isRequired = useSetting("resolveReasonRequired") === "enabled";
  const [chosen, setChosen] = useState<{ of: number; id: string | null }>({ of: 0, id: null });
  const [isMissing, setMissing] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  // The dialog stays for the next ticket.
  const reasonId = chosen.of === ticket.id ? chosen.id : null;
  const mustChoose = isRequired && reasons.length > 0;

  function confirm(): void {
    if (mustChoose && reasonId === null) {
      setMissing(true);
      field.current?.focus();
      return;
    }
    onClose();
    onConfirm(reasonId === null ? null : Number(reasonId));
  }

  return (
    <QuestionDialog
      opened={opened}
      title={t(action === "finish" ? "tickets.finishTitle" : "tickets.resolveTitle", { name })}
      text={t("tickets.resolveText")}
      confirm={t(`tickets.${action}`)}
      onConfirm={confirm}
      onClose={onClose}
    >
      {reasons.length === 0 ? null : (
        <Select
          ref={field}
          label={t(mustChoose ? "tickets.reason" : "tickets.reasonOptional")}
          data={reasons.map((reason) => ({ value: String(reason.id), label: reason.name }))}
          value={reasonId}
          onChange={(id) => {
            setChosen({ of: ticket.id, id });
            setMissing(false);
          }}
          error={isMissing && reasonId === null ? t("tickets.reasonRequired") : undefined}
          required={mustChoose}
          searchable
          clearable
          clearButtonProps={{ "aria-label": t("tickets.noReason") }}
          filter={matchingOptions}
          nothingFoundMessage={t("common.noOption")}
        />
      )}
    </QuestionDialog>
  );
}

type DeleteDialogProps = {
  ticket: Ticket;
  opened: boolean;
  /** Called before the ticket leaves; its result is called afterwards. */
  onLeave: () => () => void;
  onClose: () => void;
};

/** Deletes a ticket after a question that names the contact. */
export function DeleteDialog({ ticket, opened, onLeave, onClose }: DeleteDialogProps): ReactNode {
  const { t } = useTranslation();
  const deletion = useDeleteTicket();
  function confirm(): void {
    const leave = onLeave();
    deletion.mutate(ticket.id, {
      onSuccess: () => {
        onClose();
        leave();
        notifySuccess(t("tickets.deleted"));
      },
    });
  }
  return (
    <QuestionDialog
      opened={opened}
      title={t("tickets.deleteTitle", { name: ticket.contact.name })}
      text={t("tickets.deleteText")}
      confirm={t("tickets.delete")}
      isDestructive
      isBusy={deletion.isPending}
      error={deletion.error}
      onConfirm={confirm}
      onClose={() => {
        deletion.reset();
        onClose();
      }}
    />
  );
}

type SpyDialogProps = {
  ticket: Ticket;
  opened: boolean;
  onAccept: () => void;
  /** Shows the ticket in the place of conversations. */
  onOpen: () => void;
  onClose: () => void;
};

/** Shows a waiting conversation without accepting it or marking it as read (spec 2, spy dialog). */
export function SpyDialog(props: SpyDialogProps): ReactNode {
  const { ticket, opened, onAccept, onOpen, onClose } = props;
  const { t } = useTranslation();
  const { contact, queue } = ticket;
  return (
    <DialogFrame
      opened={opened}
      onClose={onClose}
      title={t("tickets.spyTitle", { name: contact.name })}
      size={640}
    >
      <p className={classes["about"]}>
        <QueueDot color={queue?.color ?? "var(--bc-line2)"} />
        {queue?.name ?? t("tickets.noQueue")}, {t("tickets.number", { id: ticket.id })}
      </p>
      <Conversation ticket={ticket} />
      <div className={classes["spyActions"]}>
        <Button variant="default" onClick={onClose}>
          {t("common.close")}
        </Button>
        <Button
          variant="default"
          onClick={() => {
            onClose();
            onOpen();
          }}
        >
          {t("tickets.openWithoutAccepting")}
        </Button>
        <Button
          data-autofocus
          onClick={() => {
            onClose();
            onAccept();
          }}
        >
          {t("tickets.accept")}
        </Button>
      </div>
    </DialogFrame>
  );
}

/** A component of its own, so that the ticket's room is joined only while the dialog is open. */
function Conversation({ ticket }: { ticket: Ticket }): ReactNode {
  useMessageEvents(ticket.id);
  return (
    <div className={classes["canvas"]}>
      <MessageList
        ticketId={ticket.id}
        customerName={ticket.contact.name}
        unread={ticket.unreadMessages}
        waitingSince={ticket.waitingSince}
        isReader={false}
      />
    </div>
  );
}

/** Deletes a ticket. A ticket that is already deleted counts as success. */
function useDeleteTicket() {
  return useMutation({
    mutationFn: async (ticketId: number) => {
      try {
        await deleteTicket(ticketId);
      } catch (error) {
        if (!hasCode(error, "ERR_NO_TICKET_FOUND")) throw error;
      }
      writeTicketEvent({ action: "delete", ticketId });
    },
  });
}
