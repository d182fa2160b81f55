import { IconListDetails } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { formatMoment } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link, useParams } from "../../router/index.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { RecordPage, useListAddress } from "../../ui/page/record-page.tsx";
import { useSession } from "../auth/index.ts";
import { CampaignTabs } from "../campaigns/index.ts";
import { LazyImportWizard } from "../contact-imports/index.ts";
import { contactListPages, deleteContactList, useContactList } from "./api.ts";

const ContactListDialog = lazyPart(
  async () => (await import("./contact-list-dialog.tsx")).ContactListDialog,
  "over",
);
const ContactListMembers = lazyPart(
  async () => (await import("./contact-list-members.tsx")).ContactListMembers,
);

/** The lists that campaigns write to, the people on one of them, or an import into it. */
export function ContactListsPage(): ReactNode {
  const { contactListId, part, item } = useParams();
  const id = Number(contactListId);
  if (!Number.isInteger(id)) return <ContactLists />;
  if (part === "import") return <ImportIntoList key={id} id={id} importId={item} />;
  return <ContactListMembers key={id} id={id} />;
}

function ImportIntoList({ id, importId }: { id: number; importId: string | undefined }): ReactNode {
  const { data } = useContactList(id);
  return <LazyImportWizard contactListId={id} listName={data?.name} importId={importId} />;
}

function ContactLists(): ReactNode {
  const { t } = useTranslation();
  const address = useListAddress();
  const { can } = useSession();
  const mayManage = (): boolean => can("contact-lists:manage");
  return (
    <RecordPage
      texts="contactLists"
      icon={IconListDetails}
      address={address}
      filters={<CampaignTabs />}
      pages={contactListPages.usePages(address.words)}
      nameOf={({ name }) => name}
      columns={[
        {
          id: "name",
          title: t("contacts.name"),
          renderCell: ({ id, name }) => <Link to={`/contact-lists/${id}/contacts`}>{name}</Link>,
          isName: true,
        },
        {
          id: "contacts",
          fit: "content",
          title: t("contactLists.contacts"),
          renderCell: ({ contactsCount }) => t("contacts.bulk.contacts", { count: contactsCount }),
        },
        {
          id: "created",
          fit: "content",
          title: t("contacts.createdAt"),
          renderCell: ({ createdAt }) => formatMoment(createdAt),
        },
      ]}
      mayAdd={mayManage()}
      mayEdit={mayManage}
      mayDelete={mayManage}
      renderForm={(one, onClose) => <ContactListDialog contactList={one} onClose={onClose} />}
      deleteText={({ contactsCount }) => t("contactLists.deleteText", { count: contactsCount })}
      onDelete={({ id }) => deleteContactList(id)}
    />
  );
}
