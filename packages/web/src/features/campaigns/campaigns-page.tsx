import type { Campaign, CampaignId, CampaignStatus } from "@balcao/contract";
import {
  IconChartBar,
  IconDotsVertical,
  IconPencil,
  IconPlus,
  IconRefresh,
  IconSpeakerphone,
  IconSquare,
  IconTrash,
} from "@tabler/icons-react";
import type { ComponentProps, ReactNode } from "react";
import { Suspense, useState } from "react";
import { formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link, useLocation, useNavigate, useParams } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { useNow } from "../../ui/clock.ts";
import { IconButton, ListSkeleton } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { OnDemand } from "../../ui/on-demand.tsx";
import { FilterChips } from "../../ui/page/filter-chips.tsx";
import { Page, PageSearch } from "../../ui/page/page.tsx";
import { useListAddress } from "../../ui/page/record-page.tsx";
import type { Column } from "../../ui/page/record-table.tsx";
import { RecordTable } from "../../ui/page/record-table.tsx";
import { useSession } from "../auth/index.ts";
import type { CampaignAsk } from "./campaign-question.tsx";
import { CampaignPill } from "./campaign-pill.tsx";
import { Bar, CampaignStrip } from "./campaign-strip.tsx";
import { CampaignTabs } from "./campaign-tabs.tsx";
import { dateTimeWords, kindWords, stateWords } from "./campaign-words.ts";
import classes from "./campaigns.module.css";
import { campaignPages, useCampaignLines, useStatusCounts } from "./list-api.ts";
import { ProtectionOffer } from "./protection-offer.tsx";

const HolidayNote = lazyPart(
  async () => (await import("./holiday-note.tsx")).HolidayNote,
  "inline",
  "campaigns",
);
const CampaignQuestion = lazyPart(
  async () => (await import("./campaign-question.tsx")).CampaignQuestion,
  "over",
  "campaigns",
);
const CampaignEditor = lazyPart(
  async () => (await import("./campaign-editor.tsx")).CampaignEditor,
  "over",
  "campaigns",
);
const CampaignMenu = lazyPart(
  async () => (await import("./campaign-menu.tsx")).CampaignMenu,
  "inline",
  "campaigns",
);

/** The chips in their order; null is all. */
const chips: readonly (CampaignStatus | null)[] = [
  ...[null, "EM_ANDAMENTO" as const, "PROGRAMADA" as const],
  ...["INATIVA" as const, "FINALIZADA" as const, "CANCELADA" as const],
];
/** The words of times change with the minute. */
const WORDS_EVERY_MS = 30_000;

