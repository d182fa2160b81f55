import type { ListedTag } from "@balcao/contract";
import { defaultTagColor, limits } from "@balcao/contract/limits";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { ColorField } from "../../ui/color-field.tsx";
import { NameField, nameRule } from "../../ui/dialogs/name-field.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { SwitchField } from "../../ui/dialogs/switch-field.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { useSession } from "../auth/index.ts";
import { saveTag } from "./api.ts";

type Props = { tag: ListedTag | null; onClose: () => void };

/** The form of a tag: name, colour, and for admins and supervisors the lane of the board. A null tag is a new one. */
export function TagDialog({ tag, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const readOnly = tag !== null && !can("tags:manage");
  const { name = "", color = defaultTagColor, kanban = 0 } = tag ?? {};
  const { register, control, errors, dialog } = useRecordForm({
    id: tag?.id ?? null,
    values: { name, color, kanban },
    save: saveTag,
    savedText: t("tags.saved"),
    fieldErrors: { ERR_TAG_INVALID_NAME: "name", ERR_TAG_EXISTS: "name" },
    onClose,
  });
  const min = limits.tagNameMin;
  return (
    <FormDialog {...dialog} title={t(tag === null ? "tags.newTitle" : "tags.editTitle")}>
      <NameField
        {...register("name", nameRule(t("tags.nameRequired"), t("tags.nameShort", { min }), min))}
        label={t("tags.name")}
        error={errors.name?.message}
        readOnly={readOnly}
      />
      <ColorField control={control} name="color" readOnly={readOnly} />
      {can("tags:set-kanban") ? (
        <SwitchField control={control} name="kanban" label={t("tags.isLane")} />
      ) : null}
    </FormDialog>
  );
}
