import { IconFile } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { formatMoment } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { RecordPage, useListAddress } from "../../ui/page/record-page.tsx";
import { useSession } from "../auth/index.ts";
import { CampaignTabs } from "../campaigns/index.ts";
import { deleteFileList, fileListPages } from "./api.ts";

const FileListDialog = lazyPart(
  async () => (await import("./file-list-dialog.tsx")).FileListDialog,
  "over",
  "rare",
);

/** The lists of files that campaigns send. */
export function FilesPage(): ReactNode {
  const { t } = useTranslation();
  const address = useListAddress();
  const { can } = useSession();
  const mayManage = (): boolean => can("file-lists:manage");
  return (
    <RecordPage
      texts="fileLists"
      icon={IconFile}
      address={address}
      pages={fileListPages.usePages(address.words)}
      filters={<CampaignTabs />}
      nameOf={({ name }) => name}
      columns={[
        {
          id: "name",
          title: t("contacts.name"),
          renderCell: ({ name }) => name,
          isName: true,
        },
        {
          id: "files",
          fit: "content",
          title: t("fileLists.files"),
          renderCell: ({ optionsCount }) => t("fileLists.count", { count: optionsCount }),
        },
        {
          id: "updated",
          fit: "content",
          title: t("fileLists.updatedAt"),
          renderCell: ({ updatedAt }) => formatMoment(updatedAt),
        },
      ]}
      mayAdd={mayManage()}
      mayEdit={mayManage}
      mayDelete={mayManage}
      renderForm={(one, onClose) => <FileListDialog listed={one} onClose={onClose} />}
      deleteText={({ optionsCount }) => t("fileLists.deleteText", { count: optionsCount })}
      onDelete={({ id }) => deleteFileList(id)}
    />
  );
}
