import { IconLayoutKanban, IconTag } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { call } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { deleteWithUndo } from "../../ui/delete-with-undo.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { RecordPage, useListAddress } from "../../ui/page/record-page.tsx";
import { TagMark } from "../../ui/marks.tsx";
import { useSession } from "../auth/index.ts";
import { applyTag, tagPages } from "./api.ts";

const TagDialog = lazyPart(async () => (await import("./tag-dialog.tsx")).TagDialog, "over");

/** All users add tags, admins edit and delete them, supervisors choose the lanes of the board. */
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
      // Not in `api.ts`, which the inbox loads.
      onDelete={({ id: tagId, name }) =>
        deleteWithUndo({
          ...{ kind: "tagDeleted", id: tagId, name, apply: applyTag },
          remove: () => call("DELETE /tags/:tagId", { params: { tagId }, query: { undo: "true" } }),
          restore: () => call("POST /tags/:tagId/undo", { params: { tagId } }),
        })
      }
      offersUndo
    />
  );
}
