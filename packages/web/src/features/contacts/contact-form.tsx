import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import { IconAddressBook, IconPlus, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useEffect } from "react";
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

type Values = {
  name: string;
  number: string;
  email: string;
  extraInfo: { rowId: number | null; name: string; value: string }[];
};

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const numberErrors = {
  ERR_DUPLICATED_CONTACT: "number",
  ERR_CONTACT_NUMBER_FORBIDDEN: "number",
  ERR_NUMBER_FORMAT: "number",
  ERR_WAPP_INVALID_CONTACT: "number",
  ERR_WAPP_CHECK_CONTACT: "number",
} as const;

/** The form of a contact; null is a new one. */
function useContactForm(contact: ShownContact | null, onDone: () => void) {
  const { t } = useTranslation();
  return useRecordForm<Values, { id: number }>({
    id: contact?.id ?? null,
    values: {
      name: contact?.name ?? "",
      number: contact?.number ?? "",
      email: contact?.email ?? "",
      extraInfo: (contact?.extraInfo ?? []).map(({ id, name, value }) => ({
        rowId: id,
        name,
        value,
      })),
    },
    save(id, { name, number, email, extraInfo }) {
      const isSameNumber = number.trim() === contact?.number;
      return saveContact(id, {
        name: name.trim(),
        // The number of a group, or an unchanged number, is not looked up.
        number: contact?.isGroup === true || isSameNumber ? "" : number.trim(),
        email: email.trim(),
        extraInfo: extraInfo
          .filter((row) => row.name.trim() !== "")
          .map((row) => ({ id: row.rowId, name: row.name.trim(), value: row.value.trim() })),
      });
    },
    savedText: t("contacts.saved"),
    fieldErrors: numberErrors,
    onClose: onDone,
  });
}

type FormProps = { contact: ShownContact; onDone: () => void };

/** Changes name, number, e-mail and the rows of extra information beside a conversation (spec 5, contact form). */
export function ContactForm({ contact, onDone }: FormProps): ReactNode {
  const { t } = useTranslation();
  const { dialog, setFocus, ...form } = useContactForm(contact, onDone);
  useEffect(() => setFocus("name"), [setFocus]);
  return (
    <form noValidate className={classes["form"]} onSubmit={dialog.onSubmit}>
      <Fields {...form} isNumberRequired={false} hasNumber={!contact.isGroup} />
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
  const { dialog, ...form } = useContactForm(contact, onClose);
  return (
    <FormDialog
      {...dialog}
      title={t(contact === null ? "contacts.newTitle" : "contacts.editTitle")}
    >
      <Fields {...form} isNumberRequired={contact === null} hasNumber={contact?.isGroup !== true} />
    </FormDialog>
  );
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
