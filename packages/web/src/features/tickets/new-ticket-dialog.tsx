import "@mantine/core/styles/Combobox.layer.css";
import "@mantine/core/styles/ScrollArea.layer.css";
import { Button, Select } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { useRef } from "react";
import { useNavigate } from "react-router";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { errorText } from "../../ui/index.ts";
import { ContactFields } from "./contact-fields.tsx";
import { ContactSelect } from "./contact-select.tsx";
import { matchingOptions } from "../../ui/matches.ts";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import classes from "./dialog.module.css";
import type { HeldTicket } from "./held-ticket.ts";
import type { NewTicketWish } from "./new-ticket.ts";
import type { NewTicketForm } from "./use-new-ticket-form.ts";
import { useNewTicketForm } from "./use-new-ticket-form.ts";

type Props = {
  wish: NewTicketWish;
  opened: boolean;
  onClose: () => void;
};

/** Opens a ticket with a contact, or with somebody who becomes one (spec 5, new ticket). */
export function NewTicketDialog({ wish, opened, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <DialogFrame opened={opened} onClose={onClose} title={t("tickets.newTicket")}>
      <Form wish={wish} onClose={onClose} />
    </DialogFrame>
  );
}

function Form({ wish, onClose }: Omit<Props, "opened">): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const formRef = useRef<HTMLFormElement>(null);
  const form = useNewTicketForm(wish, {
    onTicket(uuid) {
      onClose();
      void navigate(`/tickets/${uuid}`);
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    const wrong = form.submit();
    if (wrong !== null) focusField(formRef.current, wrong);
  }

  return (
    <form ref={formRef} noValidate className={classes["form"]} onSubmit={submit}>
      {form.newContact === null ? (
        <ContactSelect
          chosen={form.contact}
          error={problemText(t, form.problems.contact)}
          onChoose={form.chooseContact}
          onCreate={form.startContact}
        />
      ) : (
        <ContactFields
          fields={form.newContact}
          problems={form.problems}
          refusal={form.contactRefusal}
          onChange={form.changeContact}
          onBack={form.dropNewContact}
        />
      )}
      <Where form={form} />
      {form.held === null ? null : <Held held={form.held} form={form} />}
      {form.failure === null ? null : (
        <p className={classes["failure"]} role="alert">
          {errorText(t, form.failure)}
        </p>
      )}
      <div className={classes["actions"]}>
        <Button variant="default" onClick={onClose}>
          {t("common.cancel")}
        </Button>
        <Button type="submit" loading={form.isBusy}>
          {t(form.newContact === null ? "tickets.new.submit" : "tickets.new.submitContact")}
        </Button>
      </div>
    </form>
  );
}

/** The queue and the connection of the new ticket. */
function Where({ form }: { form: NewTicketForm }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={classes["pair"]}>
      <Select
        name="queue"
        data-field="queue"
        label={t("tickets.queue")}
        data={form.queues.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={form.queueId === null ? null : String(form.queueId)}
        onChange={(value) => form.chooseQueue(value === null ? null : Number(value))}
        placeholder={form.mustChooseQueue ? undefined : t("tickets.noQueue")}
        clearable={!form.mustChooseQueue}
        clearButtonProps={{ "aria-label": t("tickets.new.clearQueue") }}
        required={form.mustChooseQueue}
        error={problemText(t, form.problems.queue)}
        searchable
        filter={matchingOptions}
        nothingFoundMessage={t(form.areQueuesKnown ? "tickets.search.noOption" : "common.loading")}
      />
      <Select
        name="connection"
        label={t("tickets.connection")}
        data={form.connections.map(({ id, name, status }) => ({
          value: String(id),
          label: status === "CONNECTED" ? name : t("tickets.new.connectionDown", { name }),
        }))}
        value={form.connectionId === null ? null : String(form.connectionId)}
        onChange={(value) => form.chooseConnection(value === null ? null : Number(value))}
        allowDeselect={false}
      />
    </div>
  );
}

/** Somebody serves the contact already, or it waits: who, and in which queue. */
function Held({ held, form }: { held: HeldTicket; form: NewTicketForm }): ReactNode {
  const { t } = useTranslation();
  const { userName, queueName } = held;
  const text =
    userName === ""
      ? t("tickets.new.heldByQueue", { queue: queueName })
      : t("tickets.new.heldByUser", { user: userName, queue: queueName });
  return (
    <div className={classes["held"]} role="alert">
      {text}
      {form.maySeeAll ? (
        <Button size="xs" variant="default" onClick={() => form.openHeld(held)}>
          {t("tickets.new.openHeld")}
        </Button>
      ) : null}
    </div>
  );
}

function problemText(t: TFunction, problem: "contact" | "queue" | undefined): string | undefined {
  if (problem === undefined) return undefined;
  return t(problem === "queue" ? "tickets.queueRequired" : "tickets.new.contactRequired");
}

/** A select has its name on a hidden field of its own. */
function focusField(form: HTMLFormElement | null, name: string): void {
  const selector = `[data-field="${name}"], [name="${name}"]:not([type="hidden"])`;
  form?.querySelector<HTMLElement>(selector)?.focus();
}
