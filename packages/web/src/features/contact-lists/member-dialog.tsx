import type { ContactListItem } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { formatPhone } from "../../ui/phone-number.ts";
import { saveMember } from "./api.ts";

type Props = {
  listId: number;
  /** Null: somebody new. */
  member: ContactListItem | null;
  onClose: () => void;
};

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** One person of a list. */
export function MemberDialog({ listId, member, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { register, errors, dialog } = useRecordForm({
    id: member?.id ?? null,
    values: {
      name: member?.name ?? "",
      number: member === null ? "" : formatPhone(member.number),
      email: member?.email ?? "",
    },
    save: (id, { name, number, email }) =>
      saveMember(listId, id, { name: name.trim(), number: number.trim(), email: email.trim() }),
    savedText: t("contactLists.saved"),
    fieldErrors: {
      ERR_CONTACTLISTITEM_INVALID_NAME: "name",
      ERR_NUMBER_FORMAT: "number",
      ERR_DUPLICATED_CONTACT: "number",
    },
    onClose,
  });
  return (
    <FormDialog
      {...dialog}
      title={t(member === null ? "listMembers.newTitle" : "listMembers.editTitle")}
    >
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
      <TextInput
        {...register("number", {
          validate: (value) => value.trim().length >= limits.numberMin || t("contacts.numberShort"),
        })}
        type="tel"
        label={t("contacts.number")}
        error={errors.number?.message}
        maxLength={limits.numberMax}
        autoComplete="off"
      />
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
    </FormDialog>
  );
}
