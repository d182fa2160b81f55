import type { ContactList, ContactSelection } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Checkbox, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useRef } from "react";
import { Controller } from "react-hook-form";
import { call } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { notifySuccess } from "../../ui/index.ts";
import { matchingOptions } from "../../ui/matches.ts";
import { fillContactList, saveContactList } from "./api.ts";

type Props = {
  selection: ContactSelection;
  count: number;
  /** All contacts of a filter are chosen: the list may remember it. */
  mayKeepFilter: boolean;
  onDone: () => void;
  onClose: () => void;
};

const NEW = "new";

/** Puts contacts of the address book on a list, or on a new one. Suspends while it is loading. */
export function AddToListDialog(props: Props): ReactNode {
  const { selection, count, mayKeepFilter, onDone, onClose } = props;
  const { t } = useTranslation();
  const { data: lists } = useQuery({
    queryKey: ["contact-lists", "choices"],
    queryFn: ({ signal }): Promise<ContactList[]> =>
      call("GET /contact-lists/list", {}, { signal }),
    staleTime: 0,
    meta: { live: false },
  });
  // A second try after the filling failed must not make a second list.
  const made = useRef<number | null>(null);
  const form = useRecordForm({
    id: null,
    values: { list: NEW, name: "", keepsFilter: false },
    async save(_id, { list, name, keepsFilter }) {
      const isNew = list === NEW;
      if (isNew) made.current = (await saveContactList(made.current, { name: name.trim() })).id;
      const id = isNew && made.current !== null ? made.current : Number(list);
      const { added } = await fillContactList(id, { selection, keepsFilter });
      return { id, added };
    },
    savedText: null,
    fieldErrors: { ERR_CONTACTLIST_INVALID_NAME: "name" },
    onSaved({ added }) {
      notifySuccess(t("listMembers.added", { count: added }));
      onDone();
    },
    onClose,
  });
  const { register, control, errors, dialog } = form;
  const isNew = form.watch("list") === NEW;
  return (
    <FormDialog {...dialog} title={t("contacts.bulk.toListTitle", { count })}>
      <Controller
        control={control}
        name="list"
        render={({ field }) => (
          <Select
            {...field}
            label={t("listMembers.title")}
            data={[
              { value: NEW, label: t("contactLists.newTitle") },
              ...(lists ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
            allowDeselect={false}
            searchable
            filter={matchingOptions}
            nothingFoundMessage={t(lists === undefined ? "common.loading" : "common.noRecord")}
            comboboxProps={{ withinPortal: true }}
          />
        )}
      />
      {isNew ? (
        <TextInput
          {...register("name", {
            validate: (value, { list }) =>
              list !== NEW || value.trim().length >= limits.nameMin || t("contacts.nameShort"),
          })}
          label={t("contacts.name")}
          error={errors.name?.message}
          maxLength={limits.nameMax}
          autoComplete="off"
          data-autofocus
        />
      ) : null}
      {mayKeepFilter ? (
        <Checkbox
          {...register("keepsFilter")}
          label={t("listMembers.keepsFilter")}
          description={t("listMembers.keepsFilterHelp")}
        />
      ) : null}
    </FormDialog>
  );
}
