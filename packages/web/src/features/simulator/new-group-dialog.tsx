import type { SimulatorChat } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useForm } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { errorText } from "../../ui/index.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { useAddGroup } from "./api.ts";

type Props = {
  connectionId: number;
  onAdded: (group: SimulatorChat) => void;
  onClose: () => void;
};

/** Adds a group of customers; each gets a phone of his own. */
export function NewGroupDialog({ connectionId, onAdded, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const add = useAddGroup(connectionId);
  const { register, handleSubmit, formState } = useForm({
    defaultValues: { name: "", members: t("simulator.examples.members") },
  });

  function submit({ name, members }: { name: string; members: string }): void {
    const group = { name: name.trim(), members: namesOf(members).map((one) => ({ name: one })) };
    add.mutate(group, {
      onSuccess: (added) => {
        onAdded(added);
        onClose();
      },
    });
  }

  return (
    <FormDialog
      title={t("simulator.newGroup")}
      submitLabel={t("simulator.createGroup")}
      isBusy={add.isPending}
      error={add.error === null ? null : errorText(t, add.error)}
      onSubmit={(event) => void handleSubmit(submit)(event)}
      onClose={onClose}
    >
      <TextInput
        {...register("name", {
          validate: (value) => value.trim() !== "" || t("simulator.nameRequired"),
        })}
        label={t("simulator.groupName")}
        error={formState.errors.name?.message}
        maxLength={limits.nameMax}
        autoComplete="off"
        data-autofocus
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

/** Written beside each other, with commas between them. */
function namesOf(text: string): string[] {
  const names = text.split(",").map((name) => name.trim().slice(0, limits.nameMax));
  return [...new Set(names)].filter(Boolean);
}
