import type { Macro } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useWatch } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { NameField, nameRule } from "../../ui/dialogs/name-field.tsx";
import { SwitchField } from "../../ui/dialogs/switch-field.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { MessageField } from "../../ui/text-with-variables.tsx";
import { useQueues } from "../queues/index.ts";
import { reasonList } from "../settings/index.ts";
import { tagList } from "../tags/index.ts";
import { keysOf, saveMacro } from "./api.ts";

const MESSAGE_ROWS = 5;
const KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

type Props = {
  /** Null: a new one. */
  macro: Macro | null;
  onClose: () => void;
};

type Choice = { value: string; label: string };

/** The steps of a macro: text, tag, queue, and the end with its reason. */
export function MacroDialog({ macro, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { data: tags = [] } = useQuery(tagList.query);
  const { data: reasons = [] } = useQuery(reasonList.query);
  const queues = useQueues() ?? [];
  const { name = "", message = "", resolves = false } = macro ?? {};
  const idOf = (id: number | null | undefined): string => (id == null ? "" : String(id));
  const { register, control, errors, dialog } = useRecordForm({
    id: macro?.id ?? null,
    values: {
      ...{ name, message, resolves, key: macro?.key ?? "" },
      ...{ tagId: idOf(macro?.tagId), queueId: idOf(macro?.queueId) },
      reasonId: idOf(macro?.reasonId),
    },
    save: (id, values) =>
      saveMacro(id, {
        ...{ name: values.name.trim(), message: values.message, resolves: values.resolves },
        key: values.key === "" ? null : values.key,
        tagId: chosen(values.tagId),
        queueId: chosen(values.queueId),
        reasonId: values.resolves ? chosen(values.reasonId) : null,
      }),
    savedText: t("macros.saved"),
    fieldErrors: {
      ERR_MACRO_KEY_TAKEN: "key",
      ERR_NO_TAG_FOUND: "tagId",
      ERR_QUEUE_NOT_FOUND: "queueId",
      ERR_NO_REASON_FOUND: "reasonId",
    },
    onClose,
  });
  const isResolving = useWatch({ control, name: "resolves" });
  const nameOf = (one: { id: number; name: string }): Choice => ({
    value: String(one.id),
    label: one.name,
  });
  const none: Choice = { value: "", label: t("macros.none") };
  return (
    <FormDialog {...dialog} title={t(macro === null ? "macros.newTitle" : "macros.editTitle")}>
      <NameField
        {...register(
          "name",
          nameRule(
            t("macros.nameMissing"),
            t("macros.nameShort", { min: limits.nameMin }),
            limits.nameMin,
          ),
        )}
        label={t("macros.name")}
        error={errors.name?.message}
      />
      <NativeSelect
        {...register("key")}
        label={t("macros.key")}
        description={t("macros.keyHelp")}
        error={errors.key?.message}
        data={[none, ...KEYS.map((key) => ({ value: key, label: keysOf(key) }))]}
      />
      <MessageField
        control={control}
        name="message"
        label={t("macros.message")}
        description={t("macros.messageHelp")}
        rows={MESSAGE_ROWS}
        validate={(text, { tagId, queueId, resolves: ends }) =>
          text.trim() !== "" || tagId !== "" || queueId !== "" || ends || t("macros.noStep")
        }
      />
      <NativeSelect
        {...register("tagId")}
        label={t("macros.tag")}
        error={errors.tagId?.message}
        data={[none, ...tags.map(nameOf)]}
      />
      <NativeSelect
        {...register("queueId")}
        label={t("macros.queue")}
        error={errors.queueId?.message}
        data={[none, ...queues.map(nameOf)]}
      />
      <SwitchField control={control} name="resolves" label={t("macros.resolves")} />
      {isResolving && reasons.length > 0 ? (
        <NativeSelect
          {...register("reasonId")}
          label={t("macros.reason")}
          error={errors.reasonId?.message}
          data={[none, ...reasons.map(nameOf)]}
        />
      ) : null}
    </FormDialog>
  );
}

function chosen(id: string): number | null {
  return id === "" ? null : Number(id);
}
