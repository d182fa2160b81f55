import type { Help } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Textarea, TextInput } from "@mantine/core";
import { IconPencil, IconPlus, IconTrash, IconVideo } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { notifySuccess } from "../../ui/index.ts";
import { ActionQuestion } from "../../ui/page/record-page.tsx";
import type { Sort } from "../../ui/page/record-table.tsx";
import { RecordTable } from "../../ui/page/record-table.tsx";
import { deleteHelp, helpList, saveHelp, videoCodeIn } from "./api.ts";
import { HelpsFailed } from "./helps-page.tsx";
import classes from "./help-videos.module.css";

const all = (): string => "";

/** The help videos as super users keep them: a tab of the settings. */
export function HelpVideos(): ReactNode {
  const { t } = useTranslation();
  const pages = helpList.usePages("", all);
  const [sort, setSort] = useState<Sort>(null);
  const [edited, setEdited] = useState<Help | "new" | null>(null);
  const [removed, setRemoved] = useState<Help | null>(null);
  const add = (
    <Button
      leftSection={<IconPlus size={15} stroke={1.7} aria-hidden="true" />}
      onClick={() => setEdited("new")}
    >
      {t("common.add")}
    </Button>
  );
  if (pages.rows === undefined && pages.error !== null)
    return <HelpsFailed onRetry={pages.retry} />;
  return (
    <div className={classes["panel"]}>
      <div className={classes["head"]}>
        <p className="bc-small">{t("helps.help")}</p>
        {pages.rows?.length === 0 ? null : add}
      </div>
      <RecordTable
        label={t("helps.heading")}
        pages={pages}
        sort={sort}
        onSort={setSort}
        identify={({ id }) => id}
        columns={[
          {
            id: "title",
            title: t("helps.name"),
            renderCell: ({ title }) => title,
            sortBy: ({ title }) => title,
            isName: true,
          },
          {
            id: "description",
            title: t("helps.description"),
            renderCell: ({ description }) => description,
          },
          {
            id: "video",
            title: t("helps.video"),
            fit: "content",
            renderCell: ({ video }) => video,
          },
        ]}
        renderActions={(help) => (
          <>
            <IconButton
              label={t("common.edit", { name: help.title })}
              icon={IconPencil}
              onClick={() => setEdited(help)}
            />
            <IconButton
              label={t("common.delete", { name: help.title })}
              icon={IconTrash}
              onClick={() => setRemoved(help)}
            />
          </>
        )}
        empty={{ icon: IconVideo, title: t("common.noRecord"), text: t("helps.help"), action: add }}
      />
      <Suspense fallback={null}>
        {edited === null ? null : (
          <HelpDialog help={edited === "new" ? null : edited} onClose={() => setEdited(null)} />
        )}
        {removed === null ? null : (
          <ActionQuestion
            isDestructive
            title={t("helps.deleteTitle", { name: removed.title })}
            text={t("helps.deleteText")}
            confirm={t("common.deleteConfirm")}
            run={() => deleteHelp(removed.id)}
            onDone={() => notifySuccess(t("helps.deleted"))}
            onClose={() => setRemoved(null)}
          />
        )}
      </Suspense>
    </div>
  );
}

type Props = {
  /** Null: a new one. */
  help: Help | null;
  onClose: () => void;
};

function HelpDialog({ help, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { title = "", description = "", video = "" } = help ?? {};
  const { register, errors, dialog } = useRecordForm({
    id: help?.id ?? null,
    values: { title, description, video },
    save: (id, values) => saveHelp(id, { ...values, video: videoCodeIn(values.video) ?? "" }),
    savedText: t("helps.saved"),
    fieldErrors: { ERR_HELP_REQUIRED: "title" },
    textOf: () => t("helps.saveFailed"),
    onClose,
  });
  const isShort = (text: string): boolean => text.trim().length < limits.helpTextMin;
  return (
    <FormDialog {...dialog} title={t(help === null ? "helps.newTitle" : "helps.editTitle")}>
      <TextInput
        {...register("title", {
          validate(value) {
            if (value.trim() === "") return t("helps.required");
            return !isShort(value) || t("helps.nameShort");
          },
        })}
        label={t("helps.name")}
        error={errors.title?.message}
        maxLength={limits.helpTitleMax}
        autoComplete="off"
        data-autofocus
      />
      <Textarea
        {...register("description", {
          validate: (value) => value.trim() === "" || !isShort(value) || t("helps.nameShort"),
        })}
        label={t("helps.description")}
        error={errors.description?.message}
        rows={3}
        maxLength={limits.helpDescriptionMax}
      />
      <TextInput
        {...register("video", {
          validate(value) {
            if (value.trim() === "") return t("helps.required");
            return videoCodeIn(value) !== null || t("helps.videoWrong");
          },
        })}
        label={t("helps.video")}
        description={errors.video ? undefined : t("helps.videoHelp")}
        error={errors.video?.message}
        autoComplete="off"
        spellCheck={false}
      />
    </FormDialog>
  );
}