/** The campaigns of the company: what is stuck, and what ends when. */
export function CampaignsPage(): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const nowMs = useNow(WORDS_EVERY_MS);
  const navigate = useNavigate();
  const { search } = useLocation();
  const address = useListAddress();
  const status = chips.find((one) => one === address.filter) ?? null;
  const pages = campaignPages.usePages({ words: address.words, status });
  const counts = useStatusCounts();
  const lines = useCampaignLines();
  const columns = useColumns(nowMs);
  const edited = editedId(useParams()["campaignId"]);
  const [asked, setAsked] = useState<CampaignAsk | null>(null);
  // Another number is another, empty field.
  const [clearings, setClearings] = useState(0);
  const mayManage = can("campaigns:manage");
  const all = counts === null ? null : Object.values(counts).reduce((sum, one) => sum + one, 0);
  const isUnfiltered = address.words === "" && status === null;
  const open = (id: number | "new"): void => navigate(`/campaigns/${id}${search}`);
  const add = (
    <Button
      leftSection={<IconPlus size={15} stroke={1.7} aria-hidden="true" />}
      onClick={() => open("new")}
    >
      {t("campaigns.new")}
    </Button>
  );
  const isFirstPhone = lines.data?.some((line) => !line.isOfficial && line.planned > 0) ?? false;

  return (
    <Page
      title={t("campaigns.title")}
      count={all}
      tools={
        <>
          <PageSearch
            key={`${address.fieldKey} ${clearings}`}
            label={t("campaigns.search")}
            start={address.words}
            onSearch={(words) => address.change({ words })}
          />
          {mayManage ? add : null}
        </>
      }
    >
      <CampaignTabs />
      {isFirstPhone ? <ProtectionOffer /> : null}
      {lines.data === undefined ? (
        lines.error === null && <div className={classes["stripWait"]} aria-hidden="true" />
      ) : (
        <CampaignStrip lines={lines.data} nowMs={nowMs} />
      )}
      {all === 0 ? null : (
        <div className={classes["chipRow"]}>
          <FilterChips
            label={t("campaigns.show")}
            chips={chips.map((value) => ({
              value,
              label: t(`campaigns.chips.${value ?? "all"}`),
              count: value === null ? all : (counts?.[value] ?? null),
            }))}
            chosen={status}
            onChoose={(value) => address.change({ filter: value ?? "" })}
          />
          {counts === null ? null : (
            <Suspense fallback={null}>
              <HolidayNote nowMs={nowMs} />
            </Suspense>
          )}
        </div>
      )}
      {pages.rows === undefined && pages.error === null ? (
        <ListSkeleton rows={6} />
      ) : (
        <RecordTable
          label={t("campaigns.title")}
          pages={pages}
          columns={columns}
          sort={null}
          onSort={() => undefined}
          identify={({ id }) => id}
          renderActions={(campaign) => (
            <Actions
              campaign={campaign}
              mayManage={mayManage}
              onEdit={() => open(campaign.id)}
              onAsk={(act) => setAsked({ act, campaign })}
            />
          )}
          empty={
            isUnfiltered
              ? {
                  icon: IconSpeakerphone,
                  drawing: "sheet",
                  title: t("campaigns.emptyTitle"),
                  text: t("campaigns.emptyText"),
                  ...(mayManage ? { action: add } : {}),
                }
              : {
                  icon: IconSpeakerphone,
                  drawing: "search",
                  title:
                    address.words === ""
                      ? t("common.noFiltered")
                      : t("common.noMatch", { words: address.words }),
                  action: (
                    <Button
                      variant="default"
                      onClick={() => {
                        address.change({ words: "", filter: "" });
                        setClearings(clearings + 1);
                      }}
                    >
                      {t("common.clearAll")}
                    </Button>
                  ),
                }
          }
        />
      )}
      <Suspense fallback={null}>
        {edited === undefined ? null : (
          <CampaignEditor campaignId={edited} onClose={() => navigate(`/campaigns${search}`)} />
        )}
        {asked === null ? null : <CampaignQuestion {...asked} onClose={() => setAsked(null)} />}
      </Suspense>
    </Page>
  );
}

/** The campaign of the address: null for a new one, undefined for the list alone. */
function editedId(text: string | undefined): CampaignId | null | undefined {
  if (text === undefined) return undefined;
  if (text === "new") return null;
  const id = Number(text);
  return Number.isInteger(id) && id > 0 ? (id as CampaignId) : undefined;
}

function useColumns(nowMs: number): readonly Column<Campaign>[] {
  const { t } = useTranslation();
  const { can } = useSession();
  const empty = (text: string): ReactNode => <span className={classes["none"]}>{text}</span>;
  const wide = (content: ReactNode): ReactNode => (
    <span className={`${classes["plain"]} bc-wide-only`}>{content}</span>
  );
  return [
    {
      id: "name",
      title: t("campaigns.name"),
      isName: true,
      renderCell: (campaign) => (
        <span className={classes["two"]}>
          <Name campaign={campaign} mayEdit={can("campaigns:manage")} />
          <span className={classes["under"]}>{kindWords(t, campaign)}</span>
        </span>
      ),
    },
    {
      id: "status",
      fit: "content",
      title: t("campaigns.state"),
      renderCell: (campaign) => <State campaign={campaign} nowMs={nowMs} />,
    },
    {
      id: "delivered",
      fit: "content",
      title: t("campaigns.delivered"),
      renderCell: (campaign) => <Delivered campaign={campaign} />,
    },
    {
      id: "list",
      title: t("campaigns.list"),
      renderCell: ({ contactList }) =>
        wide(contactList === null ? empty(t("campaigns.noList")) : contactList.name),
    },
    {
      id: "connection",
      fit: "content",
      title: t("campaigns.connection"),
      renderCell: ({ whatsapp }) =>
        wide(whatsapp === null ? empty(t("campaigns.noConnection")) : whatsapp.name),
    },
    {
      id: "scheduled",
      fit: "content",
      title: t("campaigns.scheduled"),
      renderCell: ({ scheduledAt }) =>
        wide(
          scheduledAt === null
            ? empty(t("campaigns.unscheduled"))
            : dateTimeWords(t, scheduledAt, nowMs),
        ),
    },
    {
      id: "completed",
      fit: "content",
      isExtra: true,
      title: t("campaigns.completed"),
      renderCell: ({ completedAt }) =>
        wide(
          completedAt === null
            ? empty(t("campaigns.notCompleted"))
            : dateTimeWords(t, completedAt, nowMs),
        ),
    },
  ];
}

const hasRun = ({ counts, startedAt }: Campaign): boolean =>
  startedAt !== null || counts.people > 0;

