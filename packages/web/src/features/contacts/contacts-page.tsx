import type { ListedContact, SheetFormat } from "@balcao/contract";
import { useMediaQuery } from "@mantine/hooks";
import {
  IconAddressBook,
  IconArrowMerge,
  IconChevronDown,
  IconDotsVertical,
  IconMessageCircle,
} from "@tabler/icons-react";
import type { ComponentProps, ReactNode } from "react";
import { Suspense, useEffect, useMemo, useState } from "react";
import { formatMoment } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link, useNavigate, useParams } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { DraftOf } from "../../ui/drafts.ts";
import { AppAvatar, IconButton, notifySuccess } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { TagMark } from "../../ui/marks.tsx";
import { OnDemand } from "../../ui/on-demand.tsx";
import { ExportButton } from "../../ui/export-button.tsx";
import { FilterBar } from "../../ui/page/filter-bar.tsx";
import { ActionQuestion, ListPage, useListAddress } from "../../ui/page/record-page.tsx";
import { EmptyCell, OptOutMark } from "../../ui/page/cells.tsx";
import type { Column } from "../../ui/page/record-table.tsx";
import { RowName } from "../../ui/page/record-table.tsx";
import { useSelection } from "../../ui/page/selection.tsx";
import { formatPhone } from "../../ui/phone-number.ts";
import { isPlaceholderName } from "@balcao/contract/contact-names";
import { LazyImportWizard } from "../contact-imports/index.ts";
import { LazyScheduleDialog } from "../schedules/index.ts";
import { contactPages, deleteContact, saveContactsFile } from "./api.ts";
import { duplicatePages } from "./contact-page-api.ts";
import { readFilter, writeFilter } from "./contact-filter.ts";
import { useFilters } from "./contact-filters.tsx";
import classes from "./contacts-page.module.css";
import { useOpenConversation } from "./open-conversation.ts";
import { EndOptOutQuestion, stopSending } from "./opt-out.tsx";

const ContactDialog = lazyPart(
  async () => (await import("./contact-form.tsx")).ContactDialog,
  "over",
);
const ContactsBulkBar = lazyPart(
  async () => (await import("./contacts-bulk-bar.tsx")).ContactsBulkBar,
);
const OneContact = lazyPart(
  async () => (await import("./one-contact.tsx")).OneContact,
  "inline",
  "rare",
);
const loadMerging = () => import("./merge-start.tsx");
const MergeStart = lazyPart(async () => (await loadMerging()).MergeStart, "over", "rare");
const DuplicatesReview = lazyPart(
  async () => (await loadMerging()).DuplicatesReview,
  "over",
  "rare",
);
const loadMenus = () => import("./contact-menus.tsx");
const ContactMenu = lazyPart(async () => (await loadMenus()).ContactMenu);
const ImportMenu = lazyPart(async () => (await loadMenus()).ImportMenu);

/** An open dialog about a contact other than its form. */
type Asked =
  | { what: "remove" | "endOptOut" | "schedule" | "merge"; contact: ListedContact }
  | { what: "duplicates" };

/** The address book, one contact of it, or an import into it. */
export function ContactsPage(): ReactNode {
  const { part = "", item } = useParams();
  if (part === "import") return <LazyImportWizard contactListId={null} importId={item} />;
  return /^\d+$/.test(part) ? <OneContact key={part} id={Number(part)} /> : <AddressBook />;
}

