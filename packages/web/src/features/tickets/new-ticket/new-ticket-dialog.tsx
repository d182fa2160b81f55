import "@mantine/core/styles/Combobox.layer.css";
import "@mantine/core/styles/ScrollArea.layer.css";
import type { ContactRef } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { NativeSelect, Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconUserPlus } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { useRef, useState } from "react";
import { call, hasCode } from "../../../api/client.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { useNavigate } from "../../../router/index.tsx";
import { Button } from "../../../ui/button.tsx";
import { DialogFrame } from "../../../ui/dialogs/dialog-frame.tsx";
import { errorText } from "../../../ui/index.ts";
import { matchingOptions } from "../../../ui/matches.ts";
import classes from "../conversation/dialog.module.css";
import type {
  HeldTicket,
  NewContactFields,
  NewTicketForm,
  NewTicketWish,
  Person,
} from "./use-new-ticket-form.ts";
import { useNewTicketForm } from "./use-new-ticket-form.ts";

type Props = {
  wish: NewTicketWish;
  opened: boolean;
  onClose: () => void;
};

/** Opens a ticket with a known or new contact (spec 5, new ticket). */
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
      navigate(`/tickets/${uuid}`);
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
          error={form.problems.contact ? t("tickets.new.contactRequired") : undefined}
          onChoose={form.chooseContact}
          onCreate={form.startContact}
        />
      ) : (
        <ContactFields fields={form.newContact} form={form} />
      )}
      <QueueAndConnection form={form} />
      {form.held === null ? null : <ExistingTicket held={form.held} form={form} />}
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
function QueueAndConnection({ form }: { form: NewTicketForm }): ReactNode {
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
        error={form.problems.queue ? t("tickets.queueRequired") : undefined}
        searchable
        filter={matchingOptions}
        nothingFoundMessage={t(form.areQueuesKnown ? "common.noOption" : "common.loading")}
      />
      <NativeSelect
        name="connection"
        label={t("tickets.connection")}
        data={[
          ...(form.connectionId === null ? [{ value: "", label: "" }] : []),
          ...form.connections.map(({ id, name, status }) => ({
            value: String(id),
            label: status === "CONNECTED" ? name : t("tickets.new.connectionDown", { name }),
          })),
        ]}
        value={form.connectionId === null ? "" : String(form.connectionId)}
        onChange={(event) => form.chooseConnection(Number(event.currentTarget.value) || null)}
      />
    </div>
  );
}

