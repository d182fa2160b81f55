import type { Announcement, AnnouncementPriority } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Textarea, TextInput } from "@mantine/core";
import { IconPhoto } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import { useWatch } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";
import { AttachmentField } from "../../ui/attachment-field.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { SegmentedField } from "../../ui/dialogs/segmented-field.tsx";
import { SwitchField } from "../../ui/dialogs/switch-field.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { AnnouncementCard } from "./announcement-card.tsx";
import classes from "./announcement-dialog.module.css";
import { saveAnnouncement, saveImage } from "./api.ts";

type Props = {
  /** Null: a new one. */
  announcement: Announcement | null;
  onClose: () => void;
};

/** Title, text, priority, whether it is shown, one image, and below how everybody will see it. */
export function AnnouncementDialog({ announcement, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const image = useImage(announcement?.mediaPath ?? null);
  const { title = "", text = "", priority = 3, status = true } = announcement ?? {};
  const { register, control, errors, dialog } = useRecordForm({
    id: announcement?.id ?? null,
    values: { title, text, priority: String(priority), status },
    save: (id, values) =>
      saveAnnouncement(id, { ...values, priority: asPriority(values.priority) }),
    saveFile: (id) => saveImage(id, image.change),
    savedText: t("announcements.saved"),
    onClose,
  });
  const shown = useWatch({ control });
  const required = {
    validate: (value: string) => value.trim() !== "" || t("announcements.required"),
  };
  return (
    <FormDialog
      {...dialog}
      title={t(announcement === null ? "announcements.newTitle" : "announcements.editTitle")}
    >
      <TextInput
        {...register("title", required)}
        label={t("announcements.name")}
        error={errors.title?.message}
        maxLength={limits.announcementTitleMax}
        autoComplete="off"
        data-autofocus
      />
      <Textarea
        {...register("text", required)}
        label={t("announcements.text")}
        error={errors.text?.message}
        rows={7}
        maxLength={limits.announcementTextMax}
      />
      <SegmentedField
        control={control}
        name="priority"
        label={t("announcements.priority")}
        choices={([1, 2, 3] as const).map((one) => ({
          value: String(one),
          label: t(`announcements.priority${one}`),
        }))}
      />
      <SwitchField
        control={control}
        name="status"
        label={t("announcements.active")}
        description={t("announcements.activeHelp")}
      />
      <div className={classes["image"]}>
        <AttachmentField
          known={announcement?.mediaName ?? null}
          change={image.change}
          onChange={image.choose}
          icon={IconPhoto}
          accept=".png,.jpg,.jpeg"
          attachLabel={t("announcements.attach")}
          detachLabel={(name) => t("announcements.detach", { name })}
        />
        <span className="bc-meta">{t("announcements.imageHelp")}</span>
      </div>
      <section className={classes["preview"]} aria-label={t("announcements.preview")}>
        <p className="bc-meta">{t("announcements.preview")}</p>
        <AnnouncementCard
          announcement={{
            title: shown.title?.trim() || t("announcements.name"),
            text: shown.text?.trim() || t("announcements.text"),
            priority: asPriority(shown.priority),
            publishedAt: announcement?.publishedAt ?? null,
            mediaPath: image.preview,
          }}
          isNew={false}
          onImage={null}
        />
      </section>
    </FormDialog>
  );
}

function asPriority(text: string | undefined): AnnouncementPriority {
  if (text === "1") return 1;
  return text === "2" ? 2 : 3;
}

/** What saving does to the image, and the address at which it is shown until then: a chosen file is shown from this device. */
function useImage(known: string | null) {
  const [change, setChange] = useState<AttachmentChange>({ kind: "keep" });
  const [local, setLocal] = useState<string | null>(null);
  useEffect(
    () => () => {
      if (local !== null) URL.revokeObjectURL(local);
    },
    [local],
  );
  return {
    change,
    preview: change.kind === "keep" ? known : local,
    choose(next: AttachmentChange): void {
      setChange(next);
      setLocal(next.kind === "attach" ? URL.createObjectURL(next.file) : null);
    },
  };
}