/** Everybody who wrote to the company or was added. */
function AddressBook(): ReactNode {
  const { t } = useTranslation();
  const address = useListAddress();
  const { words, sort } = address;
  const filter = useMemo(() => readFilter(address.filter), [address.filter]);
  const pages = contactPages.usePages({ words, sort, filter });
  const selection = useSelection<ListedContact>({
    nameOf: ({ name }) => name,
    of: `${words} ${address.filter}`,
    onEnd: () => notifySuccess(t("common.selection.ended")),
  });
  const count = selection.count(pages.count);
  const found = { ...filter, ...(words === "" ? {} : { searchParam: words }) };
  const [asked, setAsked] = useState<Asked | null>(null);
  const open = useOpenConversation();
  const navigate = useNavigate();
  const endAsking = (): void => setAsked(null);
  const isNarrow = useMediaQuery("(max-width: 599px)", false, { getInitialValueInEffect: false });
  const exporting = {
    count: pages.count,
    save: (format: SheetFormat) => saveContactsFile({ filter: found as never, except: [] }, format), // ids in it are of rows
  };
  useListKeys();

  return (
    <ListPage
      texts="contacts"
      icon={IconAddressBook}
      address={address}
      pages={pages}
      select={selection.select}
      foot={
        count === 0 ? null : (
          <Suspense fallback={null}>
            <ContactsBulkBar
              selection={selection}
              count={count}
              total={pages.count}
              filter={found}
            />
          </Suspense>
        )
      }
      columns={useColumns((contact) => setAsked({ what: "merge", contact }))}
      tools={
        <>
          {pages.count === 0 || isNarrow ? null : <ExportButton {...exporting} />}
          <ImportTools
            isNarrow={isNarrow}
            exporting={pages.count > 0 && isNarrow ? exporting : null}
          />
        </>
      }
      emptyTools={<ImportTools isNarrow={isNarrow} exporting={null} />}
      onAdd={() => address.openForm("new")}
      filters={
        <div className={classes["filters"]}>
          <FilterBar
            filters={useFilters(filter, (next) => address.change({ filter: writeFilter(next) }))}
            onClear={() => address.change({ filter: "" })}
          />
          <DuplicatesButton onOpen={() => setAsked({ what: "duplicates" })} />
        </div>
      }
      renderActions={(contact) => (
        <>
          <IconButton
            label={t("contacts.open", { name: contact.name })}
            icon={IconMessageCircle}
            onClick={() => open({ contact, openTicketId: servedTicketOf(contact) })}
          />
          <OnDemand
            part={ContactMenu}
            standIn={<MoreButton name={contact.name} aria-haspopup="menu" aria-expanded={false} />}
          >
            <ContactMenu
              contact={contact}
              target={<MoreButton name={contact.name} />}
              onShow={() => navigate(`/contacts/${contact.id}`)}
              onEdit={() => address.openForm(contact.id)}
              onMerge={contact.isGroup ? null : () => setAsked({ what: "merge", contact })}
              onSchedule={() => setAsked({ what: "schedule", contact })}
              onOptOut={() => stopSending(contact)}
              onEndOptOut={() => setAsked({ what: "endOptOut", contact })}
              onRemove={() => setAsked({ what: "remove", contact })}
            />
          </OnDemand>
        </>
      )}
    >
      {address.open === null ? null : (
        <DraftOf value={`contacts ${address.open}`}>
          <ContactDialog
            contactId={address.open === "new" ? null : address.open}
            onClose={address.closeForm}
          />
        </DraftOf>
      )}
      {asked?.what === "schedule" ? (
        <LazyScheduleDialog contact={asked.contact} onClose={endAsking} />
      ) : null}
      {asked?.what === "endOptOut" ? (
        <EndOptOutQuestion contact={asked.contact} onClose={endAsking} />
      ) : null}
      {asked?.what === "merge" ? (
        <MergeStart
          contact={asked.contact}
          otherId={asked.contact.duplicateId ?? undefined}
          onMerged={endAsking}
          onClose={endAsking}
        />
      ) : null}
      {asked?.what === "duplicates" ? <DuplicatesReview onClose={endAsking} /> : null}
      {asked?.what === "remove" ? (
        <ActionQuestion
          isDestructive
          title={t("contacts.deleteTitle", { name: asked.contact.name })}
          text={t("contacts.deleteText")}
          confirm={t("common.deleteConfirm")}
          run={() => deleteContact(asked.contact.id)}
          onDone={() => notifySuccess(t("contacts.deleted"))}
          onClose={endAsking}
        />
      ) : null}
    </ListPage>
  );
}

type ToolsProps = Pick<ComponentProps<typeof ImportMenu>, "exporting"> & { isNarrow: boolean };

/** Opens the ways to import contacts; under 600 px one icon, whose menu exports them too. */
function ImportTools({ isNarrow, exporting }: ToolsProps): ReactNode {
  return (
    <OnDemand
      part={ImportMenu}
      standIn={<ImportTarget isNarrow={isNarrow} aria-haspopup="menu" aria-expanded={false} />}
    >
      <ImportMenu target={<ImportTarget isNarrow={isNarrow} />} exporting={exporting} />
    </OnDemand>
  );
}

type TargetProps = Omit<ComponentProps<"button">, "color" | "title"> & { isNarrow: boolean };

function ImportTarget({ isNarrow, ...props }: TargetProps): ReactNode {
  const { t } = useTranslation();
  if (isNarrow) {
    return <IconButton {...props} label={t("imports.more")} icon={IconDotsVertical} />;
  }
  return (
    <Button {...props} variant="default">
      {t("imports.menu")}
      <IconChevronDown size={15} stroke={1.7} className={classes["down"]} aria-hidden="true" />
    </Button>
  );
}

const listKeys = new Set(["/", "ArrowDown", "ArrowUp", " ", "Delete", "Escape"]);

