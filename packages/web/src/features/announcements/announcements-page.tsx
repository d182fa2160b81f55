import { IconPaperclip, IconSpeakerphone } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { RecordPage, useListAddress } from "../../ui/page/record-page.tsx";
import { PriorityMark } from "./announcement-card.tsx";
import classes from "./announcements-page.module.css";
import { announcementPages, deleteAnnouncement } from "./api.ts";

const AnnouncementDialog = lazyPart(
  async () => (await import("./announcement-dialog.tsx")).AnnouncementDialog,
  "over",
  "teamwork",
);

/** The announcements of the provider, also inactive ones, for super users. */
export function AnnouncementsPage(): ReactNode {
  const { t } = useTranslation();
  const address = useListAddress();
  return (
    <RecordPage
      texts="announcements"
      icon={IconSpeakerphone}
      address={address}
      pages={announcementPages.usePages({ searchParam: address.words })}
      nameOf={({ title }) => title}
      columns={[
        {
          id: "title",
          title: t("announcements.name"),
          renderCell: ({ title }) => title,
          sortBy: ({ title }) => title,
          isName: true,
        },
        {
          id: "priority",
          title: t("announcements.priority"),
          fit: "content",
          renderCell: ({ priority }) => <PriorityMark priority={priority} />,
          sortBy: ({ priority }) => priority,
        },
        {
          id: "image",
          title: t("announcements.image"),
          renderCell: ({ mediaName }) => <ImageName name={mediaName} />,
          sortBy: ({ mediaName }) => mediaName,
        },
        {
          id: "status",
          title: t("announcements.status"),
          fit: "content",
          renderCell: ({ status }) => (
            <span className={classes["status"]} data-tone={status ? "ok" : undefined}>
              {t(status ? "announcements.active" : "announcements.inactive")}
            </span>
          ),
          sortBy: ({ status }) => Number(!status),
        },
      ]}
      renderForm={(one, onClose) => <AnnouncementDialog announcement={one} onClose={onClose} />}
      deleteText={() => t("announcements.deleteText")}
      onDelete={({ id }) => deleteAnnouncement(id)}
    />
  );
}

function ImageName({ name }: { name: string | null }): ReactNode {
  const { t } = useTranslation();
  if (name === null) return t("announcements.noImage");
  return (
    <span className={classes["image"]}>
      <IconPaperclip size={15} stroke={1.7} aria-hidden="true" />
      {name}
    </span>
  );
}
