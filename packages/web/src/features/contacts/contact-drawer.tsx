import type { Attendance, ContactRef, Ticket } from "@balcao/contract";
import { IconMessageOff, IconPencil, IconX } from "@tabler/icons-react";
import type { KeyboardEvent, ReactNode } from "react";
import { Suspense, useEffect, useRef, useState } from "react";
import { formatDayLabel, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { AppAvatar, errorText, IconButton, ListSkeleton, QueueDot } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { TicketNotes } from "../notes/index.ts";
import { ContactSchedules } from "../schedules/index.ts";
import type { ShownContact } from "./api.ts";
import { attendancePages, useContact } from "./api.ts";
import classes from "./contact-drawer.module.css";
import { ExtraInfo, Phone } from "./contact-parts.tsx";
import { EndOptOutQuestion, OptOutWords, stopSending } from "./opt-out.tsx";
import { SharedFiles } from "./shared-files.tsx";

const ContactForm = lazyPart(async () => (await import("./contact-form.tsx")).ContactForm);

type Props = {
  ticket: Pick<Ticket, "id" | "contact" | "whatsapp" | "queue" | "user">;
  onClose: () => void;
};

/**
 * The contact of a ticket: details with a form, where the ticket is, extra information, scheduled messages, notes, files and links,
 * and history. A column
 * beside the conversation on wide screens, over it on others. It takes the focus and returns it.
 */
export function ContactDrawer({ ticket, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { contact } = ticket;
  const { data, error, refetch } = useContact(contact.id);
  const [isEditing, setEditing] = useState(false);
  const [hasEdited, setHasEdited] = useState(false);
  const closeButton = useFocusLoan();
  function stopEditing(): void {
    setEditing(false);
    setHasEdited(true);
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    if (isEditing) stopEditing();
    else onClose();
  }
  return (
    <aside className={classes["drawer"]} aria-label={t("contacts.panel")} onKeyDown={onKeyDown}>
      <header className={classes["head"]}>
        <h2 className={classes["title"]}>{t("contacts.panel")}</h2>
        <IconButton
          ref={closeButton}
          label={t("contacts.close")}
          shortcut="Alt I"
          icon={IconX}
          onClick={onClose}
        />
      </header>
      <div className="bc-scroll">
        {isEditing && data ? (
          <Suspense fallback={<ListSkeleton rows={3} />}>
            <ContactForm key={data.id} contact={data} onDone={stopEditing} />
          </Suspense>
        ) : (
          <>
            <Details
              contact={data ?? contact}
              mustFocus={hasEdited}
              onEdit={data ? () => setEditing(true) : null}
            />
            {data ? <OptOut contact={data} /> : null}
            <Facts contact={data ?? contact} ticket={ticket} />
            {data ? <ExtraInfo contact={data} /> : null}
          </>
        )}
        {error !== null && !data ? (
          <div className={classes["section"]} role="alert">
            <p className={classes["failure"]}>{errorText(t, error)}</p>
            <Button size="xs" variant="default" onClick={() => void refetch()}>
              {t("common.retry")}
            </Button>
          </div>
        ) : null}
        <ContactSchedules
          key={`schedules ${contact.id}`}
          contact={contact}
          title={<h3 className={classes["subtitle"]}>{t("contacts.schedules")}</h3>}
        />
        <section className={classes["section"]}>
          <h3 className={classes["subtitle"]}>{t("contacts.notes")}</h3>
          <TicketNotes ticketId={ticket.id} />
        </section>
        <SharedFiles key={`shared ${ticket.id}`} ticketId={ticket.id} />
        <section className={classes["section"]}>
          <h3 className={classes["subtitle"]}>{t("contacts.history")}</h3>
          <AttendanceHistory key={contact.id} contactId={contact.id} />
        </section>
      </div>
    </aside>
  );
}

/** Takes the focus while mounted and returns it afterwards. */
function useFocusLoan() {
  const ref = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const lender = document.activeElement;
    ref.current?.focus();
    return () => {
      if (lender instanceof HTMLElement && lender.isConnected) lender.focus();
    };
  }, []);
  return ref;
}

type DetailsProps = {
  contact: ContactRef;
  /** True right after the form with the focus closed. */
  mustFocus: boolean;
  /** Null while the contact is loading. */
  onEdit: (() => void) | null;
};

function Details({ contact, mustFocus, onEdit }: DetailsProps): ReactNode {
  const { t } = useTranslation();
  const editButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (mustFocus) editButton.current?.focus({ preventScroll: true });
  }, [mustFocus]);
  return (
    <section className={classes["who"]}>
      <AppAvatar name={contact.name} id={contact.id} size={64} />
      <p className={classes["name"]}>{contact.name}</p>
      {contact.number === "" ? (
        <p className={classes["number"]}>{t("contacts.noNumber")}</p>
      ) : (
        <Phone number={contact.number} />
      )}
      {onEdit === null ? null : (
        <Button
          ref={editButton}
          size="xs"
          variant="default"
          leftSection={<IconPencil size={15} stroke={1.7} aria-hidden="true" />}
          onClick={onEdit}
        >
          {t("contacts.edit")}
        </Button>
      )}
    </section>
  );
}