const reportOf = ({ id }: Campaign): string => `/campaign/${id}/report`;

function Name({ campaign, mayEdit }: { campaign: Campaign; mayEdit: boolean }): ReactNode {
  const { search } = useLocation();
  if (!hasRun(campaign) && !mayEdit) return <span>{campaign.name}</span>;
  const to = hasRun(campaign) ? reportOf(campaign) : `/campaigns/${campaign.id}${search}`;
  return (
    <Link to={to} className={classes["nameLink"]}>
      {campaign.name}
    </Link>
  );
}

function State({ campaign, nowMs }: { campaign: Campaign; nowMs: number }): ReactNode {
  const { t } = useTranslation();
  const { tone, text, act } = stateWords(t, campaign, nowMs);
  return (
    <span className={classes["two"]}>
      <CampaignPill status={campaign.status} />
      <span className={classes["words"]} data-tone={tone ?? undefined}>
        {text} {act === undefined ? null : <Link to={act.to}>{act.label}</Link>}
      </span>
    </span>
  );
}

function Delivered({ campaign }: { campaign: Campaign }): ReactNode {
  const { t } = useTranslation();
  const { counts, status } = campaign;
  return (
    <span className={classes["delivered"]}>
      <span>
        <strong>{formatNumber(counts.delivered)}</strong>{" "}
        {t("campaigns.ofValid", { valid: formatNumber(counts.valid) })}
        <span className="bc-narrow-only"> {t("campaigns.deliveredUnit")}</span>
      </span>
      {status === "INATIVA" ? null : (
        <Bar
          done={counts.delivered}
          of={counts.valid}
          look={status === "CANCELADA" ? "still" : undefined}
        />
      )}
    </span>
  );
}

type ActionsProps = {
  campaign: Campaign;
  mayManage: boolean;
  onEdit: () => void;
  onAsk: (act: CampaignAsk["act"]) => void;
};

function Actions({ campaign, mayManage, onEdit, onAsk }: ActionsProps): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { name, status } = campaign;
  const openReport = (): void => navigate(reportOf(campaign));
  const report = hasRun(campaign);
  if (!mayManage && !report) return null;
  const menu = { ...{ campaign, mayManage }, onReport: report ? openReport : null, onEdit, onAsk };
  return (
    <>
      <span className={classes["actions"]}>
        {mayManage && status === "EM_ANDAMENTO" ? (
          <IconButton
            size="small"
            label={t("campaigns.stopOne", { name })}
            icon={IconSquare}
            onClick={() => onAsk("stop")}
          />
        ) : null}
        {mayManage && status === "CANCELADA" ? (
          <IconButton
            size="small"
            label={t("campaigns.restartOne", { name })}
            icon={IconRefresh}
            onClick={() => onAsk("restart")}
          />
        ) : null}
        <Barred
          reason={report ? null : t("campaigns.noReport")}
          label={t("campaigns.reportOf", { name })}
          icon={IconChartBar}
          onClick={openReport}
        />
        {mayManage ? (
          <>
            <IconButton
              size="small"
              label={t("common.edit", { name })}
              icon={IconPencil}
              onClick={onEdit}
            />
            <Barred
              reason={status === "EM_ANDAMENTO" ? t("campaigns.stopFirst") : null}
              label={t("common.delete", { name })}
              icon={IconTrash}
              onClick={() => onAsk("delete")}
            />
          </>
        ) : null}
      </span>
      <span className={classes["menu"]}>
        <OnDemand part={CampaignMenu} standIn={<MenuTarget name={name} aria-expanded={false} />}>
          <CampaignMenu {...menu} target={<MenuTarget name={name} />} />
        </OnDemand>
      </span>
    </>
  );
}

type MenuTargetProps = Omit<ComponentProps<typeof IconButton>, "label" | "icon"> & { name: string };

function MenuTarget({ name, ...props }: MenuTargetProps): ReactNode {
  const { t } = useTranslation();
  return (
    <IconButton
      {...props}
      aria-haspopup="menu"
      label={t("campaigns.actionsOf", { name })}
      icon={IconDotsVertical}
    />
  );
}

type BarredProps = Pick<ComponentProps<typeof IconButton>, "icon" | "onClick"> & {
  /** Why it cannot be pressed; the button stays reachable, so that it can be read. */
  reason: string | null;
  label: string;
};

function Barred({ reason, label, onClick, ...props }: BarredProps): ReactNode {
  return (
    <IconButton
      {...props}
      size="small"
      label={reason === null ? label : `${label}. ${reason}`}
      aria-disabled={reason !== null}
      onClick={reason === null ? onClick : undefined}
    />
  );
}
