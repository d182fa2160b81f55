import type { QuickMessage } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import { IconPaperclip } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";
import { AttachmentField } from "../../ui/attachment-field.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { SwitchField } from "../../ui/dialogs/switch-field.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { MessageField } from "../../ui/text-with-variables.tsx";
import { useSession } from "../auth/index.ts";
import { foldersOf, quickMessageList, saveAttachment, saveQuickMessage } from "./api.ts";

type Props = {
  /** Null: a new one. */
  quickMessage: QuickMessage | null;
  onClose: () => void;
};

/** Shortcode, text with variables, for whom, and one attachment. */
export function QuickMessageDialog({ quickMessage, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const [attachment, setAttachment] = useState<AttachmentChange>({ kind: "keep" });
  const { shortcode = "", message = "", geral = false, status = true } = quickMessage ?? {};
  const { folder = "" } = quickMessage ?? {};
  const { data: all = [] } = useQuery(quickMessageList.query);
  const folders = foldersOf(all);
  const foldersId = useId();
  const { register, control, errors, dialog } = useRecordForm({
    id: quickMessage?.id ?? null,
    values: { shortcode, message, folder, geral },
    save: (id, values) => saveQuickMessage(id, { ...values, status }),
    saveFile: (id) => saveAttachment(id, attachment),
    savedText: t("quickMessages.saved"),
    fieldErrors: { ERR_QUICKMESSAGE_REQUIRED: "shortcode" },
    onClose,
  });
  return (
    <FormDialog
      {...dialog}
      title={t(quickMessage === null ? "quickMessages.newTitle" : "quickMessages.editTitle")}
    >
      <TextInput
        {...register("shortcode", {
          validate: (value) => value.trim() !== "" || t("quickMessages.shortcodeRequired"),
        })}
        label={t("quickMessages.shortcode")}
        description={errors.shortcode ? undefined : t("quickMessages.shortcodeHelp")}
        error={errors.shortcode?.message}
        maxLength={limits.shortcodeMax}
        autoComplete="off"
        data-autofocus
      />
      <MessageField control={control} name="message" label={t("quickMessages.message")} rows={7} />
      <TextInput
        {...register("folder")}
        label={t("quickMessages.folder")}
        description={t("quickMessages.folderHelp")}
        maxLength={limits.folderMax}
        list={foldersId}
        autoComplete="off"
      />
      <datalist id={foldersId}>
        {folders.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {can("quick-messages:manage-all") ? (
        <SwitchField control={control} name="geral" label={t("quickMessages.forEverybody")} />
      ) : null}
      <AttachmentField
        known={quickMessage?.mediaName ?? null}
        change={attachment}
        onChange={setAttachment}
        icon={IconPaperclip}
        attachLabel={t("quickMessages.attach")}
        detachLabel={(name) => t("quickMessages.detach", { name })}
      />
    </FormDialog>
  );
}
