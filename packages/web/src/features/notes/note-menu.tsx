import type { TicketNote } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Menu } from "@mantine/core";
import { IconDots, IconPencil, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { epochMs } from "../../ui/clock.ts";
import { IconButton, notifyError } from "../../ui/index.ts";
import { useSession } from "../auth/index.ts";
import { showNoteTab } from "./api.ts";
import { removeNote } from "./note-changes.ts";

/** The button and menu of a note: its author edits it for 15 minutes; removing it can be undone. */
export function NoteMenu({ note }: { note: TicketNote }): ReactNode {
  const { t } = useTranslation();
  const isOwn = note.userId === useSession().user.id;
  const isEditable = (): boolean =>
    isOwn && epochMs() - Date.parse(note.createdAt) < limits.editWithinMs;
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <IconButton size="small" icon={IconDots} label={t("messages.noteOptions")} />
      </Menu.Target>
      <Menu.Dropdown>
        {isEditable() ? (
          <Menu.Item
            leftSection={<IconPencil size={15} stroke={1.7} aria-hidden="true" />}
            onClick={() => showNoteTab(note.ticketId, { edited: note })}
          >
            {t("notes.edit")}
          </Menu.Item>
        ) : null}
        <Menu.Item
          color="bad"
          leftSection={<IconTrash size={15} stroke={1.7} aria-hidden="true" />}
          onClick={() => void removeNote(note).catch(notifyError)}
        >
          {t("notes.remove")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
