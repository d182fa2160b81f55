import type { ContactEvent, ContactFieldChange } from "@balcao/contract";
import type { Icon } from "@tabler/icons-react";
import {
  IconArrowMerge,
  IconMessageCircle,
  IconMessageOff,
  IconPencil,
  IconPhone,
  IconPlus,
} from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { formatDate, formatDayLabel, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { errorText } from "../../ui/index.ts";
import { formatPhone } from "../../ui/phone-number.ts";
import { useSession } from "../auth/index.ts";
import { NewNote, Note } from "../notes/index.ts";
import type { ShownContact } from "./api.ts";
import { CardRows, MoreButton } from "./contact-cards.tsx";
import drawer from "./contact-drawer.module.css";
import type { ContactSummary } from "./contact-page-api.ts";
import { historyPages, notePages } from "./contact-page-api.ts";
import { ExtraInfo } from "./contact-parts.tsx";
import classes from "./contact-side.module.css";

type Props = {
  contact: ShownContact;
  summary: Pick<UseQueryResult<ContactSummary>, "data" | "error" | "refetch">;
};

/** The column of a contact's page: details, extra information, notes of all tickets, and its history. */
export function ContactSide({ contact, summary }: Props): ReactNode {
  return (
    <div className={classes["side"]}>
      <Facts contact={contact} summary={summary} />
      <ExtraInfo contact={contact} />
      <Notes contactId={contact.id} ticketId={summary.data?.noteTicketId ?? null} />
      <History contactId={contact.id} />
    </div>
  );
}

function Facts({ contact, summary }: Props): ReactNode {
  const { t } = useTranslation();
  const { data, error } = summary;
  const facts = [
    { label: t("contacts.page.since"), value: formatDate(contact.createdAt) },
    ...(data === undefined
      ? []
      : [
          {
            label: t("contacts.lastContact"),
            value:
              data.lastContactAt === null
                ? null
                : `${formatDayLabel(data.lastContactAt)}, ${formatTime(data.lastContactAt)}`,
          },
          {
            label: t("contacts.connection"),
            value: data.connections.map(({ name }) => name).join(", ") || null,
          },
          ...data.otherNumbers.map((number) => ({
            label: t("contacts.page.otherNumber"),
            value: formatPhone(number),
          })),
        ]),
  ];
  return (
    <section className={drawer["section"]}>
      <h2 className={drawer["subtitle"]}>{t("contacts.facts")}</h2>
      <dl className={drawer["pairs"]}>
        {facts.map(({ label, value }) => (
          <div key={`${label} ${value}`}>
            <dt>{label}</dt>
            <dd>{value ?? <span className={drawer["none"]}>{t("contacts.none")}</span>}</dd>
          </div>
        ))}
        {data === undefined || data.lists.length === 0 ? null : <Lists summary={data} />}
      </dl>
      {error !== null && data === undefined ? (
        <div role="alert">
          <p className="bc-failure">{errorText(t, error)}</p>
          <Button size="xs" variant="default" onClick={() => void summary.refetch()}>
            {t("common.retry")}
          </Button>
        </div>
      ) : null}
    </section>
  );
}

function Lists({ summary: { lists, listCount } }: { summary: ContactSummary }): ReactNode {
  const { t } = useTranslation();
  const hidden = listCount - lists.length;
  return (
    <div>
      <dt>{t("contacts.page.lists")}</dt>
      <dd>
        {lists.map(({ id, name }, at) => (
          <span key={id}>
            {at === 0 ? "" : ", "}
            <Link className={classes["link"] ?? ""} to={`/contact-lists/${id}/contacts`}>
              {name}
            </Link>
          </span>
        ))}
        {hidden > 0 ? ` ${t("contacts.page.moreLists", { number: hidden })}` : null}
      </dd>
    </div>
  );
}

type NotesProps = {
  contactId: number;
  /** The ticket that a new note belongs to; null: the user sees none. */
  ticketId: number | null;
};

function Notes({ contactId, ticketId }: NotesProps): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const pages = notePages.usePages(contactId, { staleTime: 0, enabled: can("tickets:work") });
  const [isWriting, setWriting] = useState(false);
  const readAgain = (): void => notePages.readAgain(contactId);
  if (!can("tickets:work")) return null;
  return (
    <section className={drawer["section"]} aria-label={t("contacts.notes")}>
      <header className={classes["head"]}>
        <h2 className={drawer["subtitle"]}>
          {t("contacts.notes")}{" "}
          {pages.rows ? <span className={classes["count"]}>{pages.count}</span> : null}
        </h2>
        {ticketId === null || isWriting ? null : (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={15} stroke={1.7} aria-hidden="true" />}
            onClick={() => setWriting(true)}
          >
            {t("contacts.page.newNote")}
          </Button>
        )}
      </header>
      {ticketId !== null && isWriting ? (
        <NewNote
          ticketId={ticketId}
          onAdded={() => {
            setWriting(false);
            readAgain();
          }}
        />
      ) : null}
      <div className={classes["rows"]}>
        <CardRows pages={pages} empty={t("contacts.page.noNotes")}>
          {(rows) => (
            <ul className={classes["notes"]}>
              {rows.map((note) => (
                <Note key={note.id} note={note} onChange={readAgain} />
              ))}
            </ul>
          )}
        </CardRows>
        <MoreButton pages={pages} />
      </div>
    </section>
  );
}

