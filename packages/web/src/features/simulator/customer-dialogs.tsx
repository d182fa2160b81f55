import type { SimulatorChat } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useForm } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { NameField, nameRule } from "../../ui/dialogs/name-field.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { errorText } from "../../ui/index.ts";
import { useAddCustomer, useAddGroup, parsePhone } from "./api.ts";

type Props = {
  connectionId: number;
  onAdded: (added: SimulatorChat) => void;
  onClose: () => void;
};

/** Adds a customer; without a phone the simulated network chooses a free one. */
export function NewCustomerDialog({ connectionId, onAdded, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const add = useAddCustomer(connectionId);
  const { register, handleSubmit, formState } = useForm({ defaultValues: { name: "", phone: "" } });
  const { errors } = formState;
  const submit = handleSubmit(({ name, phone }) => {
    const digits = parsePhone(phone);
    const customer = { name: name.trim(), ...(digits === null ? {} : { phone: digits }) };
    add.mutate(customer, { onSuccess: closeWith({ onAdded, onClose }) });
  });
  return (
    <FormDialog
      title={t("simulator.newCustomer")}
      submitLabel={t("simulator.create")}
      isBusy={add.isPending}
      error={add.error === null ? null : errorText(t, add.error)}
      onSubmit={(event) => void submit(event)}
      onClose={onClose}
    >
      <NameField
        {...register("name", nameRule(t("simulator.nameRequired")))}
        label={t("simulator.name")}
        error={errors.name?.message}
      />
      <TextInput
        {...register("phone", {
          validate: (value) =>
            value.trim() === "" || parsePhone(value) !== null || t("simulator.phoneInvalid"),
        })}
        type="tel"
        label={t("simulator.phone")}
        description={errors.phone ? undefined : t("simulator.phoneHelp")}
        inputWrapperOrder={["label", "input", "description", "error"]}
        error={errors.phone?.message}
        placeholder="+55 11 98456-2210"
        autoComplete="off"
      />
    </FormDialog>
  );
}

/** Adds a group of customers; each gets a phone number. */
export function NewGroupDialog({ connectionId, onAdded, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const add = useAddGroup(connectionId);
  const { register, handleSubmit, formState } = useForm({
    defaultValues: { name: "", members: t("simulator.examples.members") },
  });
  const submit = handleSubmit(({ name, members }) => {
    const group = { name: name.trim(), members: namesOf(members).map((one) => ({ name: one })) };
    add.mutate(group, { onSuccess: closeWith({ onAdded, onClose }) });
  });
  return (
    <FormDialog
      title={t("simulator.newGroup")}
      submitLabel={t("simulator.createGroup")}
      isBusy={add.isPending}
      error={add.error === null ? null : errorText(t, add.error)}
      onSubmit={(event) => void submit(event)}
      onClose={onClose}
    >
      <NameField
        {...register("name", nameRule(t("simulator.nameRequired")))}
        label={t("simulator.groupName")}
        error={formState.errors.name?.message}
      />
      <TextInput
        {...register("members", {
          validate: (value) => namesOf(value).length > 0 || t("simulator.nameRequired"),
        })}
        label={t("simulator.members")}
        error={formState.errors.members?.message}
        autoComplete="off"
      />
    </FormDialog>
  );
}

const closeWith =
  ({ onAdded, onClose }: Pick<Props, "onAdded" | "onClose">) =>
  (added: SimulatorChat): void => {
    onAdded(added);
    onClose();
  };

/** The names of a list separated by commas, each once. */
function namesOf(text: string): string[] {
  const names = text.split(",").map((name) => name.trim().slice(0, limits.nameMax));
  return [...new Set(names)].filter(Boolean);
}
