import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useEffect } from "react";
import { useFieldArray, useForm } from "react-hook-form";
import { hasCode } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { errorText, IconButton, notifySuccess } from "../../ui/index.ts";
import type { ShownContact } from "./api.ts";
import { useChangeContact } from "./api.ts";
import classes from "./contact-form.module.css";
import { Button } from "../../ui/button.tsx";

type Values = {
  name: string;
  number: string;
  email: string;
  extraInfo: { rowId: number | null; name: string; value: string }[];
};

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const numberCodes = [
  "ERR_DUPLICATED_CONTACT",
  "ERR_CONTACT_NUMBER_FORBIDDEN",
  "ERR_NUMBER_FORMAT",
  "ERR_WAPP_INVALID_CONTACT",
  "ERR_WAPP_CHECK_CONTACT",
] as const;

type Props = { contact: ShownContact; onDone: () => void };

/** Changes name, number, e-mail and the rows of extra information (spec 5, contact form). */
export function ContactForm({ contact, onDone }: Props): ReactNode {
  const { t } = useTranslation();
  const change = useChangeContact(contact.id);
  const form = useForm<Values>({
    defaultValues: {
      name: contact.name,
      number: contact.number,
      email: contact.email,
      extraInfo: contact.extraInfo.map(({ id, name, value }) => ({ rowId: id, name, value })),
    },
  });
  const { errors } = form.formState;
  const { setFocus } = form;
  useEffect(() => setFocus("name"), [setFocus]);
  const rows = useFieldArray({ control: form.control, name: "extraInfo" });
  const isAboutNumber = numberCodes.some((code) => hasCode(change.error, code));
  const refusal = change.error === null ? null : errorText(t, change.error);
  const numberRefusal = isAboutNumber && refusal !== null ? refusal : undefined;

  function submit({ name, number, email, extraInfo }: Values): void {
    const isSameNumber = number.trim() === contact.number;
    change.mutate(
      {
        name: name.trim(),
        // The number of a group, or an unchanged number, is not looked up.
        number: contact.isGroup || isSameNumber ? "" : number.trim(),
        email: email.trim(),
        extraInfo: extraInfo
          .filter((row) => row.name.trim() !== "")
          .map((row) => ({ id: row.rowId, name: row.name.trim(), value: row.value.trim() })),
      },
      {
        onSuccess: () => {
          notifySuccess(t("contacts.saved"));
          onDone();
        },
      },
    );
  }

  return (
    <form
      noValidate
      className={classes["form"]}
      onSubmit={(event) => void form.handleSubmit(submit)(event)}
    >
      <TextInput
        {...form.register("name", {
          validate: (value) => value.trim().length >= limits.nameMin || t("contacts.nameShort"),
        })}
        label={t("contacts.name")}
        error={errors.name?.message}
        maxLength={limits.nameMax}
        autoComplete="off"
      />
      {contact.isGroup ? null : (
        <TextInput
          {...form.register("number", {
            validate: (value) =>
              value.trim() === "" ||
              value.trim().length >= limits.numberMin ||
              t("contacts.numberShort"),
          })}
          type="tel"
          label={t("contacts.number")}
          error={errors.number?.message ?? numberRefusal}
          maxLength={limits.numberMax}
          autoComplete="off"
        />
      )}
      <TextInput
        {...form.register("email", {
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
              {...form.register(`extraInfo.${index}.name`)}
              aria-label={t("contacts.infoName", { number: index + 1 })}
              placeholder={t("contacts.infoNamePlaceholder")}
              maxLength={limits.nameMax}
            />
            <TextInput
              {...form.register(`extraInfo.${index}.value`)}
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
      {refusal !== null && !isAboutNumber ? (
        <p className="bc-failure" role="alert">
          {refusal}
        </p>
      ) : null}
      <div className={classes["actions"]}>
        <Button variant="default" onClick={onDone}>
          {t("common.cancel")}
        </Button>
        <Button type="submit" loading={change.isPending}>
          {t("common.save")}
        </Button>
      </div>
    </form>
  );
}
