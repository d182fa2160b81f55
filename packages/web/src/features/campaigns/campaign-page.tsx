import type { CampaignReport, RecipientStatus } from "@balcao/contract";
import { IconAlertCircle, IconPlayerPlay, IconSpeakerphone, IconSquare } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Suspense, useRef, useState } from "react";
import { formatNumber, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useLiveStatus } from "../../realtime/index.ts";
import { Link, useNavigate, useParams, useSearchParams } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { ExportButton } from "../../ui/export-button.tsx";
import { ListSkeleton, LoadFailed, notifyError } from "../../ui/index.ts";
import { Page } from "../../ui/page/page.tsx";
import { ActionQuestion } from "../../ui/page/record-page.tsx";
import { useSession } from "../auth/index.ts";
import { CampaignPill } from "./campaign-pill.tsx";
import classes from "./campaign-report.module.css";
import type { RecipientFilter } from "./report-api.ts";
import {
  continueCampaign,
  saveRecipientsFile,
  stopCampaign,
  useRecipients,
  useReport,
} from "./report-api.ts";
import { ReportChart } from "./report-chart.tsx";
import { ReportData, ReportNumbers, ReportProgress } from "./report-parts.tsx";
import { filters, Recipients } from "./report-recipients.tsx";

/** The report of one campaign, live. */
export function CampaignReportPage(): ReactNode {
  const { t } = useTranslation();
  const { campaignId: text = "" } = useParams();
  const id = Number(text);
  if (Number.isSafeInteger(id) && id > 0) return <Report id={id} />;
  return (
    <Page title={t("campaignReport.title")} back={<BackToCampaigns />}>
      <p role="alert">{t("campaignReport.notFound")}</p>
    </Page>
  );
}

function BackToCampaigns(): ReactNode {
  const { t } = useTranslation();
  return <Link to="/campaigns">{t("campaignReport.campaigns")}</Link>;
}

function Report({ id }: { id: number }): ReactNode {
  const { t } = useTranslation();
  const query = useReport(id);
  const { data, error } = query;
  if (data !== undefined) return <Shown report={data} readAtMs={query.dataUpdatedAt} />;
  return (
    <Page title={t("campaignReport.title")} back={<BackToCampaigns />}>
      {error === null ? (
        <ListSkeleton />
      ) : (
        <LoadFailed icon={IconSpeakerphone} error={error} onRetry={() => void query.refetch()} />
      )}
    </Page>
  );
}

type ShownProps = { report: CampaignReport; readAtMs: number };

function Shown({ report, readAtMs }: ShownProps): ReactNode {
  const { t } = useTranslation();
  const { campaign } = report;
  const [filter, setFilter] = useFilter();
  const people = useRecipients(campaign.id, filter);
  const table = useRef<HTMLElement>(null);

  function show(status: RecipientStatus | null): void {
    setFilter({ words: "", status });
    table.current?.scrollIntoView?.({ block: "start" });
    table.current?.focus({ preventScroll: true });
  }
  return (
    <Page
      title={campaign.name}
      back={<BackToCampaigns />}
      tools={
        <>
          <CampaignPill status={campaign.status} />
          <Freshness readAtMs={readAtMs} />
          <span className={classes["tools"]}>
            <ExportButton
              isNamed
              count={people.count}
              disabled={campaign.counts.people === 0}
              save={(format) => saveRecipientsFile(campaign.id, filter, format)}
            />
            <StopButton campaign={campaign} />
          </span>
        </>
      }
    >
      <div className={classes["report"]}>
        <ReportProgress report={report} onShow={show} />
        <ReportNumbers campaign={campaign} onShow={show} />
        <div className={classes["columns"]}>
          <ReportChart report={report} />
          <ReportData report={report} />
        </div>
        <section
          ref={table}
          tabIndex={-1}
          className={classes["people"]}
          aria-label={t("campaignReport.recipients")}
        >
          <Recipients
            campaign={campaign}
            pages={people}
            filter={filter}
            onFilter={setFilter}
            strip={<FailureStrip campaign={campaign} />}
          />
        </section>
      </div>
    </Page>
  );
}

