import {
  IconAddressBook,
  IconCalendarPlus,
  IconChevronLeft,
  IconDotsVertical,
  IconMessageCircle,
  IconMessageOff,
  IconPencil,
} from "@tabler/icons-react";
import type { ComponentProps, ReactNode } from "react";
import { Suspense, useState } from "react";
import { ApiError } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useCompanyEvent } from "../../realtime/index.ts";
import { Link, useNavigate } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { DraftOf } from "../../ui/drafts.ts";
import { AppAvatar, IconButton, MenuButton, notifySuccess } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { TagMark } from "../../ui/marks.tsx";
import { OnDemand } from "../../ui/on-demand.tsx";
import { Page } from "../../ui/page/page.tsx";
import { ListSkeleton, LoadFailed } from "../../ui/states.tsx";
import { useSession } from "../auth/index.ts";
import { LazyScheduleDialog } from "../schedules/index.ts";
import type { ShownContact } from "./api.ts";
import { deleteContact, useContact } from "./api.ts";
import { AttendancesCard, FilesCard, SchedulesCard } from "./contact-cards.tsx";
import type { ContactSummary } from "./contact-page-api.ts";
import { useSummary } from "./contact-page-api.ts";
import { Phone } from "./contact-parts.tsx";
import { ContactSide } from "./contact-side.tsx";
import classes from "./one-contact.module.css";
import { useOpenConversation } from "./open-conversation.ts";
import { EndOptOutQuestion, OptOutWords, stopSending } from "./opt-out.tsx";

const ContactDialog = lazyPart(
  async () => (await import("./contact-form.tsx")).ContactDialog,
  "over",
);
const ContactMenu = lazyPart(async () => (await import("./contact-menus.tsx")).ContactMenu);
const ActionQuestion = lazyPart(
  async () => (await import("../../ui/dialogs/question-dialog.tsx")).ActionQuestion,
  "over",
);
const MergeStart = lazyPart(
  async () => (await import("./merge-start.tsx")).MergeStart,
  "over",
  "rare",
);