/** Shows the agent and queue of the contact's existing ticket. */
function ExistingTicket({ held, form }: { held: HeldTicket; form: NewTicketForm }): ReactNode {
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

/** The name of a select is on a hidden field. */
function focusField(form: HTMLFormElement | null, name: string): void {
  const selector = `[data-field="${name}"], [name="${name}"]:not([type="hidden"])`;
  form?.querySelector<HTMLElement>(selector)?.focus();
}

/** The fields of a new contact. */
function ContactFields(props: { fields: NewContactFields; form: NewTicketForm }): ReactNode {
  const { fields, form } = props;
  const { problems, contactRefusal: refusal, changeContact: onChange } = form;
  const { t } = useTranslation();
  const isAboutNumber =
    hasCode(refusal, "ERR_WAPP_INVALID_CONTACT") || hasCode(refusal, "ERR_NUMBER_FORMAT");
  const numberRefusal = isAboutNumber ? errorText(t, refusal) : undefined;
  const numberError = problems.number ? t("tickets.new.numberShort") : numberRefusal;
  return (
    <>
      <button type="button" className={classes["back"]} onClick={form.dropNewContact}>
        {t("tickets.new.back")}
      </button>
      <TextInput
        name="name"
        label={t("tickets.new.name")}
        value={fields.name}
        onChange={(event) => onChange({ ...fields, name: event.currentTarget.value })}
        error={problems.name ? t("tickets.new.nameShort") : undefined}
        maxLength={limits.nameMax}
        autoComplete="off"
        required
        data-autofocus
      />
      <TextInput
        name="number"
        type="tel"
        label={t("tickets.new.number")}
        description={numberError === undefined ? t("tickets.new.numberHelp") : undefined}
        inputWrapperOrder={["label", "input", "description", "error"]}
        value={fields.number}
        onChange={(event) => onChange({ ...fields, number: event.currentTarget.value })}
        error={numberError}
        maxLength={limits.numberMax}
        autoComplete="off"
        required
      />
      <TextInput
        name="email"
        type="email"
        label={t("tickets.new.email")}
        value={fields.email}
        onChange={(event) => onChange({ ...fields, email: event.currentTarget.value })}
        error={problems.email ? t("tickets.new.emailForm") : undefined}
        maxLength={limits.emailMax}
        autoComplete="off"
      />
      {refusal !== null && !isAboutNumber ? (
        <p className={classes["failure"]} role="alert">
          {errorText(t, refusal)}
        </p>
      ) : null}
    </>
  );
}

type ContactSelectProps = {
  chosen: Person | null;
  error: string | undefined;
  onChoose: (contact: Person | null) => void;
  /** Called with the name or number of a new contact. */
  onCreate: (typed: string) => void;
};

const CREATE = "create";

/** Finds a contact by name or number, from 3 characters on; an unknown one can be added. */
function ContactSelect({ chosen, error, onChoose, onCreate }: ContactSelectProps): ReactNode {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(chosen?.name ?? "");
  const [asked] = useDebouncedValue(typed, limits.searchDebounceMs);
  const { data = [], isFetching, isPlaceholderData } = useContacts(asked);
  const searched = typed.trim();
  const isChosenName = chosen !== null && chosen.name === typed;
  const isSearching = searched.length >= limits.contactSearchMin && !isChosenName;
  const isSettled = isSearching && asked === typed && !isFetching && !isPlaceholderData;
  const found = isSearching ? data : [];
  const contacts = chosen && !found.some(({ id }) => id === chosen.id) ? [chosen, ...found] : found;
  const options = contacts.map(({ id, name }) => ({ value: String(id), label: name }));
  const create = { value: CREATE, label: t("tickets.new.create", { text: searched }) };
  return (
    <Select
      name="contact"
      data-field="contact"
      label={t("tickets.new.contact")}
      placeholder={t("tickets.new.contactPlaceholder")}
      data={isSettled ? [...options, create] : options}
      value={chosen === null ? null : String(chosen.id)}
      onChange={(value) => {
        if (value === CREATE) onCreate(searched);
        else onChoose(contacts.find(({ id }) => String(id) === value) ?? null);
      }}
      onSearchChange={setTyped}
      filter={({ options: all }) => all}
      renderOption={({ option }) => {
        if (option.value === CREATE) {
          return (
            <span className={classes["create"]}>
              <IconUserPlus size={15} stroke={1.7} aria-hidden="true" />
              {option.label}
            </span>
          );
        }
        const contact = contacts.find(({ id }) => String(id) === option.value);
        return (
          <span className={classes["option"]}>
            {option.label}
            <span className={classes["meta"]}>{contact?.number}</span>
          </span>
        );
      }}
      nothingFoundMessage={isSearching ? t("common.loading") : t("tickets.new.contactHelp")}
      error={error}
      searchable
      // A known contact needs no list: it would take the first Escape.
      openOnFocus={chosen === null}
      clearable
      clearButtonProps={{ "aria-label": t("tickets.new.clearContact") }}
      required
      data-autofocus
    />
  );
}

/** Contacts by a part of their name or number, from 3 characters on. */
function useContacts(name: string) {
  const searchParam = name.trim().toLowerCase();
  return useQuery({
    queryKey: ["tickets", "choices", "contacts", searchParam],
    queryFn: ({ signal }): Promise<ContactRef[]> =>
      call(
        "GET /contacts/list",
        { query: { name: searchParam, limit: limits.choicesMax } },
        { signal },
      ),
    enabled: searchParam.length >= limits.contactSearchMin,
    placeholderData: keepPreviousData,
  });
}