function History({ contactId }: { contactId: number }): ReactNode {
  const { t } = useTranslation();
  const pages = historyPages.usePages(contactId, { staleTime: 0 });
  return (
    <section className={drawer["section"]} aria-label={t("contacts.page.history")}>
      <h2 className={drawer["subtitle"]}>{t("contacts.page.history")}</h2>
      <div className={classes["rows"]}>
        <CardRows pages={pages} empty={t("contacts.page.noChanges")}>
          {(rows) => (
            <ol className={classes["events"]}>
              {rows.map((event) => (
                <Event key={event.id} event={event} />
              ))}
            </ol>
          )}
        </CardRows>
        <MoreButton pages={pages} />
      </div>
    </section>
  );
}

const icons: Readonly<Record<ContactEvent["change"]["kind"], Icon>> = {
  edited: IconPencil,
  numberChanged: IconPhone,
  optedOut: IconMessageOff,
  optOutEnded: IconMessageCircle,
  consent: IconPencil,
  merged: IconArrowMerge,
};

/** What happened, what it was before, who did it and when. */
function Event({ event }: { event: ContactEvent }): ReactNode {
  const { t } = useTranslation();
  const { title, details } = useWords(event.change);
  const EventIcon = icons[event.change.kind];
  const name = event.user === null ? t("contacts.page.automatic") : event.user.name;
  const who = name === "" ? t("notes.formerUser") : name;
  return (
    <li>
      <EventIcon size={15} stroke={1.7} aria-hidden="true" />
      <div>
        <p className={classes["what"]}>{title}</p>
        {details.map((detail) => (
          <p key={detail} className={classes["detail"]}>
            {detail}
          </p>
        ))}
        <p className="bc-meta">
          {who}, {formatDayLabel(event.at)}, {formatTime(event.at)}
        </p>
      </div>
    </li>
  );
}

function useWords(change: ContactEvent["change"]): { title: string; details: string[] } {
  const { t } = useTranslation();
  const nameOf = ({ field, label }: Pick<ContactFieldChange, "field" | "label">): string =>
    field === "extraInfo" ? label : t(`contacts.page.fields.${field}`);
  const valueOf = (field: ContactFieldChange["field"], value: string): string => {
    if (value === "") return t("contacts.empty");
    if (field === "number") return formatPhone(value);
    if (field !== "active" && field !== "disableBot") return value;
    // The switch says that the chatbot is off.
    const isOn = (value === "true") === (field === "active");
    return t(isOn ? "contacts.page.on" : "contacts.page.off");
  };
  switch (change.kind) {
    case "edited": {
      const [first] = change.fields;
      const title =
        change.fields.length === 1 && first !== undefined
          ? t(`contacts.page.${first.field === "extraInfo" ? "editedInfo" : "edited"}`, {
              field: nameOf(first),
            })
          : t("contacts.page.editedSeveral");
      const details = change.fields.map((one) =>
        t("contacts.page.fromTo", {
          field: nameOf(one),
          from: valueOf(one.field, one.from),
          to: valueOf(one.field, one.to),
        }),
      );
      return { title, details };
    }
    case "numberChanged": {
      const [from, to] = [change.from ?? "", change.to];
      const field = t("contacts.page.fields.number");
      const values = { field, from: valueOf("number", from), to: valueOf("number", to) };
      return {
        title: t("contacts.page.edited", { field }),
        details: [t("contacts.page.fromTo", values)],
      };
    }
    case "optedOut":
      return { title: t("contacts.page.optedOut"), details: [] };
    case "optOutEnded":
      return { title: t("contacts.page.optOutEnded"), details: [] };
    case "consent":
      return {
        title: t(
          change.consent === "given"
            ? "contacts.page.consentGiven"
            : "contacts.page.consentWithdrawn",
        ),
        details: change.note === "" ? [] : [change.note],
      };
    case "merged": {
      const { name, number, email } = change.contact;
      const values = [name, number === "" ? "" : formatPhone(number), email];
      const lost = change.lost.map((one) =>
        t("contacts.page.before", { field: nameOf(one), value: valueOf(one.field, one.value) }),
      );
      return {
        title: t("contacts.page.merged", { name: values.filter(Boolean).join(", ") }),
        details: lost,
      };
    }
  }
}
