import { IconLayoutKanban, IconTag } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { RecordPage, useListAddress } from "../../ui/page/record-page.tsx";
import { TagMark } from "../../ui/marks.tsx";
import { useSession } from "../auth/index.ts";
import { offerUndo } from "../../ui/undo.tsx";
import { deleteTag, tagPages, undoTagDeletion } from "./api.ts";

const TagDialog = lazyPart(async () => (await import("./tag-dialog.tsx")).TagDialog, "over");

/**
 * The tags of the company: all users add them, admins edit and delete them, supervisors choose the lanes of the board.
 */
export function TagsPage(): ReactNode {
  const { t } = useTranslation();
  const address = useListAddress();
  const { can } = useSession();
  const lane = (
    <>
      <IconLayoutKanban size={15} stroke={1.7} aria-hidden="true" /> {t("tags.lane")}
    </>
  );
  return (
    <RecordPage
      texts="tags"
      icon={IconTag}
      address={address}
      pages={tagPages.usePages(address.words)}
      nameOf={({ name }) => name}
      columns={[
        {
          id: "name",
          title: t("tags.name"),
          renderCell: ({ name, color }) => <TagMark name={name} color={color} />,
          sortBy: ({ name }) => name,
          isName: true,
        },
        {
          id: "tickets",
          fit: "content",
          title: t("tags.tickets"),
          renderCell: ({ ticketsCount }) => t("tags.ticketsCount", { count: ticketsCount }),
          sortBy: ({ ticketsCount }) => ticketsCount,
        },
        {
          id: "kanban",
          fit: "content",
          title: t("tags.kanban"),
          renderCell: ({ kanban }) => (kanban === 1 ? lane : t("tags.noLane")),
          sortBy: ({ kanban }) => kanban,
        },
      ]}
      mayEdit={() => can("tags:set-kanban")}
      mayDelete={() => can("tags:manage")}
      renderForm={(tag, onClose) => <TagDialog tag={tag} onClose={onClose} />}
      deleteText={({ ticketsCount }) => t("tags.deleteText", { count: ticketsCount })}
      onDelete={({ id }) => deleteTag(id)}
      onDeleted={({ id, name }) =>
        offerUndo({ kind: "tagDeleted", name, undo: () => undoTagDeletion(id) })
      }
    />
  );
}