/** Says since when and by whom the contact is left out, with the control for it. */
function OptOut({ contact }: { contact: ShownContact }): ReactNode {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  const { optOut } = contact;
  if (optOut === null) {
    return (
      <section className={classes["section"]}>
        <Button
          size="xs"
          variant="subtle"
          leftSection={<IconMessageOff size={15} stroke={1.7} aria-hidden="true" />}
          onClick={() => stopSending(contact)}
        >
          {t("contacts.optOut.set")}
        </Button>
      </section>
    );
  }
  return (
    <section className={classes["section"]}>
      <h3 className={classes["subtitle"]}>{t("contacts.optOut.title")}</h3>
      <p className="bc-note">
        <OptOutWords optOut={optOut} />
      </p>
      <Button size="xs" variant="default" style={{ marginTop: 8 }} onClick={() => setAsking(true)}>
        {t("contacts.optOut.end")}
      </Button>
      {isAsking ? (
        <Suspense fallback={null}>
          <EndOptOutQuestion contact={contact} onClose={() => setAsking(false)} />
        </Suspense>
      ) : null}
    </section>
  );
}

type FactsProps = Pick<Props, "ticket"> & { contact: ContactRef };

/** The e-mail, and the connection, the queue and the agent of the ticket. */
function Facts({ contact, ticket }: FactsProps): ReactNode {
  const { t } = useTranslation();
  const { whatsapp, queue, user } = ticket;
  const facts = [
    ["contacts.email", contact.email],
    ["contacts.connection", whatsapp?.name],
    ["contacts.queue", queue?.name],
    ["contacts.agent", user?.name],
  ] as const;
  return (
    <section className={classes["section"]}>
      <h3 className={classes["subtitle"]}>{t("contacts.facts")}</h3>
      <dl className={classes["pairs"]}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{t(label)}</dt>
            <dd>
              {label === "contacts.queue" && queue ? <QueueDot color={queue.color} /> : null}
              {label === "contacts.email" && value ? (
                <a className={classes["email"]} href={`mailto:${value}`}>
                  {value}
                </a>
              ) : (
                value || <span className={classes["none"]}>{t("contacts.none")}</span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The contact's attendances on all connections, the newest first. */
function AttendanceHistory({ contactId }: { contactId: number }): ReactNode {
  const { t } = useTranslation();
  const pages = attendancePages.usePages(contactId, { staleTime: 0 });
  if (pages.error !== null) {
    return (
      <p className="bc-failure" role="alert">
        {errorText(t, pages.error)}
      </p>
    );
  }
  if (pages.rows?.length === 0) return <p className="bc-note">{t("contacts.noHistory")}</p>;
  return (
    <>
      <ol className={classes["list"]}>
        {pages.rows?.map((attendance) => (
          <Row key={attendance.id} attendance={attendance} />
        ))}
      </ol>
      {pages.hasMore ? (
        <Button size="xs" variant="subtle" loading={pages.isLoadingMore} onClick={pages.loadMore}>
          {t("contacts.moreHistory")}
        </Button>
      ) : null}
    </>
  );
}

function Row({ attendance }: { attendance: Attendance }): ReactNode {
  const { t } = useTranslation();
  const { queue, user, whatsapp, startedAt, finishedAt, createdAt, firstMessageId } = attendance;
  // At the message that it began with.
  const place = firstMessageId === null ? "" : `?message=${firstMessageId}`;
  const began = startedAt ?? createdAt;
  return (
    <li>
      <Link className={classes["row"] ?? ""} to={`/tickets/${attendance.ticketUuid}${place}`}>
        <span className={classes["when"]}>
          {formatDayLabel(began)}, {formatTime(began)}
        </span>
        <span className={classes["state"]}>{t(stateOf(attendance))}</span>
        <span className={classes["where"]}>
          {queue === null ? null : <QueueDot color={queue.color} />}
          {[queue?.name, user?.name, whatsapp?.name].filter(Boolean).join(" · ")}
        </span>
        {finishedAt === null ? null : (
          <span className={classes["until"]}>
            {t("contacts.until", {
              moment: `${formatDayLabel(finishedAt)}, ${formatTime(finishedAt)}`,
            })}
          </span>
        )}
      </Link>
    </li>
  );
}

function stateOf({ startedAt, finishedAt }: Attendance) {
  if (finishedAt !== null) return "contacts.finished";
  return startedAt === null ? "contacts.waiting" : "contacts.serving";
}
