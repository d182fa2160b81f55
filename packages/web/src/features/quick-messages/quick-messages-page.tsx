import type { QuickMessage } from "@balcao/contract";
import { Button } from "@mantine/core";
import { IconBolt, IconPaperclip, IconPencil, IconTrash, IconUsers } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton, notifySuccess } from "../../ui/index.ts";
import { ListPage } from "../../ui/page/page.tsx";
import { RecordTable } from "../../ui/page/record-table.tsx";
import { useSession } from "../auth/index.ts";
import { deleteQuickMessage, useQuickMessages } from "./api.ts";
import classes from "./quick-messages-page.module.css";
import { lazyPart } from "../../ui/lazy-part.tsx";

const QuickMessageDialog = lazyPart(
  async () => (await import("./quick-message-dialog.tsx")).QuickMessageDialog,
  "over",
);
const QuestionDialog = lazyPart(
  async () => (await import("../../ui/dialogs/question-dialog.tsx")).QuestionDialog,
  "over",
);

/** The prepared answers of the user and of his company. */
export function QuickMessagesPage(): ReactNode {
  const { t } = useTranslation();
  const { user, can } = useSession();
  const [words, setWords] = useState("");
  const [edited, setEdited] = useState<QuickMessage | "new" | null>(null);
  const [removed, setRemoved] = useState<QuickMessage | null>(null);
  const pages = useQuickMessages(words);
  const mayChange = (one: QuickMessage): boolean =>
    can("quick-messages:manage-all") || (one.userId === user.id && !one.geral);
  const add = (): void => setEdited("new");
  return (
    <ListPage
      title={t("quickMessages.title")}
      count={pages.rows ? pages.count : null}
      searchLabel={t("quickMessages.search")}
      onSearch={setWords}
      addLabel={t("quickMessages.add")}
      onAdd={add}
    >
      <RecordTable
        label={t("quickMessages.title")}
        pages={pages}
        identify={({ id }) => id}
        columns={[
          { title: t("quickMessages.shortcode"), renderCell: shortcodeCell, isName: true },
          { title: t("quickMessages.message"), renderCell: ({ message }) => message },
          {
            title: t("quickMessages.attachment"),
            renderCell: ({ mediaName }) => <Attachment name={mediaName} />,
          },
        ]}
        renderActions={(one) =>
          mayChange(one) ? (
            <>
              <IconButton
                label={t("quickMessages.edit", { name: one.shortcode })}
                icon={IconPencil}
                onClick={() => setEdited(one)}
              />
              <IconButton
                label={t("quickMessages.delete", { name: one.shortcode })}
                icon={IconTrash}
                onClick={() => setRemoved(one)}
              />
            </>
          ) : null
        }
        empty={
          words === ""
            ? {
                icon: IconBolt,
                title: t("quickMessages.emptyTitle"),
                text: t("quickMessages.emptyText"),
                action: <Button onClick={add}>{t("quickMessages.add")}</Button>,
              }
            : { icon: IconBolt, title: t("quickMessages.noMatch", { words }) }
        }
      />
      <Suspense fallback={null}>
        {edited === null ? null : (
          <QuickMessageDialog
            quickMessage={edited === "new" ? null : edited}
            onClose={() => setEdited(null)}
          />
        )}
        {removed === null ? null : (
          <Removal quickMessage={removed} onClose={() => setRemoved(null)} />
        )}
      </Suspense>
    </ListPage>
  );
}

function shortcodeCell({ shortcode, geral }: QuickMessage): ReactNode {
  return (
    <span className={classes["shortcode"]}>
      /{shortcode}
      {geral ? <SharedMark /> : null}
    </span>
  );
}

function SharedMark(): ReactNode {
  const { t } = useTranslation();
  return (
    <span className={classes["shared"]}>
      <IconUsers size={15} stroke={1.7} aria-hidden="true" />
      {t("quickMessages.shared")}
    </span>
  );
}

function Attachment({ name }: { name: string | null }): ReactNode {
  const { t } = useTranslation();
  if (name === null) return t("quickMessages.noAttachment");
  return (
    <span className={classes["attachment"]}>
      <IconPaperclip size={15} stroke={1.7} aria-hidden="true" />
      {name}
    </span>
  );
}

function Removal({ quickMessage, onClose }: { quickMessage: QuickMessage; onClose: () => void }) {
  const { t } = useTranslation();
  const removal = useMutation({
    mutationFn: () => deleteQuickMessage(quickMessage.id),
    onSuccess: () => {
      notifySuccess(t("quickMessages.deleted"));
      onClose();
    },
  });
  return (
    <QuestionDialog
      opened
      isDestructive
      title={t("quickMessages.deleteTitle", { name: quickMessage.shortcode })}
      text={t("quickMessages.deleteText")}
      confirm={t("quickMessages.deleteConfirm")}
      isBusy={removal.isPending}
      error={removal.error}
      onConfirm={() => removal.mutate()}
      onClose={onClose}
    />
  );
}
