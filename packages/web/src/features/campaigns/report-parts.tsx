import type { Campaign, CampaignReport, RecipientStatus } from "@balcao/contract";
import { IconAlertCircle, IconFlag, IconPlayerPlay, IconShieldCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { formatDate, formatNumber, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { epochMs, useNow } from "../../ui/clock.ts";
import { ConnectionPill, QueueDot } from "../../ui/index.ts";
import { TagMark } from "../../ui/marks.tsx";
import { useConnection } from "../connections/index.ts";
import { useQueues } from "../queues/index.ts";
import { tagList } from "../tags/index.ts";
import classes from "./campaign-report.module.css";
import { daysFrom, dayAndTime } from "./campaign-dates.ts";
import { momentWords, stateWords } from "./campaign-words.ts";

type Show = (status: RecipientStatus | null) => void;
type Counts = Campaign["counts"];

/** Parts of the bar in their order, with the filter of the table that shows them. */
const shares: readonly (readonly [
  key: ShareKey,
  status: RecipientStatus,
  of: (c: Counts) => number,
])[] = [
  ["delivered", "delivered", ({ delivered }) => delivered],
  ["sent", "sent", ({ sent, sending }) => sent + sending],
  ["failed", "failed", ({ failed }) => failed],
  ["invalid", "invalid", ({ invalid }) => invalid],
  ["notConfirmed", "notConfirmed", ({ notConfirmed }) => notConfirmed],
  ["leftBefore", "optedOut", ({ optedOut, removed }) => optedOut + removed],
  ["waiting", "waiting", ({ waiting, asked }) => waiting + asked],
];
type ShareKey =
  | "delivered"
  | "sent"
  | "failed"
  | "invalid"
  | "notConfirmed"
  | "leftBefore"
  | "waiting";

/** How far the campaign is, and what comes next. */
export function ReportProgress({ report, onShow }: { report: CampaignReport; onShow: Show }) {
  const { t } = useTranslation();
  const { counts } = report.campaign;
  const percent = counts.valid === 0 ? 0 : Math.floor((100 * counts.delivered) / counts.valid);
  const shown = shares
    .map(([key, status, of]) => ({ key, status, count: of(counts) }))
    .filter(({ key, count }) => count > 0 || key === "delivered" || key === "waiting");
  return (
    <section className={classes["progress"]} aria-label={t("campaignReport.progress")}>
      <div className={classes["numbers"]}>
        <p className={classes["sum"]}>
          <strong>{formatNumber(counts.delivered)}</strong>{" "}
          {t("campaignReport.ofValid", { count: counts.valid, shown: formatNumber(counts.valid) })}
          <span className={classes["percent"]}>{percent}%</span>
        </p>
        <div
          className={classes["bar"]}
          role="progressbar"
          aria-label={t("campaignReport.progress")}
          aria-valuenow={percent}
        >
          {shown.map(({ key, count }) => (
            <span key={key} data-of={key} style={{ flexGrow: count }} />
          ))}
        </div>
        <ul className={classes["legend"]}>
          {shown.map(({ key, status, count }) => (
            <li key={key}>
              <button type="button" data-of={key} onClick={() => onShow(status)}>
                {t(`campaignReport.shares.${key}`)} <strong>{formatNumber(count)}</strong>
              </button>
            </li>
          ))}
        </ul>
      </div>
      <NextLines report={report} />
    </section>
  );
}

/** What happens next or what holds it up, the tightest limit, and when it ends. */
function NextLines({ report }: { report: CampaignReport }): ReactNode {
  const { t } = useTranslation();
  const { campaign, nextAt, line } = report;
  const { hold, status, startedAt, completedAt, endsAt } = campaign;
  const isRunning = status === "EM_ANDAMENTO";
  const held = stateWords(t, campaign, epochMs());
  return (
    <ul className={classes["next"]}>
      {isRunning && hold !== null ? (
        <li data-tone={held.tone ?? undefined}>
          <IconAlertCircle size={17} stroke={1.7} aria-hidden="true" />
          <span>
            <strong>{held.text}</strong>{" "}
            {held.act === undefined ? null : <Link to={held.act.to}>{held.act.label}</Link>}
          </span>
        </li>
      ) : null}
      {isRunning && hold === null ? (
        <li>
          <IconPlayerPlay size={17} stroke={1.7} aria-hidden="true" />
          <NextMessage at={nextAt} />
        </li>
      ) : null}
      {isRunning && line !== null && line.newMax !== null ? (
        <li>
          <IconShieldCheck size={17} stroke={1.7} aria-hidden="true" />
          <strong>
            {t("campaignReport.newToday", {
              count: line.newToday,
              shown: formatNumber(line.newToday),
              most: formatNumber(line.newMax),
            })}
          </strong>
        </li>
      ) : null}
      <li>
        <IconFlag size={17} stroke={1.7} aria-hidden="true" />
        <span>
          {status === "FINALIZADA" && completedAt !== null
            ? t("campaignReport.ended", {
                ...dayAndTime(completedAt),
                count: daysFrom(startedAt ?? completedAt, completedAt),
              })
            : status === "CANCELADA"
              ? t("campaignReport.stopped", {
                  name: campaign.cancelledBy?.name ?? "",
                  ...dayAndTime(campaign.cancelledAt ?? campaign.updatedAt),
                })
              : isRunning
                ? endsAt === null
                  ? t("campaignReport.endUnknown")
                  : t("campaignReport.ends", dayAndTime(endsAt))
                : t("campaignReport.notStarted")}
        </span>
      </li>
    </ul>
  );
}

const LONG_WAIT_S = 120;

function NextMessage({ at }: { at: string | null }): ReactNode {
  const { t } = useTranslation();
  const nowMs = useNow(1_000);
  if (at === null) return <span>{t("campaignReport.sending")}</span>;
  const seconds = Math.max(0, Math.round((Date.parse(at) - nowMs) / 1_000));
  return (
    <strong>
      {seconds > LONG_WAIT_S
        ? t("campaignReport.nextAt", { when: momentWords(t, at, nowMs) })
        : t("campaignReport.nextIn", { count: seconds })}
    </strong>
  );
}

type Card = {
  key: "valid" | "requested" | "confirmed" | "delivered" | "read" | "answered" | "failed" | "left";
  count: number;
  note: string;
  status: RecipientStatus | null;
  isBad?: boolean;
};

/** The numbers; each shows its people in the table. */
export function ReportNumbers({ campaign, onShow }: { campaign: Campaign; onShow: Show }) {
  const { t } = useTranslation();
  const { counts, confirmation } = campaign;
  const handedOver = counts.sent + counts.delivered;
  const share = (part: number, of: number): string =>
    of === 0 ? "0%" : `${formatNumber(Math.round((1_000 * part) / of) / 10)}%`;
  const ofDelivered = (part: number): string =>
    t("campaignReport.ofDelivered", { share: share(part, counts.delivered) });
  const cards: Card[] = [
    {
      ...{ key: "valid", count: counts.valid, status: null },
      note: t("campaignReport.withoutWhatsapp", {
        count: counts.invalid,
        shown: formatNumber(counts.invalid),
      }),
    },
    ...(confirmation
      ? ([
          {
            ...{ key: "requested", count: counts.requested, status: "asked" },
            note: t("campaignReport.notAnswered", { shown: formatNumber(counts.notConfirmed) }),
          },
          {
            ...{ key: "confirmed", count: counts.confirmed, status: null },
            note: t("campaignReport.ofRequested", {
              share: share(counts.confirmed, counts.requested),
            }),
          },
        ] satisfies Card[])
      : []),
    {
      ...{ key: "delivered", count: counts.delivered, status: "delivered" },
      note: t("campaignReport.ofSent", { share: share(counts.delivered, handedOver) }),
    },
    { key: "read", count: counts.read, status: "read", note: ofDelivered(counts.read) },
    { key: "answered", count: counts.answered, status: null, note: ofDelivered(counts.answered) },
    {
      ...{ key: "failed", count: counts.failed, status: "failed", isBad: counts.failed > 0 },
      note: t("campaignReport.mayRetry", {
        count: counts.retryable,
        shown: formatNumber(counts.retryable),
      }),
    },
    { key: "left", count: counts.left, status: null, note: ofDelivered(counts.left) },
  ];
  return (
    <ul className={classes["cards"]}>
      {cards.map(({ key, count, note, status, isBad = false }) => (
        <li key={key}>
          <button type="button" className={classes["card"]} onClick={() => onShow(status)}>
            <span className={classes["cardName"]}>{t(`campaignReport.cards.${key}`)}</span>
            <strong data-bad={isBad || undefined}>{formatNumber(count)}</strong>
            <span className="bc-meta">{note}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

const dateTime = (iso: string): string => `${formatDate(iso)}, ${formatTime(iso)}`;

/** What the campaign is made of. */
export function ReportData({ report: { campaign, listed } }: { report: CampaignReport }) {
  const { t } = useTranslation();
  const connection = useConnection(campaign.whatsappId);
  const queue = useQueues()?.find(({ id }) => id === campaign.answerQueueId);
  const tags = useQuery(tagList.query).data ?? [];
  const tag = tags.find(({ id }) => id === campaign.answerTagId);
  const ofTag = tags.find(({ id }) => id === campaign.tagListId);
  const texts = [campaign.message1, campaign.message2, campaign.message3, campaign.message4]
    .concat(campaign.message5)
    .filter((text) => text.trim() !== "").length;
  const none = (key: "noConnection" | "noList" | "noDate" | "noEnd" | "noAnswers" | "noFile") => (
    <span className={classes["none"]}>{t(`campaignReport.none.${key}`)}</span>
  );
  return (
    <section className={classes["data"]} aria-labelledby="campaign-data">
      <h2 id="campaign-data" className={classes["heading"]}>
        {t("campaignReport.data")}
      </h2>
      <dl>
        <dt>{t("campaignReport.fields.connection")}</dt>
        <dd>
          {campaign.whatsapp?.name ?? none("noConnection")}{" "}
          {connection === undefined ? null : <ConnectionPill status={connection.status} />}
        </dd>
        <dt>{t("campaignReport.fields.list")}</dt>
        <dd>
          {campaign.contactList === null ? (
            (ofTag?.name ?? none("noList"))
          ) : (
            <Link to={`/contact-lists/${campaign.contactList.id}/contacts`}>
              {campaign.contactList.name}
            </Link>
          )}
          {listed === 0
            ? null
            : `, ${t("campaignReport.contacts", { count: listed, shown: formatNumber(listed) })}`}
        </dd>
        <dt>{t("campaignReport.fields.scheduled")}</dt>
        <dd>{campaign.scheduledAt === null ? none("noDate") : dateTime(campaign.scheduledAt)}</dd>
        <dt>{t("campaignReport.fields.completed")}</dt>
        <dd>{campaign.completedAt === null ? none("noEnd") : dateTime(campaign.completedAt)}</dd>
        <dt>{t("campaignReport.fields.messages")}</dt>
        <dd>
          {campaign.template === null
            ? t("campaignReport.texts", { count: texts })
            : campaign.template.name}
          {", "}
          {t(
            campaign.confirmation
              ? "campaignReport.withConfirmation"
              : "campaignReport.withoutConfirmation",
          )}
        </dd>
        <dt>{t("campaignReport.fields.attachment")}</dt>
        <dd>{campaign.mediaName ?? none("noFile")}</dd>
        <dt>{t("campaignReport.fields.answers")}</dt>
        <dd>
          {queue === undefined && tag === undefined ? none("noAnswers") : null}
          {queue === undefined ? null : (
            <span className={classes["queue"]}>
              <QueueDot color={queue.color} /> {queue.name}
            </span>
          )}{" "}
          {tag === undefined ? null : <TagMark name={tag.name} color={tag.color} />}
        </dd>
      </dl>
    </section>
  );
}
