import type { ContactAttendance, Message } from "@balcao/contract";
import {
  IconChevronRight,
  IconFile,
  IconFileOff,
  IconMicrophone,
  IconPlus,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import type { Pages } from "../../api/use-pages.ts";
import { dayKey, formatDayLabel, formatMoment, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { errorText, ListSkeleton, QueueDot } from "../../ui/index.ts";
import { EmptyCell } from "../../ui/page/cells.tsx";
import { useSession } from "../auth/index.ts";
import { formatBytes, LazyMediaViewer } from "../messages/index.ts";
import { contactSchedules, ScheduleRows, sentSchedules } from "../schedules/index.ts";
import type { ShownContact } from "./api.ts";
import { attendancePages } from "./api.ts";
import classes from "./contact-cards.module.css";
import { otherFilePages, picturePages } from "./contact-page-api.ts";
import { Picture, SharedRow } from "./shared-files.tsx";

type CardProps = {
  title: string;
  /** How many there are; undefined while that is unknown. */
  count?: number | undefined;
  tools?: ReactNode;
  children: ReactNode;
};

/** A part of a contact's page with its own heading. */
function Card({ title, count, tools, children }: CardProps): ReactNode {
  return (
    <section className={classes["card"]} aria-label={title}>
      <header className={classes["head"]}>
        <h2 className={classes["title"]}>
          {title} {count === undefined ? null : <span className={classes["count"]}>{count}</span>}
        </h2>
        {tools}
      </header>
      {children}
    </section>
  );
}

type RowsProps<Row> = {
  pages: Pages<Row>;
  empty: string;
  children: (rows: readonly Row[]) => ReactNode;
};

/** The rows of a card, or why there are none. Old rows stay when they cannot be read again. */
export function CardRows<Row>({ pages, empty, children }: RowsProps<Row>): ReactNode {
  const { t } = useTranslation();
  const { rows, error } = pages;
  if (rows !== undefined) {
    return rows.length === 0 ? <p className={classes["empty"]}>{empty}</p> : children(rows);
  }
  if (error === null) return <ListSkeleton rows={3} />;
  return (
    <div className={classes["empty"]} role="alert">
      <p className="bc-failure">{errorText(t, error)}</p>
      <Button size="xs" variant="default" onClick={pages.retry}>
        {t("common.retry")}
      </Button>
    </div>
  );
}

/** Reads the next page of a card. */
export function MoreButton({ pages }: { pages: Pages<unknown> }): ReactNode {
  const { t } = useTranslation();
  if (!pages.hasMore) return null;
  return (
    <Button size="xs" variant="subtle" loading={pages.isLoadingMore} onClick={pages.loadMore}>
      {t("contacts.moreHistory")}
    </Button>
  );
}

const FIRST_ATTENDANCES = 7;

type AttendancesProps = {
  contactId: number;
  connections: readonly unknown[] | undefined;
};

/** The attendances on all connections, newest first: some, and then all of them page by page. */
export function AttendancesCard({ contactId, connections }: AttendancesProps): ReactNode {
  const { t } = useTranslation();
  const pages = attendancePages.usePages(contactId, { staleTime: 0 });
  const [isWhole, setWhole] = useState(false);
  const mayOpen = !isWhole && pages.count > FIRST_ATTENDANCES;
  return (
    <Card
      title={t("contacts.page.attendances")}
      count={pages.rows && pages.count}
      tools={
        connections === undefined || connections.length === 0 ? null : (
          <span className="bc-meta">
            {t("contacts.page.onConnections", { count: connections.length })}
          </span>
        )
      }
    >
      <CardRows pages={pages} empty={t("contacts.noHistory")}>
        {(rows) => (
          <>
            <table className={classes["table"]}>
              <thead>
                <tr>
                  <th scope="col">{t("contacts.page.when")}</th>
                  <th scope="col">{t("contacts.page.state")}</th>
                  <th scope="col">{t("contacts.queue")}</th>
                  <th scope="col">{t("contacts.connection")}</th>
                  <th scope="col">{t("contacts.agent")}</th>
                  <th scope="col">{t("contacts.page.messages")}</th>
                  <th scope="col">
                    <span className="bc-hidden-text">{t("contacts.page.access")}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {(isWhole ? rows : rows.slice(0, FIRST_ATTENDANCES)).map((attendance) => (
                  <AttendanceRow key={attendance.id} attendance={attendance} />
                ))}
              </tbody>
            </table>
            <div className={classes["foot"]}>
              {mayOpen ? (
                <Button size="xs" variant="subtle" onClick={() => setWhole(true)}>
                  {t("contacts.page.allAttendances", { number: pages.count })}
                </Button>
              ) : null}
              {isWhole ? <MoreButton pages={pages} /> : null}
            </div>
          </>
        )}
      </CardRows>
    </Card>
  );
}

function AttendanceRow({ attendance }: { attendance: ContactAttendance }): ReactNode {
  const { t } = useTranslation();
  const { queue, user, whatsapp, startedAt, finishedAt, firstMessageId } = attendance;
  // At the message that it began with.
  const place = firstMessageId === null ? "" : `?message=${firstMessageId}`;
  const when = useSpan(attendance);
  return (
    <tr data-open={attendance.isAccessible || undefined}>
      <th scope="row">
        {attendance.isAccessible ? (
          <Link className={classes["link"] ?? ""} to={`/tickets/${attendance.ticketUuid}${place}`}>
            {when}
          </Link>
        ) : (
          when
        )}
      </th>
      <td>
        {finishedAt === null ? (
          <span className={classes["pill"]} data-tone={startedAt === null ? "warn" : "ok"}>
            {t(startedAt === null ? "contacts.page.waiting" : "contacts.page.serving")}
          </span>
        ) : (
          t("contacts.page.finished")
        )}
      </td>
      <td data-empty={queue === null || undefined}>
        {queue === null ? (
          <EmptyCell />
        ) : (
          <span className={classes["queue"]}>
            <QueueDot color={queue.color} />
            {queue.name}
          </span>
        )}
      </td>
      <td data-empty={whatsapp === null || undefined}>{whatsapp?.name ?? <EmptyCell />}</td>
      <td data-empty={user === null || undefined}>{user?.name ?? <EmptyCell />}</td>
      <td className={classes["number"]}>
        {attendance.messageCount}
        <span className={classes["unit"]}>
          {" "}
          {t("contacts.page.messagesUnit", { count: attendance.messageCount })}
        </span>
      </td>
      <td className={classes["access"]}>
        {attendance.isAccessible ? (
          <IconChevronRight size={15} stroke={1.7} aria-hidden="true" />
        ) : (
          <span className="bc-meta">{t("contacts.page.noAccess")}</span>
        )}
      </td>
    </tr>
  );
}

/** "Hoje, 09:58", "03/11, 14:02 a 14:12", "12/10, 11:20 a 13/10". */
function useSpan({ startedAt, createdAt, finishedAt }: ContactAttendance): string {
  const { t } = useTranslation();
  const began = startedAt ?? createdAt;
  const from = `${formatDayLabel(began)}, ${formatTime(began)}`;
  if (finishedAt === null) return from;
  const isSameDay = dayKey(began) === dayKey(finishedAt);
  const to = isSameDay ? formatTime(finishedAt) : formatDayLabel(finishedAt);
  return t("contacts.page.span", { from, to });
}

const SENT_SHOWN = 3;

type SchedulesProps = { contact: ShownContact; onAdd: () => void };

/** The messages that wait or failed, soonest first, and the last ones that were sent. */
export function SchedulesCard({ contact, onAdd }: SchedulesProps): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const mayUse = can("schedules:use");
  const unsent = contactSchedules.usePages(contact.id, { enabled: mayUse });
  const sent = sentSchedules.usePages(contact.id, { enabled: mayUse });
  if (!mayUse || contact.isGroup) return null;
  const isOut = contact.optOut !== null;
  const last = (sent.rows ?? [])
    .toSorted((a, b) => b.sendAt.localeCompare(a.sendAt))
    .slice(0, SENT_SHOWN);
  const rows = unsent.rows && [...unsent.rows, ...last];
  return (
    <Card
      title={t("contacts.schedules")}
      count={rows && unsent.count + last.length}
      tools={
        <span {...(isOut ? { "data-tip": t("contacts.page.scheduleOptedOut") } : {})}>
          <Button
            size="xs"
            variant="subtle"
            disabled={isOut}
            leftSection={<IconPlus size={15} stroke={1.7} aria-hidden="true" />}
            onClick={onAdd}
          >
            {t("contacts.page.schedule")}
          </Button>
        </span>
      }
    >
      <div className={classes["body"]}>
        <CardRows pages={{ ...unsent, rows }} empty={t("contacts.page.noSchedules")}>
          {(all) => <ScheduleRows contact={contact} rows={all} />}
        </CardRows>
        <MoreButton pages={unsent} />
      </div>
    </Card>
  );
}

/** Pictures shown before one asks for more: two lines. */
const FIRST_PICTURES = 8;

type Kind = "pictures" | "others";

/** The files that were exchanged in all the contact's tickets. */
export function FilesCard({ contactId }: { contactId: number }): ReactNode {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<Kind | null>(null);
  const pictures = picturePages.usePages(contactId, { staleTime: 0 });
  const others = otherFilePages.usePages(contactId, { staleTime: 0 });
  const isKnown = pictures.rows !== undefined && others.rows !== undefined;
  const first: Kind = pictures.count === 0 && others.count > 0 ? "others" : "pictures";
  const kind = chosen ?? first;
  const kinds = { pictures, others } as const;
  return (
    <Card
      title={t("contacts.page.files")}
      count={isKnown ? pictures.count + others.count : undefined}
      tools={(["pictures", "others"] as const).map((one) => (
        <button
          key={one}
          type="button"
          className={classes["tab"]}
          aria-pressed={one === kind}
          onClick={() => setChosen(one)}
        >
          {t(`contacts.page.${one}`)} {isKnown ? kinds[one].count : null}
        </button>
      ))}
    >
      <div className={classes["body"]}>
        {kind === "pictures" ? <Pictures pages={pictures} /> : <OtherFiles pages={others} />}
      </div>
    </Card>
  );
}

function Pictures({ pages }: { pages: Pages<Message> }): ReactNode {
  const { t } = useTranslation();
  const [isWhole, setWhole] = useState(false);
  const [viewed, setViewed] = useState<string | null>(null);
  const { rows = [] } = pages;
  return (
    <CardRows pages={pages} empty={t("contacts.page.noFiles")}>
      {(all) => {
        const isCut = !isWhole && pages.count > FIRST_PICTURES;
        return (
          <>
            <ul className={classes["pictures"]}>
              {(isCut ? all.slice(0, FIRST_PICTURES - 1) : all).map((message) => (
                <li key={message.id}>
                  {message.media?.url ? (
                    <Picture message={message} onOpen={() => setViewed(message.id)} />
                  ) : (
                    <Gone />
                  )}
                </li>
              ))}
              {isCut ? (
                <li>
                  <button
                    type="button"
                    className={classes["rest"]}
                    aria-label={t("contacts.page.morePictures", {
                      number: pages.count - FIRST_PICTURES + 1,
                    })}
                    onClick={() => setWhole(true)}
                  >
                    +{pages.count - FIRST_PICTURES + 1}
                  </button>
                </li>
              ) : null}
            </ul>
            {isCut ? null : <MoreButton pages={pages} />}
            {viewed === null ? null : (
              <Suspense fallback={null}>
                <LazyMediaViewer
                  // The newest comes first here, and last in a conversation.
                  messages={rows.toReversed()}
                  messageId={viewed}
                  onClose={() => setViewed(null)}
                />
              </Suspense>
            )}
          </>
        );
      }}
    </CardRows>
  );
}

/** A picture that the phone no longer had when it was asked for. */
function Gone(): ReactNode {
  const { t } = useTranslation();
  return (
    <span
      className={classes["gone"]}
      role="img"
      aria-label={t("contacts.page.gone")}
      data-tip={t("contacts.page.gone")}
    >
      <IconFileOff size={19} stroke={1.7} aria-hidden="true" />
    </span>
  );
}

function OtherFiles({ pages }: { pages: Pages<Message> }): ReactNode {
  const { t } = useTranslation();
  return (
    <CardRows pages={pages} empty={t("contacts.page.noFiles")}>
      {(rows) => (
        <>
          <ul className={classes["files"]}>
            {rows.map((message) => (
              <OtherFile key={message.id} message={message} />
            ))}
          </ul>
          <MoreButton pages={pages} />
        </>
      )}
    </CardRows>
  );
}

function OtherFile({ message: { media, createdAt } }: { message: Message }): ReactNode {
  const { t } = useTranslation();
  if (media === null) return null;
  const isSound = media.kind === "audio" || media.kind === "voice";
  const title = isSound ? t(`messages.kinds.${media.kind}`) : media.name;
  if (media.url === null) {
    return (
      <li className={classes["lost"]}>
        <IconFileOff size={19} stroke={1.7} aria-hidden="true" />
        <span>{title}</span>
        <span className="bc-meta">{t("contacts.page.gone")}</span>
      </li>
    );
  }
  return (
    <SharedRow
      href={media.url}
      download={media.name}
      icon={isSound ? IconMicrophone : IconFile}
      title={title}
      text={`${formatBytes(media.bytes)}, ${formatMoment(createdAt)}`}
    />
  );
}
