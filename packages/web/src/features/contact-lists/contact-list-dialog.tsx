import type { ListedContactList } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { saveContactList } from "./api.ts";

type Props = {
  /** Null: a new one. */
  contactList: ListedContactList | null;
  onClose: () => void;
};

export function ContactListDialog({ contactList, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { register, errors, dialog } = useRecordForm({
    id: contactList?.id ?? null,
    values: { name: contactList?.name ?? "" },
    save: saveContactList,
    savedText: t("contactLists.saved"),
    fieldErrors: { ERR_CONTACTLIST_INVALID_NAME: "name" },
    onClose,
  });
  return (
    <FormDialog
      {...dialog}
      title={t(contactList === null ? "contactLists.newTitle" : "contactLists.editTitle")}
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
    </FormDialog>
  );
}
