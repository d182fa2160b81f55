import "@mantine/core/styles/Checkbox.layer.css";
import "@mantine/core/styles/InlineInput.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import type { CampaignSettings } from "@balcao/contract";
import { carefulCampaignSettings } from "@balcao/contract/campaign-choices";
import { limits } from "@balcao/contract/limits";
import { Switch, Textarea, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { plain } from "../../ui/matches.ts";
import { tip } from "../../ui/tooltip.tsx";
import { shortWeekday } from "./campaign-words.ts";
import type { CardProps } from "./campaigns-config-page.tsx";
import { Card } from "./config-card.tsx";
import { ConfigHolidays } from "./config-holidays.tsx";
import classes from "./config.module.css";

/** Monday first; 0 is Sunday. */
const weekOrder = [1, 2, 3, 4, 5, 6, 0];
/** A Sunday. */
const SUNDAY_MS = Date.UTC(2026, 0, 4);
const DAY_MS = 86_400_000;

type Hours = NonNullable<CampaignSettings["hours"]>;

/** The hours, weekdays and holidays by which campaigns wait. */
export function HoursCard({ value, change }: CardProps): ReactNode {
  const { t } = useTranslation();
  const { hours, pausesOnHolidays } = value;
  const [careful] = useState<Hours>(() => ({
    ...carefulCampaignSettings.hours,
    weekdays: [...carefulCampaignSettings.hours.weekdays],
  }));
  return (
    <Card
      title={t("campaignConfig.hours.title")}
      text={t(hours === null ? "campaignConfig.hours.always" : "campaignConfig.hours.text")}
      control={
        <Switch
          aria-label={t("campaignConfig.hours.switch")}
          checked={hours !== null}
          onChange={(event) => change({ hours: event.currentTarget.checked ? careful : null })}
        />
      }
    >
      {hours === null ? null : (
        <HoursFields hours={hours} onChange={(next) => change({ hours: next })} />
      )}
      <Switch
        className={classes["switch"] ?? ""}
        labelPosition="left"
        label={t("campaignConfig.holidays.switch")}
        description={t("campaignConfig.holidays.text")}
        checked={pausesOnHolidays}
        onChange={(event) => change({ pausesOnHolidays: event.currentTarget.checked })}
      />
      {pausesOnHolidays ? <ConfigHolidays /> : null}
    </Card>
  );
}

function HoursFields({
  hours,
  onChange,
}: {
  hours: Hours;
  onChange: (hours: Hours) => void;
}): ReactNode {
  const { t } = useTranslation();
  const { weekdays, from, to } = hours;
  const isWrong = from >= to;
  function toggle(day: number): void {
    const next = weekdays.includes(day)
      ? weekdays.filter((one) => one !== day)
      : [...weekdays, day].toSorted((a, b) => a - b);
    // At least one day stays, or campaigns would never go out.
    if (next.length > 0) onChange({ ...hours, weekdays: next });
  }
  return (
    <>
      <div role="group" aria-label={t("campaignConfig.hours.days")} className={classes["days"]}>
        {weekOrder.map((day) => {
          const date = new Date(SUNDAY_MS + day * DAY_MS).toISOString().slice(0, 10);
          return (
            <button
              key={day}
              type="button"
              className={classes["day"]}
              aria-pressed={weekdays.includes(day)}
              onClick={() => toggle(day)}
            >
              {shortWeekday(date).replace(/\.$/, "")}
            </button>
          );
        })}
      </div>
      <div className={classes["times"]}>
        <TextInput
          type="time"
          aria-label={t("campaignConfig.hours.from")}
          value={from}
          onChange={({ currentTarget }) =>
            currentTarget.value !== "" && onChange({ ...hours, from: currentTarget.value })
          }
        />
        <span className="bc-small">{t("campaignConfig.hours.until")}</span>
        <TextInput
          type="time"
          aria-label={t("campaignConfig.hours.to")}
          value={to}
          onChange={({ currentTarget }) =>
            currentTarget.value !== "" && onChange({ ...hours, to: currentTarget.value })
          }
        />
      </div>
      {isWrong ? (
        <p className="bc-small" role="status">
          {t("campaignConfig.hours.overMidnight")}
        </p>
      ) : null}
    </>
  );
}

/** The words with which people leave, and what they are answered. */
export function OptOutCard({ value, change }: CardProps): ReactNode {
  const { t } = useTranslation();
  const { optOutWords: words, optOutReply } = value;
  const { data: count } = useQuery({
    queryKey: ["campaign-settings", "opted-out"],
    queryFn: async ({ signal }) => {
      const query = { searchParam: "", pageNumber: "1", optedOut: "true" } as const;
      return (await call("GET /contacts", { query }, { signal })).count;
    },
  });
  return (
    <Card title={t("campaignConfig.optOut.title")} text={t("campaignConfig.optOut.text")}>
      <ul className={classes["words"]} aria-label={t("campaignConfig.optOut.words")}>
        {words.map((word) => (
          <li key={word} className={classes["word"]}>
            {word}
            {words.length === 1 ? null : (
              <button
                type="button"
                className={classes["unword"]}
                aria-label={t("campaignConfig.optOut.remove", { word })}
                {...tip(t("campaignConfig.optOut.remove", { word }))}
                onClick={() => change({ optOutWords: words.filter((one) => one !== word) })}
              >
                <IconX size={13} stroke={1.9} aria-hidden="true" />
              </button>
            )}
          </li>
        ))}
        {words.length < limits.optOutWordsMax ? (
          <li>
            <NewWord words={words} onAdd={(word) => change({ optOutWords: [...words, word] })} />
          </li>
        ) : null}
      </ul>
      <Textarea
        label={t("campaignConfig.optOut.reply")}
        rows={3}
        maxLength={limits.campaignTextMax}
        value={optOutReply}
        onChange={(event) => change({ optOutReply: event.currentTarget.value })}
      />
      {count === undefined || count === 0 ? null : (
        <p className="bc-small">
          <Link to="/contacts?optedOut=true" className={classes["outside"]}>
            {t("campaignConfig.optOut.contacts", { count, number: formatNumber(count) })}
          </Link>{" "}
          {t("campaignConfig.optOut.outside", { count })}
        </p>
      )}
    </Card>
  );
}

/** Compared as answers are: without accents and case. */
const WORD = /^\p{L}{2,20}$/u;

function NewWord({
  words,
  onAdd,
}: {
  words: readonly string[];
  onAdd: (word: string) => void;
}): ReactNode {
  const { t } = useTranslation();
  const [word, setWord] = useState<string | null>(null);
  const [isChecked, setChecked] = useState(false);
  if (word === null) {
    return (
      <button type="button" className={classes["addWord"]} onClick={() => setWord("")}>
        <IconPlus size={13} stroke={1.9} aria-hidden="true" />
        {t("campaignConfig.optOut.add")}
      </button>
    );
  }
  const clean = word.trim().toLocaleUpperCase();
  const isKnown = words.some((one) => plain(one) === plain(clean));
  const error = isKnown
    ? t("campaignConfig.optOut.known")
    : WORD.test(clean)
      ? null
      : t("campaignConfig.optOut.letters");
  function close(): void {
    setWord(null);
    setChecked(false);
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    setChecked(true);
    if (error !== null) return;
    onAdd(clean);
    close();
  }
  return (
    <form noValidate onSubmit={submit}>
      <TextInput
        autoFocus
        size="xs"
        className={classes["newWord"] ?? ""}
        aria-label={t("campaignConfig.optOut.newWord")}
        maxLength={20}
        value={word}
        error={isChecked && error}
        onChange={(event) => setWord(event.currentTarget.value)}
        onBlur={() => (clean === "" ? close() : undefined)}
        onKeyDown={(event) => {
          if (event.key === "Escape") close();
        }}
      />
    </form>
  );
}
