import "@mantine/core/styles/InlineInput.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import type { CampaignLine } from "@balcao/contract";
import { limitOn, warmUpSteps } from "@balcao/contract/campaign-pace";
import { NumberInput, Switch, TextInput } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { useState } from "react";
import { dayKey, formatDate, formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { nowIso, useNow } from "../../ui/clock.ts";
import { errorText, IconButton, ListSkeleton, notifySuccess } from "../../ui/index.ts";
import { tip } from "../../ui/tooltip.tsx";
import { dayMonth } from "./campaign-words.ts";
import type { CardProps } from "./campaigns-config-page.tsx";
import { Card } from "./config-card.tsx";
import classes from "./config.module.css";
import { saveLine, useCampaignLines } from "./list-api.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Of the limit of the official API, the part that campaigns use. */
const OFFICIAL_PART = 0.9;
const FIXED_MAX = 100_000;

/** How many new people a connection writes to on a day, and how that grows. */
export function LimitCard({ value, change }: CardProps): ReactNode {
  const { t } = useTranslation();
  const { data: lines, error } = useCampaignLines();
  return (
    <Card
      title={t("campaignConfig.limit.title")}
      text={t("campaignConfig.limit.text")}
      control={
        <Switch
          aria-label={t("campaignConfig.limit.switch")}
          checked={value.limitsByDay}
          onChange={(event) => change({ limitsByDay: event.currentTarget.checked })}
        />
      }
    >
      {lines === undefined ? (
        error === null ? (
          <ListSkeleton rows={3} />
        ) : (
          <p className="bc-failure" role="alert">
            {errorText(t, error)}
          </p>
        )
      ) : lines.length === 0 ? (
        <p className="bc-small">{t("campaignConfig.limit.noLines")}</p>
      ) : (
        <div role="table" aria-label={t("campaignConfig.limit.title")}>
          <div className={classes["lineHead"]} role="row">
            <span role="columnheader">{t("campaigns.connection")}</span>
            <span role="columnheader">{t("campaignConfig.limit.since")}</span>
            <span role="columnheader">{t("campaignConfig.limit.warmUp")}</span>
            <span role="columnheader">{t("common.today")}</span>
          </div>
          {lines.map((line) => (
            <Line key={line.connection.id} line={line} isOn={value.limitsByDay} />
          ))}
        </div>
      )}
    </Card>
  );
}

function Line({ line, isOn }: { line: CampaignLine; isOn: boolean }): ReactNode {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const nowMs = useNow(MINUTE_MS);
  const { connection, isOfficial, inUseSince, fixedLimit, newToday, newMax, quality } = line;
  const today = dayKey(new Date(nowMs).toISOString());
  const max =
    newMax ?? (isOn && inUseSince !== null ? limitOn(today, { inUseSince, fixedLimit }).new : null);
  const next = inUseSince === null || fixedLimit !== null ? null : nextStep(inUseSince, today);
  return (
    <>
      <div className={classes["line"]} role="row">
        <strong role="rowheader" className={classes["lineName"]}>
          {connection.name}
        </strong>
        <span role="cell" className={classes["since"]}>
          {isOfficial
            ? t("campaigns.line.api")
            : inUseSince !== null && formatDate(`${inUseSince}T12:00:00Z`)}
          {isOfficial ? null : (
            <IconButton
              size="small"
              label={t("campaignConfig.limit.edit", { name: connection.name })}
              icon={IconPencil}
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            />
          )}
        </span>
        <span role="cell">
          {isOfficial ? (
            <span className="bc-small">
              {newMax === null
                ? t("campaignConfig.limit.officialUnknown")
                : t("campaignConfig.limit.official", {
                    max: formatNumber(Math.round(newMax / OFFICIAL_PART)),
                  })}
            </span>
          ) : fixedLimit !== null ? (
            <span className="bc-small">
              {t("campaignConfig.limit.fixedTo", { max: formatNumber(fixedLimit) })}
            </span>
          ) : (
            inUseSince !== null && (
              <Steps inUseSince={inUseSince} today={today} nowMs={nowMs} isOn={isOn} />
            )
          )}
        </span>
        <span role="cell" className={classes["today"]}>
          <span>
            <strong>{formatNumber(newToday)}</strong>{" "}
            {max === null ? null : t("campaignConfig.limit.of", { max: formatNumber(max) })}
          </span>
          {quality !== null ? (
            <span className="bc-detail">
              {t(`campaigns.line.quality.${quality}`).toLocaleLowerCase()}
            </span>
          ) : isOn && next !== null ? (
            <span className="bc-detail">
              {t("campaignConfig.limit.next", {
                max: formatNumber(next.perDay),
                day: dayMonth(next.day, nowMs),
              })}
            </span>
          ) : null}
        </span>
      </div>
      {isOpen ? (
        <div role="row">
          <div role="cell" aria-colspan={4}>
            <LineForm line={line} onClose={() => setOpen(false)} />
          </div>
        </div>
      ) : null}
    </>
  );
}

const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

const daysOfUse = (inUseSince: string, today: string): number =>
  Math.max(0, Math.round((Date.parse(today) - Date.parse(inUseSince)) / DAY_MS));

/** The next higher limit and its day; null on the last step. */
function nextStep(inUseSince: string, today: string): { day: string; perDay: number } | null {
  const days = daysOfUse(inUseSince, today);
  const step = warmUpSteps.find(({ fromDay }) => fromDay > days);
  return step ? { day: dayAfter(inUseSince, step.fromDay), perDay: step.perDay } : null;
}

type StepsProps = { inUseSince: string; today: string; nowMs: number; isOn: boolean };

/** The steps of a growing limit: done, today's, and those to come; each says its day. */
function Steps({ inUseSince, today, nowMs, isOn }: StepsProps): ReactNode {
  const { t } = useTranslation();
  const days = daysOfUse(inUseSince, today);
  const present = warmUpSteps.findLastIndex(({ fromDay }) => fromDay <= days);
  return (
    <ol className={classes["steps"]} data-off={!isOn || undefined}>
      {warmUpSteps.map(({ fromDay, perDay }, index) => {
        const day = dayMonth(dayAfter(inUseSince, fromDay), nowMs);
        const state = index === present ? "now" : index < present ? "done" : "next";
        const label = t(`campaignConfig.limit.steps.${state}`, { max: perDay, day });
        return (
          <li key={fromDay}>
            <button
              type="button"
              className={classes["step"]}
              data-state={state}
              aria-label={label}
              {...tip(label)}
            >
              {perDay}
            </button>
          </li>
        );
      })}
    </ol>
  );
}

/** Since when a number is in use, or a limit that does not grow. Saved at once. */
function LineForm({ line, onClose }: { line: CampaignLine; onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  const { connection, inUseSince, fixedLimit } = line;
  const [since, setSince] = useState(inUseSince ?? "");
  const [fixed, setFixed] = useState<string | number>(fixedLimit ?? "");
  const save = useMutation({
    mutationFn: () =>
      saveLine(connection.id, {
        ...(since !== "" && since !== inUseSince ? { inUseSince: since } : {}),
        fixedLimit: fixed === "" ? null : Number(fixed),
      }),
    onSuccess: () => {
      notifySuccess(t("campaignConfig.saved"));
      onClose();
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!save.isPending) save.mutate();
  }
  return (
    <form className={classes["lineForm"]} noValidate onSubmit={submit}>
      <TextInput
        type="date"
        label={t("campaignConfig.limit.since")}
        value={since}
        max={dayKey(nowIso())}
        data-autofocus
        onChange={(event) => setSince(event.currentTarget.value)}
      />
      <NumberInput
        label={t("campaignConfig.limit.fixed")}
        placeholder={t("campaignConfig.limit.grows")}
        value={fixed}
        min={1}
        max={FIXED_MAX}
        allowDecimal={false}
        allowNegative={false}
        hideControls
        onChange={setFixed}
      />
      <div className={classes["formButtons"]}>
        <Button variant="default" onClick={onClose}>
          {t("common.cancel")}
        </Button>
        <Button type="submit" loading={save.isPending}>
          {t("common.save")}
        </Button>
      </div>
      {save.error === null ? null : (
        <p className="bc-failure" role="alert">
          {errorText(t, save.error)}
        </p>
      )}
    </form>
  );
}
