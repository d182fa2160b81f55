import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import { IconAddressBook, IconPlus, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useEffect, useId, useState } from "react";
import { ApiError } from "../../api/client.ts";
import type { Control, FieldErrors, UseFormRegister } from "react-hook-form";
import { useFieldArray } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { IconButton } from "../../ui/index.ts";
import { LoadFailed } from "../../ui/states.tsx";
import type { ShownContact } from "./api.ts";
import { saveContact, useContact } from "./api.ts";
import classes from "./contact-form.module.css";
import type { Choices, Conflict, ContactValues, OthersChange } from "./edit-conflict.ts";
import { reconcile } from "./edit-conflict.ts";

type Values = ContactValues;

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const numberErrors = {
  ERR_DUPLICATED_CONTACT: "number",
  ERR_CONTACT_NUMBER_FORBIDDEN: "number",
  ERR_NUMBER_FORMAT: "number",
  ERR_WAPP_INVALID_CONTACT: "number",
  ERR_WAPP_CHECK_CONTACT: "number",
} as const;

const valuesOf = (contact: ShownContact | null): Values => ({
  name: contact?.name ?? "",
  number: contact?.number ?? "",
  email: contact?.email ?? "",
  extraInfo: (contact?.extraInfo ?? []).map(({ id, name, value }) => ({ rowId: id, name, value })),
});

/** The form of a contact; null is a new one. What somebody else saves meanwhile is never overwritten without a choice. */
function useContactForm(contact: ShownContact | null, onDone: () => void) {
  const { t } = useTranslation();
  // As the form began: events change the contact that is passed.
  const [seen] = useState(contact);
  const [theirs, setTheirs] = useState<OthersChange | null>(null);
  const [choices, setChoices] = useState<Choices>({});
  const base = valuesOf(seen);

  async function save(id: number | null, mine: Values): Promise<{ id: number }> {
    const known = theirs === null ? null : reconcile({ base, mine, theirs }, choices);
    const values = known?.values ?? mine;
    const present = theirs?.contact ?? seen;
    try {
      return await saveContact(id, bodyOf(values, present, seen?.isGroup === true));
    } catch (error) {
      const now = changeOf(error);
      if (now === null) throw error;
      const { values: both, conflicts } = reconcile({ base, mine, theirs: now }, choices);
      // Nothing that was typed here is touched: both changes stay.
      if (conflicts.length === 0) {
        return saveContact(id, bodyOf(both, now.contact, seen?.isGroup === true));
      }
      setTheirs(now);
      throw error;
    }
  }

  const form = useRecordForm<Values, { id: number }>({
    id: contact?.id ?? null,
    values: base,
    save,
    savedText: t("contacts.saved"),
    fieldErrors: numberErrors,
    onClose: onDone,
  });
  const conflicts =
    theirs === null ? [] : reconcile({ base, mine: form.watch(), theirs }, choices).conflicts;
  const choose = (key: string, of: "mine" | "theirs"): void =>
    setChoices({ ...choices, [key]: of });
  return { ...form, conflicts: { list: conflicts, choices, choose } };
}

/** What is sent; `present` is the contact as it was last seen. */
function bodyOf(
  { name, number, email, extraInfo }: Values,
  present: { number: string; updatedAt: string } | null,
  isGroup: boolean,
) {
  const isSameNumber = number.trim() === present?.number;
  return {
    name: name.trim(),
    // The number of a group, or an unchanged number, is not looked up.
    number: isGroup || isSameNumber ? "" : number.trim(),
    email: email.trim(),
    extraInfo: extraInfo
      .filter((row) => row.name.trim() !== "")
      .map((row) => ({ id: row.rowId, name: row.name.trim(), value: row.value.trim() })),
    ...(present === null ? {} : { ifUpdatedAt: present.updatedAt }),
  };
}

/** What somebody else has saved, from the refusal of a form. */
function changeOf(error: unknown): OthersChange | null {
  if (!(error instanceof ApiError) || error.code !== "ERR_CONTACT_CHANGED") return null;
  return error.data as OthersChange; // of our own server, by the code
}

type FormProps = { contact: ShownContact; onDone: () => void };

/** Changes name, number, e-mail and the rows of extra information beside a conversation (spec 5, contact form). */
export function ContactForm({ contact, onDone }: FormProps): ReactNode {
  const { t } = useTranslation();
  const { dialog, setFocus, conflicts, ...form } = useContactForm(contact, onDone);
  useEffect(() => setFocus("name"), [setFocus]);
  return (
    <form noValidate className={classes["form"]} onSubmit={dialog.onSubmit}>
      <Fields {...form} isNumberRequired={false} hasNumber={!contact.isGroup} />
      <Conflicts {...conflicts} />
      {dialog.error === null ? null : (
        <p className="bc-failure" role="alert">
          {dialog.error}
        </p>
      )}
      <div className={classes["actions"]}>
        <Button variant="default" onClick={dialog.onCancel}>
          {t("common.cancel")}
        </Button>
        <Button type="submit" loading={dialog.isBusy}>
          {t("common.save")}
        </Button>
      </div>
    </form>
  );
}

type DialogProps = {
  /** Null: a new one. */
  contactId: number | null;
  onClose: () => void;
};

/** The same form in a dialog, which reads the contact itself: it may stand on a page that is not loaded. */
export function ContactDialog({ contactId, onClose }: DialogProps): ReactNode {
  if (contactId === null) return <FormOf contact={null} onClose={onClose} />;
  return <KnownContact contactId={contactId} onClose={onClose} />;
}

