import "@mantine/core/styles/ColorInput.layer.css";
import "@mantine/core/styles/ColorPicker.layer.css";
import "@mantine/core/styles/ColorSwatch.layer.css";
import "@mantine/core/styles/InlineInput.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import type { ListedTag } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { ColorInput, Switch, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Controller, useForm } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { errorText, notifySuccess } from "../../ui/index.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { useSession } from "../auth/index.ts";
import type { TagValues } from "./api.ts";
import { saveTag } from "./api.ts";
import { DEFAULT_TAG_COLOR, tagColors } from "./tag-colors.ts";

type Props = {
  /** Null: a new one. */
  tag: ListedTag | null;
  onClose: () => void;
};

const COLOR = /^#([\da-f]{3}|[\da-f]{6})$/i;

/** Name, colour, and for admins and supervisors whether it is a lane of the board. */
export function TagDialog({ tag, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const mayName = tag === null || can("tags:manage");
  const form = useForm<TagValues>({
    defaultValues: {
      name: tag?.name ?? "",
      color: tag?.color ?? DEFAULT_TAG_COLOR,
      kanban: tag?.kanban === 1,
    },
  });
  const { errors, dirtyFields } = form.formState;
  const save = useMutation({
    mutationFn: (values: TagValues) => {
      const changed = (["name", "color", "kanban"] as const).filter((key) => dirtyFields[key]);
      return saveTag(tag?.id ?? null, { ...values, name: values.name.trim() }, changed);
    },
    onSuccess: () => {
      notifySuccess(t("tags.saved"));
      onClose();
    },
  });
  return (
    <FormDialog
      title={t(tag === null ? "tags.newTitle" : "tags.editTitle")}
      submitLabel={t("common.save")}
      isBusy={save.isPending}
      error={save.error === null ? null : errorText(t, save.error)}
      onSubmit={(event) => void form.handleSubmit((values) => save.mutate(values))(event)}
      onClose={onClose}
    >
      <TextInput
        {...form.register("name", {
          validate: (value) => {
            if (value.trim() === "") return t("tags.nameRequired");
            return value.trim().length >= limits.tagNameMin || t("tags.nameShort");
          },
        })}
        label={t("tags.name")}
        error={errors.name?.message}
        maxLength={limits.nameMax}
        readOnly={!mayName}
        autoComplete="off"
        data-autofocus
      />
      <Controller
        control={form.control}
        name="color"
        rules={{ validate: (value) => COLOR.test(value) || t("tags.colorWrong") }}
        render={({ field }) => (
          <ColorInput
            {...field}
            label={t("tags.color")}
            error={errors.color?.message}
            format="hex"
            swatches={[...tagColors]}
            swatchesPerRow={10}
            readOnly={!mayName}
            eyeDropperButtonProps={{ "aria-label": t("tags.pickColor") }}
          />
        )}
      />
      {can("tags:set-kanban") ? (
        <Controller
          control={form.control}
          name="kanban"
          render={({ field: { value, onChange, ref } }) => (
            <Switch
              ref={ref}
              checked={value}
              onChange={(event) => onChange(event.currentTarget.checked)}
              label={t("tags.isLane")}
            />
          )}
        />
      ) : null}
    </FormDialog>
  );
}