/** The filter of the table stands in the address. */
function useFilter(): [RecipientFilter, (next: RecipientFilter) => void] {
  const [params, setParams] = useSearchParams();
  const found = filters.find((one) => one === params.get("status"));
  const filter = { words: params.get("search") ?? "", status: found ?? null };
  const change = ({ words, status }: RecipientFilter): void =>
    setParams(
      { ...(words === "" ? {} : { search: words }), ...(status === null ? {} : { status }) },
      { replace: true },
    );
  return [filter, change];
}

/** Whether the numbers are of now. */
function Freshness({ readAtMs }: { readAtMs: number }): ReactNode {
  const { t } = useTranslation();
  const isLive = useLiveStatus().state === "online";
  const lostAt = isLive ? null : new Date(readAtMs).toISOString();
  return (
    <span className={classes["fresh"]} data-lost={lostAt !== null || undefined} role="status">
      {lostAt === null
        ? t("campaignReport.updatedNow")
        : t("campaignReport.updatedAt", { time: formatTime(lostAt) })}
    </span>
  );
}

type CampaignProps = Pick<CampaignReport, "campaign">;

/** Stops a running campaign, or continues a cancelled one, after a question. */
function StopButton({ campaign }: CampaignProps): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  // What is asked stays as it was asked, also when the campaign is stopped meanwhile by another.
  const [asked, setAsked] = useState<"stop" | "continue" | null>(null);
  const { id, name, status, counts } = campaign;
  const isRunning = status === "EM_ANDAMENTO";
  const act = isRunning ? "stop" : "continue";
  if (!can("campaigns:manage") || (!isRunning && status !== "CANCELADA")) return null;
  const left = counts.waiting + counts.asked;
  return (
    <>
      <Button
        variant="default"
        className={isRunning ? (classes["stop"] ?? "") : ""}
        leftSection={
          isRunning ? (
            <IconSquare size={15} stroke={1.7} aria-hidden="true" />
          ) : (
            <IconPlayerPlay size={15} stroke={1.7} aria-hidden="true" />
          )
        }
        onClick={() => setAsked(act)}
      >
        {t(`campaignReport.${act}`)}
      </Button>
      {asked === null ? null : (
        <Suspense fallback={null}>
          <ActionQuestion
            isDestructive={asked === "stop"}
            title={t(`campaignReport.${asked}Title`, { name })}
            text={t(`campaignReport.${asked}Text`, { count: left, shown: formatNumber(left) })}
            confirm={t(`campaignReport.${asked}`)}
            run={() => (asked === "stop" ? stopCampaign(id) : continueCampaign(id))}
            onDone={() => undefined}
            onClose={() => setAsked(null)}
          />
        </Suspense>
      )}
    </>
  );
}

/** Offers a new campaign for those who can be sent to again. */
function FailureStrip({ campaign: { id, counts } }: CampaignProps): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const navigate = useNavigate();
  const resend = useMutation({
    // The editor opens with the copy, so its code is needed anyway.
    mutationFn: async () => (await import("./editor-api.ts")).resendCampaign(id),
    onSuccess: (copy) => navigate(`/campaigns/${copy.id}`),
    onError: notifyError,
  });
  const { failed, retryable } = counts;
  if (retryable === 0) return null;
  return (
    <div className={classes["strip"]}>
      <IconAlertCircle size={17} stroke={1.7} aria-hidden="true" />
      <p>
        <strong>
          {t("campaignReport.notReached", { count: failed, shown: formatNumber(failed) })}
        </strong>{" "}
        {t("campaignReport.mayRetry", { count: retryable, shown: formatNumber(retryable) })}
      </p>
      {can("campaigns:manage") ? (
        <button
          type="button"
          className={classes["again"]}
          disabled={resend.isPending}
          onClick={() => resend.mutate()}
        >
          {t("campaignReport.sendAgain", { count: retryable, shown: formatNumber(retryable) })}
        </button>
      ) : null}
    </div>
  );
}
