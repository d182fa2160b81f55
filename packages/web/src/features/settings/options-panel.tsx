import "@mantine/core/styles/InlineInput.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import type { SettingKey } from "@balcao/contract";
import { settingKeys } from "@balcao/contract/setting-keys";
import { Input, Switch } from "@mantine/core";
import { IconChevronDown, IconSettings } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useId, useState } from "react";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { errorText, ListSkeleton, LoadFailed } from "../../ui/index.ts";
import { AfterShown } from "../../ui/after-shown.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { matches, plain } from "../../ui/matches.ts";
import { Segmented } from "../../ui/segmented.tsx";
import { useSession } from "../auth/index.ts";
import { useSetting, useSettings } from "./api.ts";
import { useSettingChange } from "./changes.ts";
import { Section } from "./section.tsx";
import classes from "./settings-page.module.css";

const SupportVisits = lazyPart(
  async () => (await import("./support-visits.tsx")).SupportVisits,
  "inline",
  "provider",
);

const CompanySecurity = lazyPart(
  async () => (await import("../account-security/index.ts")).CompanySecurity,
  "inline",
  "trust",
);

/** A setting on the page; its texts have its key. */
type Option =
  | { key: SwitchKey; kind: "switch" }
  | { key: "scheduleType"; kind: "choice"; values: readonly ["disabled", "company", "queue"] }
  | {
      key: "waitingPreview";
      kind: "choice";
      values: typeof settingKeys.waitingPreview.values;
    }
  | { key: "passwordMinLength" | "trial"; kind: "choice"; values: readonly string[] }
  | { key: "pauseReasons"; kind: "lines" };

type SwitchKey = Extract<
  SettingKey,
  | "userRating"
  | "CheckMsgIsGroup"
  | "call"
  | "sendGreetingAccepted"
  | "sendMsgTransfTicket"
  | "sendGreetingMessageOneQueues"
  | "resolveReasonRequired"
  | "allowregister"
  | "viewregister"
>;

type OptionGroup = {
  name: "service" | "chatbot" | "incoming" | "security" | "signUp";
  /** For super users, about the whole installation. */
  isOfProvider?: true;
  options: readonly Option[];
};

/** Every setting of spec 9 that has an effect and more than one value, by subject. */
export const optionGroups: readonly OptionGroup[] = [
  {
    name: "service",
    options: [
      { key: "sendGreetingAccepted", kind: "switch" },
      { key: "sendMsgTransfTicket", kind: "switch" },
      {
        key: "waitingPreview",
        kind: "choice",
        values: settingKeys.waitingPreview.values,
      },
      { key: "userRating", kind: "switch" },
      { key: "resolveReasonRequired", kind: "switch" },
      { key: "pauseReasons", kind: "lines" },
    ],
  },
  {
    name: "chatbot",
    options: [
      { key: "scheduleType", kind: "choice", values: ["disabled", "company", "queue"] },
      { key: "sendGreetingMessageOneQueues", kind: "switch" },
    ],
  },
  {
    name: "incoming",
    options: [
      { key: "CheckMsgIsGroup", kind: "switch" },
      { key: "call", kind: "switch" },
    ],
  },
  {
    name: "security",
    options: [
      {
        key: "passwordMinLength",
        kind: "choice",
        values: settingKeys.passwordMinLength.values,
      },
    ],
  },
  {
    name: "signUp",
    isOfProvider: true,
    options: [
      { key: "allowregister", kind: "switch" },
      { key: "viewregister", kind: "switch" },
      { key: "trial", kind: "choice", values: settingKeys.trial.values },
    ],
  },
];

type PanelProps = {
  /** Only options that have them; empty for all. */
  words: string;
  onSaved: () => void;
  /** Results of the search in other tabs; null without any. */
  children?: ReactNode;
};

/** Every option of the company with its effect. A change applies at once, for all users. */
export function OptionsPanel({ words, onSaved, children = null }: PanelProps): ReactNode {
  const { t } = useTranslation();
  const { user } = useSession();
  const { data, error, refetch } = useSettings();
  if (data === undefined && error !== null) {
    return <LoadFailed icon={IconSettings} error={error} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <ListSkeleton />;
  const groups = optionGroups
    .filter(({ isOfProvider = false }) => !isOfProvider || user.super)
    .map(({ name, options }) => ({
      name,
      options: options.filter(({ key }) =>
        matches(`${t(`settings.${key}.label`)} ${t(`settings.${key}.help`)}`, words),
      ),
    }))
    .filter(({ options }) => options.length > 0);
  return (
    <div className={classes["panel"]}>
      {groups.map((group) => (
        <Section
          key={group.name}
          title={t(`settings.groups.${group.name}`)}
          text={t(`settings.about.${group.name}`)}
        >
          {group.options.map((option) => (
            <OptionRow key={option.key} option={option} words={words} onSaved={onSaved} />
          ))}
          {group.name === "security" && words === "" ? (
            <AfterShown>
              <CompanySecurity onSaved={onSaved} />
            </AfterShown>
          ) : null}
        </Section>
      ))}
      <Suspense fallback={null}>
        {words === "" ? (
          <SupportVisits />
        ) : (
          <CompanySecurity
            words={words}
            frame={Section}
            isRestEmpty={groups.length === 0 && children === null}
            onSaved={onSaved}
          />
        )}
      </Suspense>
      {children}
    </div>
  );
}

type RowProps = Pick<PanelProps, "words" | "onSaved"> & { option: Option };

function OptionRow({ option, words, onSaved }: RowProps): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const value = useSetting(option.key);
  const change = useSettingChange(option.key);
  const choose = (next: string): void => change.mutate(next, { onSuccess: onSaved });
  return (
    <div className={classes["option"]} data-wide={option.kind !== "switch" || undefined}>
      <div>
        <label className={classes["label"]} id={`${id}-label`} htmlFor={id}>
          <Marked text={t(`settings.${option.key}.label`)} words={words} />
        </label>
        <p className={classes["help"]} id={`${id}-help`}>
          <Marked text={t(`settings.${option.key}.help`)} words={words} />{" "}
          <FurtherOn option={option} value={value} />
        </p>
      </div>
      <Control id={id} option={option} value={value} onChoose={choose} />
      {change.error === null ? null : (
        <p className={classes["failure"]} role="alert">
          {errorText(t, change.error)}{" "}
          <button
            type="button"
            className="bc-text-button"
            onClick={() => choose(change.variables ?? value)}
          >
            {t("common.retry")}
          </button>
        </p>
      )}
    </div>
  );
}