/** The keys of the list; what they do is fetched with the first one. */
function useListKeys(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { key, target, shiftKey, ctrlKey, metaKey, altKey } = event;
      if (event.defaultPrevented || ctrlKey || metaKey || altKey || !listKeys.has(key)) return;
      if (!(target instanceof Element)) return;
      if (target.closest("input:not([type=checkbox]), textarea, [role=dialog], [role=menu]"))
        return;
      // Elsewhere the space bar presses what has the focus.
      if (key === " " && !target.matches("th a")) return;
      event.preventDefault();
      import("./list-keys.ts").then((keys) => keys.pressKey(key, shiftKey)).catch(reportError);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}

function useColumns(onMerge: (contact: ListedContact) => void): readonly Column<ListedContact>[] {
  const { t } = useTranslation();
  return [
    {
      id: "name",
      title: t("contacts.name"),
      renderCell: (contact) => <ContactName contact={contact} onMerge={() => onMerge(contact)} />,
      sortBy: "server",
      isName: true,
    },
    {
      id: "number",
      fit: "content",
      title: t("contacts.number"),
      renderCell: ({ number }) => (number === "" ? <EmptyCell /> : formatPhone(number)),
    },
    {
      id: "email",
      title: t("contacts.email"),
      renderCell: ({ email }) => (email === "" ? <EmptyCell /> : email),
    },
    {
      id: "tags",
      title: t("contacts.tags"),
      renderCell: ({ tags }) => (tags.length === 0 ? <EmptyCell /> : <Tags tags={tags} />),
    },
    {
      id: "lastContact",
      fit: "content",
      title: t("contacts.lastContact"),
      renderCell: ({ lastContactAt }) =>
        lastContactAt === null ? <EmptyCell /> : formatMoment(lastContactAt),
      sortBy: "server",
      isLargestFirst: true,
    },
    {
      id: "createdAt",
      fit: "content",
      isExtra: true,
      title: t("contacts.createdAt"),
      renderCell: ({ createdAt }) => formatMoment(createdAt),
      sortBy: "server",
      isLargestFirst: true,
    },
  ];
}

type NameProps = { contact: ListedContact; onMerge: () => void };

/** Picture and name, a link to the contact's page, and one mark: of those who opted out, or of those who may be double. */
function ContactName({ contact, onMerge }: NameProps): ReactNode {
  const { t } = useTranslation();
  const { id, name, optOut, duplicateId } = contact;
  const shown = isPlaceholderName(name) ? t("contacts.unnamed") : name;
  const duplicate =
    duplicateId === null ? null : (
      <button
        type="button"
        className={classes["duplicate"]}
        aria-label={t("contacts.merge.ofPair", { name: shown })}
        onClick={onMerge}
      >
        {t("contacts.merge.mark")}
      </button>
    );
  return (
    <RowName
      name={
        <Link className={classes["link"] ?? ""} to={`/contacts/${id}`}>
          {shown}
        </Link>
      }
      before={<AppAvatar name={isPlaceholderName(name) ? "" : name} id={id} size={28} />}
      after={optOut === null ? duplicate : <OptOutMark />}
    />
  );
}

/** How many pairs of contacts may be one person; nothing when there is none. */
function DuplicatesButton({ onOpen }: { onOpen: () => void }): ReactNode {
  const { t } = useTranslation();
  const { count } = duplicatePages.usePages("", { staleTime: DUPLICATES_FRESH_MS });
  if (count === 0) return null;
  return (
    <Button
      variant="subtle"
      size="xs"
      leftSection={<IconArrowMerge size={15} stroke={1.7} aria-hidden="true" />}
      onClick={onOpen}
    >
      {t("contacts.merge.found", { count })}
    </Button>
  );
}

/** The whole book is looked through for pairs: not at each opening of the page. */
const DUPLICATES_FRESH_MS = 300_000;

const servedTicketOf = ({ tickets }: ListedContact): number | null =>
  tickets.findLast(({ status }) => status === "open")?.id ?? null;

function Tags({ tags }: Pick<ListedContact, "tags">): ReactNode {
  return (
    <span className={classes["tags"]}>
      {tags.map(({ id, name, color }) => (
        <TagMark key={id} name={name} color={color} />
      ))}
    </span>
  );
}

type MoreProps = Omit<ComponentProps<typeof IconButton>, "label" | "icon"> & { name: string };

function MoreButton({ name, ...rest }: MoreProps): ReactNode {
  const { t } = useTranslation();
  return <IconButton {...rest} label={t("contacts.more", { name })} icon={IconDotsVertical} />;
}