/** The page of one contact: who it is, what was said and sent, what comes, and what happened to it (ui-2.md). */
export function OneContact({ id }: { id: number }): ReactNode {
  const { t } = useTranslation();
  const { data, error, refetch } = useContact(id);
  useCompanyEvent("contact", (event) => {
    if (event.action === "delete" && event.contactId === id) void refetch();
  });
  const isGone = error instanceof ApiError && error.code === "ERR_NO_CONTACT_FOUND";
  if (data !== undefined && !isGone) return <Shown contact={data} />;
  return (
    <Page title={t("contacts.title")} back={<Link to="/contacts">{t("contacts.title")}</Link>}>
      {error === null ? (
        <ListSkeleton />
      ) : (
        <LoadFailed icon={IconAddressBook} error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

type Asked = "edit" | "schedule" | "endOptOut" | "remove" | "merge";

function Shown({ contact }: { contact: ShownContact }): ReactNode {
  const [asked, setAsked] = useState<Asked | null>(null);
  const summary = useSummary(contact.id);
  return (
    <Page title={contact.name} panes="alone">
      <div className={classes["scroller"]} data-page-scroller>
        <div className={classes["page"]}>
          <Head contact={contact} summary={summary.data} onAsk={setAsked} />
          {contact.optOut === null ? null : (
            <OptOutStrip optOut={contact.optOut} onEnd={() => setAsked("endOptOut")} />
          )}
          <div className={classes["columns"]}>
            <AttendancesCard contactId={contact.id} connections={summary.data?.connections} />
            <SchedulesCard contact={contact} onAdd={() => setAsked("schedule")} />
            <FilesCard contactId={contact.id} />
            <ContactSide contact={contact} summary={summary} />
          </div>
        </div>
      </div>
      <Suspense fallback={null}>
        <Dialogs contact={contact} asked={asked} onClose={() => setAsked(null)} />
      </Suspense>
    </Page>
  );
}

type HeadProps = {
  contact: ShownContact;
  /** Undefined while it is loading. */
  summary: ContactSummary | undefined;
  onAsk: (asked: Asked) => void;
};

function Head({ contact, summary, onAsk }: HeadProps): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const open = useOpenConversation();
  const { id, name, number, email, isGroup, optOut } = contact;
  const isOut = optOut !== null;
  const mayMerge = !isGroup;
  return (
    <header className={classes["head"]}>
      <nav className={classes["back"]}>
        <MenuButton />
        <IconChevronLeft size={15} stroke={1.7} aria-hidden="true" />
        <Link to="/contacts">{t("contacts.title")}</Link>
      </nav>
      <AppAvatar name={name} id={id} size={56} />
      <div className={classes["who"]}>
        <p className={classes["name"]}>
          {name}
          {summary?.tags.map((tag) => (
            <TagMark key={tag.id} name={tag.name} color={tag.color} />
          ))}
        </p>
        <div className={classes["address"]}>
          {number === "" ? <span>{t("contacts.noNumber")}</span> : <Phone number={number} />}
          {email === "" ? null : <a href={`mailto:${email}`}>{email}</a>}
        </div>
      </div>
      <div className={classes["tools"]}>
        {can("schedules:use") && !isGroup ? (
          <IconButton
            className={classes["wide"] ?? ""}
            label={t(isOut ? "contacts.page.scheduleOptedOut" : "schedules.newTitle")}
            icon={IconCalendarPlus}
            disabled={isOut}
            onClick={() => onAsk("schedule")}
          />
        ) : null}
        <Button
          variant="default"
          className={classes["wide"] ?? ""}
          leftSection={<IconPencil size={15} stroke={1.7} aria-hidden="true" />}
          onClick={() => onAsk("edit")}
        >
          {t("contacts.edit")}
        </Button>
        {can("tickets:work") && !isGroup ? (
          <div className={classes["primary"]}>
            <Button
              disabled={summary === undefined}
              leftSection={<IconMessageCircle size={15} stroke={1.7} aria-hidden="true" />}
              onClick={() => open({ contact, openTicketId: summary?.openTicketId ?? null })}
            >
              {t("contacts.page.open")}
            </Button>
          </div>
        ) : null}
        <OnDemand
          part={ContactMenu}
          standIn={<MoreButton name={name} aria-haspopup="menu" aria-expanded={false} />}
        >
          <ContactMenu
            contact={contact}
            target={<MoreButton name={name} />}
            onEdit={() => onAsk("edit")}
            onSchedule={() => onAsk("schedule")}
            onMerge={mayMerge ? () => onAsk("merge") : null}
            onOptOut={() => stopSending(contact)}
            onEndOptOut={() => onAsk("endOptOut")}
            onRemove={() => onAsk("remove")}
          />
        </OnDemand>
      </div>
    </header>
  );
}

type MoreProps = Omit<ComponentProps<typeof IconButton>, "label" | "icon"> & { name: string };

function MoreButton({ name, ...rest }: MoreProps): ReactNode {
  const { t } = useTranslation();
  return <IconButton {...rest} label={t("contacts.more", { name })} icon={IconDotsVertical} />;
}

type StripProps = { optOut: NonNullable<ShownContact["optOut"]>; onEnd: () => void };

/** Says who left the contact out, how and when. */
function OptOutStrip({ optOut, onEnd }: StripProps): ReactNode {
  const { t } = useTranslation();
  return (
    <section className={classes["strip"]} aria-label={t("contacts.optOut.title")}>
      <IconMessageOff size={19} stroke={1.7} aria-hidden="true" />
      <p>
        <strong>{t("contacts.optOut.title")}</strong>
        <OptOutWords optOut={optOut} />
      </p>
      <button type="button" className={classes["stripAction"]} onClick={onEnd}>
        {t("contacts.optOut.end")}
      </button>
    </section>
  );
}

type DialogsProps = { contact: ShownContact; asked: Asked | null; onClose: () => void };

function Dialogs({ contact, asked, onClose }: DialogsProps): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { id, name } = contact;
  switch (asked) {
    case null:
      return null;
    case "edit":
      return (
        <DraftOf value={`contacts ${id}`}>
          <ContactDialog contactId={id} onClose={onClose} />
        </DraftOf>
      );
    case "schedule":
      return <LazyScheduleDialog contact={contact} onClose={onClose} />;
    case "endOptOut":
      return <EndOptOutQuestion contact={contact} onClose={onClose} />;
    case "merge":
      return (
        <MergeStart
          contact={contact}
          onMerged={(keptId) => navigate(`/contacts/${keptId}`, { replace: true })}
          onClose={onClose}
        />
      );
    case "remove":
      return (
        <ActionQuestion
          isDestructive
          title={t("contacts.deleteTitle", { name })}
          text={t("contacts.deleteText")}
          confirm={t("common.deleteConfirm")}
          run={() => deleteContact(id)}
          onDone={() => {
            notifySuccess(t("contacts.deleted"));
            navigate("/contacts", { replace: true });
          }}
          onClose={onClose}
        />
      );
  }
}
