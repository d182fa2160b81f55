import type { Campaign, CampaignRecipient, RecipientStatus } from "@balcao/contract";
import { IconUsers } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { Pages } from "../../api/use-pages.ts";
import { formatMoment, formatNumber } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useNavigate } from "../../router/index.tsx";
import { AppAvatar, notifyError } from "../../ui/index.ts";
import type { Tone } from "../../ui/marks.tsx";
import { Pill } from "../../ui/marks.tsx";
import { PageSearch } from "../../ui/page/page.tsx";
import type { Column } from "../../ui/page/record-table.tsx";
import { RecordTable, RowName } from "../../ui/page/record-table.tsx";
import { formatPhone } from "../../ui/phone-number.ts";
import classes from "./campaign-report.module.css";
import type { RecipientFilter } from "./report-api.ts";
import { conversationOf } from "./report-api.ts";

type Props = {
  campaign: Campaign;
  pages: Pages<CampaignRecipient>;
  filter: RecipientFilter;
  onFilter: (filter: RecipientFilter) => void;
  /** Between the filters and the rows. */
  strip: ReactNode;
};

/** The filters above the table, those of nobody left out. */
const chips: readonly (readonly [RecipientStatus, (counts: Campaign["counts"]) => number])[] = [
  ["waiting", ({ waiting }) => waiting],
  ["asked", ({ asked }) => asked],
  ["sending", ({ sending }) => sending],
  ["sent", ({ sent }) => sent],
  ["delivered", ({ delivered }) => delivered],
  ["read", ({ read }) => read],
  ["failed", ({ failed }) => failed],
  ["invalid", ({ invalid }) => invalid],
  ["notConfirmed", ({ notConfirmed }) => notConfirmed],
  ["optedOut", ({ optedOut }) => optedOut],
  ["removed", ({ removed }) => removed],
];

/** The statuses that the table can show alone. */
export const filters: readonly RecipientStatus[] = chips.map(([status]) => status);

/** The people of a campaign, whose status changed last first. */
export function Recipients({ campaign, pages, filter, onFilter, strip }: Props): ReactNode {
  const { t } = useTranslation();
  const { counts } = campaign;
  const shown = chips
    .map(([status, of]) => ({ status, count: of(counts) }))
    .filter(({ status, count }) => count > 0 || status === filter.status);
  return (
    <>
      <div className={classes["filters"]}>
        <div role="group" aria-label={t("campaignReport.show")} className={classes["chips"]}>
          {[{ status: null, count: counts.people }, ...shown].map(({ status, count }) => (
            <button
              key={status ?? "all"}
              type="button"
              className={classes["chip"]}
              aria-pressed={status === filter.status}
              onClick={() => onFilter({ ...filter, status })}
            >
              {t(`campaignReport.chips.${status ?? "all"}`)} <strong>{formatNumber(count)}</strong>
            </button>
          ))}
        </div>
        <PageSearch
          label={t("campaignReport.search")}
          start={filter.words}
          onSearch={(words) => onFilter({ ...filter, words })}
        />
      </div>
      {strip}
      <RecordTable
        label={t("campaignReport.recipients")}
        pages={pages}
        columns={useColumns(campaign)}
        sort={null}
        onSort={() => undefined}
        identify={({ id }) => id}
        renderActions={null}
        empty={{
          icon: IconUsers,
          title: t("campaignReport.nobodyTitle"),
          text: t(
            filter.words === "" && filter.status === null
              ? "campaignReport.nobodyYet"
              : "campaignReport.nobodyFound",
          ),
        }}
      />
    </>
  );
}

function useColumns(campaign: Campaign): readonly Column<CampaignRecipient>[] {
  const { t } = useTranslation();
  return [
    {
      id: "name",
      title: t("contacts.name"),
      isName: true,
      renderCell: ({ id, name, number }) => (
        <RowName
          before={<AppAvatar name={name || number} id={id} size={24} />}
          name={name || formatPhone(number)}
        />
      ),
    },
    {
      id: "number",
      fit: "content",
      title: t("contacts.number"),
      renderCell: ({ number }) => formatPhone(number),
    },
    {
      id: "text",
      fit: "content",
      isExtra: true,
      title: t("campaignReport.columns.text"),
      renderCell: ({ textNumber }) => t("campaignEditor.tab", { number: textNumber }),
    },
    {
      id: "status",
      fit: "content",
      title: t("campaignReport.columns.status"),
      renderCell: (person) => <StatusMark person={person} campaign={campaign} />,
    },
    {
      id: "when",
      fit: "content",
      title: t("campaignReport.columns.when"),
      renderCell: ({ at }) => formatMoment(at),
    },
    {
      id: "answer",
      title: t("campaignReport.columns.answer"),
      renderCell: (person) => <Answer person={person} />,
    },
  ];
}

const tones: Readonly<Record<RecipientStatus, Tone | undefined>> = {
  waiting: undefined,
  asked: "info",
  sending: "info",
  sent: undefined,
  delivered: "ok",
  read: "ok",
  failed: "bad",
  invalid: undefined,
  notConfirmed: "warn",
  optedOut: undefined,
  removed: undefined,
};

type PersonProps = { person: CampaignRecipient };

function StatusMark({ person, campaign }: PersonProps & { campaign: Campaign }): ReactNode {
  const { t } = useTranslation();
  const { status, errorCode } = person;
  const isUnsent = status === "waiting" || status === "asked";
  if (isUnsent && campaign.status === "CANCELADA") {
    return <Pill tone={undefined}>{t("campaignReport.campaignStatus.CANCELADA")}</Pill>;
  }
  if (status === "waiting" && person.isConfirmed) {
    return <Pill tone="info">{t("campaignReport.confirmedWaiting")}</Pill>;
  }
  if (status === "failed" && errorCode !== null) {
    return (
      <Pill tone="bad">{t("campaignReport.failedBy", { reason: reasonOf(t, errorCode) })}</Pill>
    );
  }
  return <Pill tone={tones[status]}>{t(`campaignReport.status.${status}`)}</Pill>;
}

/** Codes of failures (contract, `errorStatus`) that a few words say. */
const reasons = [
  "ERR_SENDING_WAPP_MSG",
  "ERR_MESSAGE_UNCONFIRMED",
  "ERR_WAPP_ACCOUNT_BANNED",
  "ERR_WAPP_ACCOUNT_RESTRICTED",
  "ERR_WAPP_INVALID_CONTACT",
  "ERR_WAPP_TEMPLATE",
  "ERR_WAPP_WINDOW_CLOSED",
  "ERR_FILE_MISSING",
  "ERR_FILE_TOO_LARGE",
  // Of Meta: enough advertising for this person today.
  "131049",
] as const;

/** Why a message did not arrive, in words; a code that has none is shown as it is. */
function reasonOf(t: TFunction, code: string): string {
  const known = reasons.find((reason) => reason === code);
  return known === undefined ? code : t(`campaignReport.reasons.${known}`);
}

/** Opens the conversation of who answered. */
function Answer({ person }: PersonProps): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { ticketId, answeredAt, leftAt } = person;
  const words = leftAt !== null ? t("campaignReport.left") : t("campaignReport.answered");
  if (answeredAt === null && leftAt === null) {
    return <span className={classes["none"]}>{t("campaignReport.noAnswer")}</span>;
  }
  if (ticketId === null) return words;
  return (
    <button
      type="button"
      className={classes["open"]}
      onClick={() => void conversationOf(ticketId).then(navigate, notifyError)}
    >
      {leftAt !== null ? `${words}, ` : ""}
      {t("campaignReport.conversation", { id: ticketId })}
    </button>
  );
}