const LINES_SHOWN = 4;
/** Characters of all lines. */
const LINES_MAX = 1_000;

type LinesProps = {
  id: string;
  names: { "aria-labelledby": string; "aria-describedby": string };
  value: string;
  onSave: (value: string) => void;
};

/** A text of several lines, saved when the field is left. */
function Lines({ id, names, value, onSave }: LinesProps): ReactNode {
  // Null without edits: then changes by colleagues are shown.
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <Input
      {...names}
      component="textarea"
      multiline
      rows={LINES_SHOWN}
      // As of the select.
      withAria={false}
      ref={(field: HTMLTextAreaElement | null) => field?.setAttribute("id", id)}
      maxLength={LINES_MAX}
      value={typed ?? value}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={() => {
        if (typed !== null && typed.trim() !== value) onSave(typed.trim());
        setTyped(null);
      }}
    />
  );
}

type ControlProps = {
  id: string;
  option: Option;
  value: string;
  onChoose: (value: string) => void;
};

/** A switch, lines of text, up to three choices side by side, or a select. */
function Control({ id, option, value, onChoose }: ControlProps): ReactNode {
  const { t } = useTranslation();
  const names = { "aria-labelledby": `${id}-label`, "aria-describedby": `${id}-help` };
  if (option.kind === "switch") {
    return (
      <div className={classes["switch"]}>
        <Switch
          {...names}
          id={id}
          checked={value === "enabled"}
          onChange={(event) => onChoose(event.currentTarget.checked ? "enabled" : "disabled")}
        />
      </div>
    );
  }
  if (option.kind === "lines") {
    return <Lines names={names} id={id} value={value} onSave={onChoose} />;
  }
  const choices = choicesOf(t, option);
  if (choices.length <= 3) {
    return <Segmented {...names} value={value} choices={choices} onChange={onChoose} />;
  }
  return (
    <Input
      {...names}
      component="select"
      pointer
      // The library sets the id only together with its own description.
      withAria={false}
      ref={(select: HTMLSelectElement | null) => select?.setAttribute("id", id)}
      className={classes["select"] ?? ""}
      rightSection={<IconChevronDown size={15} stroke={1.7} aria-hidden="true" />}
      value={value}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      {choices.map((one) => (
        <option key={one.value} value={one.value}>
          {one.label}
        </option>
      ))}
    </Input>
  );
}

/** A text in which the words of a search are marked. */
function Marked({ text, words }: { text: string; words: string }): ReactNode {
  const wanted = plain(words).split(/\s+/).filter(Boolean);
  const parts = text.split(/(\s+)/);
  return parts.map((part, index) => {
    const isFound = wanted.some((word) => plain(part).includes(word));
    // oxlint-disable-next-line react/no-array-index-key -- the parts of a text never change their order
    return isFound ? <mark key={index}>{part}</mark> : part;
  });
}

type Choice = { value: string; label: string };

function choicesOf(t: TFunction, option: Extract<Option, { kind: "choice" }>): Choice[] {
  switch (option.key) {
    case "scheduleType":
      return option.values.map((value) => ({
        value,
        label: t(`settings.scheduleType.values.${value}`),
      }));
    case "waitingPreview":
      return option.values.map((value) => ({
        value,
        label: t(`settings.waitingPreview.values.${value}`),
      }));
    case "passwordMinLength":
      return option.values.map((value) => ({
        value,
        label: t("settings.passwordMinLength.value", { min: value }),
      }));
    case "trial":
      return option.values.map((value) => ({
        value,
        label: t("settings.trial.value", { count: Number(value) }),
      }));
  }
}

/** Links to the page with the rest of an option. */
function FurtherOn({ option, value }: { option: Option; value: string }): ReactNode {
  const { t } = useTranslation();
  if (option.key !== "scheduleType" || value === "disabled") return null;
  return value === "company" ? (
    <Link className={classes["link"]} to="?tab=hours">
      {t("settings.scheduleType.toHours")}
    </Link>
  ) : (
    <Link className={classes["link"]} to="/queues">
      {t("settings.scheduleType.toQueues")}
    </Link>
  );
}
