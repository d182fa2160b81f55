import type { QuickMessage } from "@balcao/contract";
import { IconBolt, IconPaperclip, IconUsers } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { RecordPage, useListAddress } from "../../ui/page/record-page.tsx";
import { Button } from "../../ui/button.tsx";
import { useSession } from "../auth/index.ts";
import { LazyMacrosPage } from "../macros/index.ts";
import { deleteQuickMessage, quickMessagePages } from "./api.ts";
import classes from "./quick-messages-page.module.css";

const QuickMessageDialog = lazyPart(
  async () => (await import("./quick-message-dialog.tsx")).QuickMessageDialog,
  "over",
);

/** The quick messages, and beside them the macros of the company. */
export function QuickMessagesPage(): ReactNode {
  const { t } = useTranslation();
  const [isMacros, setMacros] = useState(false);
  const other = (
    <Button variant="default" onClick={() => setMacros(!isMacros)}>
      {t(isMacros ? "quickMessages.title" : "macros.title")}
    </Button>
  );
  if (!isMacros) return <QuickMessageList tools={other} />;
  return (
    <Suspense fallback={null}>
      <LazyMacrosPage tools={other} />
    </Suspense>
  );
}

/** The quick messages of the user and the company. */
function QuickMessageList({ tools }: { tools: ReactNode }): ReactNode {
  const { t } = useTranslation();
  const address = useListAddress();
  const pages = quickMessagePages.usePages(address.words);
  const { user, can } = useSession();
  const mayChange = (one: QuickMessage): boolean =>
    can("quick-messages:manage-all") || (one.userId === user.id && !one.geral);
  return (
    <RecordPage
      texts="quickMessages"
      tools={tools}
      icon={IconBolt}
      address={address}
      pages={pages}
      nameOf={({ shortcode }) => shortcode}
      columns={[
        {
          id: "shortcode",
          title: t("quickMessages.shortcode"),
          renderCell: shortcodeCell,
          sortBy: ({ shortcode }) => shortcode,
          isName: true,
        },
        { id: "message", title: t("quickMessages.message"), renderCell: ({ message }) => message },
        {
          id: "folder",
          title: t("quickMessages.folder"),
          renderCell: ({ folder }) => folder,
          sortBy: ({ folder }) => folder,
        },
        {
          id: "attachment",
          title: t("quickMessages.attachment"),
          renderCell: ({ mediaName }) => <Attachment name={mediaName} />,
        },
      ]}
      mayEdit={mayChange}
      mayDelete={mayChange}
      renderForm={(one, onClose) => <QuickMessageDialog quickMessage={one} onClose={onClose} />}
      deleteText={() => t("quickMessages.deleteText")}
      onDelete={({ id }) => deleteQuickMessage(id)}
    />
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