function KnownContact({ contactId, onClose }: { contactId: number; onClose: () => void }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useContact(contactId);
  if (data) return <FormOf contact={data} onClose={onClose} />;
  if (error === null) return null;
  return (
    <DialogFrame opened onClose={onClose} title={t("contacts.editTitle")}>
      <LoadFailed icon={IconAddressBook} error={error} onRetry={() => void refetch()} />
    </DialogFrame>
  );
}

function FormOf({ contact, onClose }: { contact: ShownContact | null; onClose: () => void }) {
  const { t } = useTranslation();
  const { dialog, conflicts, ...form } = useContactForm(contact, onClose);
  return (
    <FormDialog
      {...dialog}
      title={t(contact === null ? "contacts.newTitle" : "contacts.editTitle")}
    >
      <Fields {...form} isNumberRequired={contact === null} hasNumber={contact?.isGroup !== true} />
      <Conflicts {...conflicts} />
    </FormDialog>
  );
}

type ConflictsProps = {
  list: readonly Conflict[];
  choices: Choices;
  choose: (key: string, of: "mine" | "theirs") => void;
};

/** The fields that somebody else changed too, both values side by side. */
function Conflicts({ list, choices, choose }: ConflictsProps): ReactNode {
  const id = useId();
  const titleOf = useConflictTitle();
  const { t } = useTranslation();
  return list.map((conflict) => {
    const { key, mine, theirs } = conflict;
    const name = `${id} ${key}`;
    const values = { mine, theirs };
    return (
      <fieldset key={key} className={classes["conflict"]}>
        <legend className={classes["legend"]}>{titleOf(conflict)}</legend>
        {(["mine", "theirs"] as const).map((of) => (
          <label key={of} className={classes["value"]}>
            <input
              type="radio"
              name={name}
              checked={(choices[key] ?? "mine") === of}
              onChange={() => choose(key, of)}
            />
            <span>
              <span className="bc-meta">{t(`contacts.conflict.${of}`)}</span>
              {values[of] === "" ? t("contacts.none") : values[of]}
            </span>
          </label>
        ))}
      </fieldset>
    );
  });
}

/** "Caio Nunes mudou o e-mail há 1 minuto" */
function useConflictTitle(): (conflict: Conflict) => string {
  const { t } = useTranslation();
  return ({ field, label, change }) => {
    const what = field === null ? label : t(`contacts.conflict.${field}`);
    const user = change?.user?.name ?? "";
    if (change === undefined || user === "") return t("contacts.conflict.changed", { what });
    const minutes = Math.floor((Date.now() - Date.parse(change.at)) / 60_000);
    const hours = Math.floor(minutes / 60);
    const ago =
      hours > 0
        ? t("tickets.sinceHours", { count: hours })
        : t("tickets.sinceMinutes", { count: minutes });
    return t("contacts.conflict.changedBy", {
      ...{ user, what },
      ago: minutes < 1 ? t("tickets.now") : ago,
    });
  };
}

type FieldsProps = {
  register: UseFormRegister<Values>;
  control: Control<Values>;
  errors: FieldErrors<Values>;
  /** A group has none. */
  hasNumber: boolean;
  isNumberRequired: boolean;
};

function Fields({
  register,
  control,
  errors,
  hasNumber,
  isNumberRequired,
}: FieldsProps): ReactNode {
  const { t } = useTranslation();
  const rows = useFieldArray({ control, name: "extraInfo" });
  return (
    <>
      <TextInput
        {...register("name", {
          validate: (value) => value.trim().length >= limits.nameMin || t("contacts.nameShort"),
        })}
        label={t("contacts.name")}
        error={errors.name?.message}
        maxLength={limits.nameMax}
        autoComplete="off"
        data-autofocus
      />
      {hasNumber ? (
        <TextInput
          {...register("number", {
            validate: (value) =>
              (value.trim() === "" && !isNumberRequired) ||
              value.trim().length >= limits.numberMin ||
              t("contacts.numberShort"),
          })}
          type="tel"
          label={t("contacts.number")}
          error={errors.number?.message}
          maxLength={limits.numberMax}
          autoComplete="off"
        />
      ) : null}
      <TextInput
        {...register("email", {
          validate: (value) =>
            value.trim() === "" || EMAIL.test(value.trim()) || t("contacts.emailForm"),
        })}
        type="email"
        label={t("contacts.email")}
        error={errors.email?.message}
        maxLength={limits.emailMax}
        autoComplete="off"
      />
      <fieldset className={classes["rows"]}>
        <legend className={classes["legend"]}>{t("contacts.extraInfo")}</legend>
        {rows.fields.map((row, index) => (
          <div key={row.id} className={classes["row"]}>
            <TextInput
              {...register(`extraInfo.${index}.name`)}
              aria-label={t("contacts.infoName", { number: index + 1 })}
              placeholder={t("contacts.infoNamePlaceholder")}
              maxLength={limits.nameMax}
            />
            <TextInput
              {...register(`extraInfo.${index}.value`)}
              aria-label={t("contacts.infoValue", { number: index + 1 })}
              placeholder={t("contacts.infoValuePlaceholder")}
              maxLength={1_000}
            />
            <IconButton
              size="small"
              label={t("contacts.infoRemove", { number: index + 1 })}
              icon={IconTrash}
              onClick={() => rows.remove(index)}
            />
          </div>
        ))}
        {rows.fields.length < limits.extraInfoMax ? (
          <Button
            size="xs"
            variant="subtle"
            leftSection={<IconPlus size={15} stroke={1.7} aria-hidden="true" />}
            onClick={() => rows.append({ rowId: null, name: "", value: "" })}
          >
            {t("contacts.infoAdd")}
          </Button>
        ) : null}
      </fieldset>
    </>
  );
}
