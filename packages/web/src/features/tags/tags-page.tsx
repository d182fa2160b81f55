import type { ListedTag } from "@balcao/contract";
import { Button } from "@mantine/core";
import { IconLayoutKanban, IconPencil, IconTag, IconTrash } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton, notifySuccess } from "../../ui/index.ts";
import { ListPage } from "../../ui/page/page.tsx";
import { RecordTable } from "../../ui/page/record-table.tsx";
import { TagMark } from "../../ui/tag-mark.tsx";
import { useSession } from "../auth/index.ts";
import { deleteTag, useTagPages } from "./api.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";

const TagDialog = lazyPart(async () => (await import("./tag-dialog.tsx")).TagDialog, "over");
const QuestionDialog = lazyPart(
  async () => (await import("../../ui/dialogs/question-dialog.tsx")).QuestionDialog,
  "over",
);

/** The company's tags: everybody adds, admins change and delete, supervisors choose the lanes of the board. */
export function TagsPage(): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const [words, setWords] = useState("");
  const [edited, setEdited] = useState<ListedTag | "new" | null>(null);
  const [removed, setRemoved] = useState<ListedTag | null>(null);
  const pages = useTagPages(words);
  const add = (): void => setEdited("new");
  return (
    <ListPage
      title={t("tags.title")}
      count={pages.rows ? pages.count : null}
      searchLabel={t("tags.search")}
      onSearch={setWords}
      addLabel={t("tags.add")}
      onAdd={add}
    >
      <RecordTable
        label={t("tags.title")}
        pages={pages}
        identify={({ id }) => id}
        columns={[
          {
            title: t("tags.name"),
            renderCell: ({ name, color }) => <TagMark name={name} color={color} />,
            isName: true,
          },
          {
            title: t("tags.tickets"),
            renderCell: ({ ticketsCount }) => t("tags.ticketsCount", { count: ticketsCount }),
          },
          {
            title: t("tags.kanban"),
            renderCell: ({ kanban }) => <BoardMark isLane={kanban === 1} />,
          },
        ]}
        renderActions={(tag) => (
          <>
            {can("tags:set-kanban") ? (
              <IconButton
                label={t("tags.edit", { name: tag.name })}
                icon={IconPencil}
                onClick={() => setEdited(tag)}
              />
            ) : null}
            {can("tags:manage") ? (
              <IconButton
                label={t("tags.delete", { name: tag.name })}
                icon={IconTrash}
                onClick={() => setRemoved(tag)}
              />
            ) : null}
          </>
        )}
        empty={
          words === ""
            ? {
                icon: IconTag,
                title: t("tags.emptyTitle"),
                text: t("tags.emptyText"),
                action: <Button onClick={add}>{t("tags.add")}</Button>,
              }
            : { icon: IconTag, title: t("tags.noMatch", { words }) }
        }
      />
      <Suspense fallback={null}>
        {edited === null ? null : (
          <TagDialog tag={edited === "new" ? null : edited} onClose={() => setEdited(null)} />
        )}
        {removed === null ? null : <Removal tag={removed} onClose={() => setRemoved(null)} />}
      </Suspense>
    </ListPage>
  );
}

function BoardMark({ isLane }: { isLane: boolean }): ReactNode {
  const { t } = useTranslation();
  if (!isLane) return t("tags.noLane");
  return (
    <>
      <IconLayoutKanban size={15} stroke={1.7} aria-hidden="true" /> {t("tags.lane")}
    </>
  );
}

function Removal({ tag, onClose }: { tag: ListedTag; onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  const removal = useMutation({
    mutationFn: () => deleteTag(tag.id),
    onSuccess: () => {
      notifySuccess(t("tags.deleted"));
      onClose();
    },
  });
  return (
    <QuestionDialog
      opened
      isDestructive
      title={t("tags.deleteTitle", { name: tag.name })}
      text={t("tags.deleteText", { count: tag.ticketsCount })}
      confirm={t("tags.deleteConfirm")}
      isBusy={removal.isPending}
      error={removal.error}
      onConfirm={() => removal.mutate()}
      onClose={onClose}
    />
  );
}
