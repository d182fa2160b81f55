import "@mantine/core/styles/InlineInput.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import { Input, Switch } from "@mantine/core";
import { IconChevronDown, IconSettings } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useId } from "react";
import { Link } from "react-router";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { errorText, ListSkeleton, LoadFailed, notifySuccess } from "../../ui/index.ts";
import { useSetting, useSettingChange, useSettings } from "./live-settings.ts";
import type { Option, OptionGroup } from "./options.ts";
import { optionGroups } from "./options.ts";
import classes from "./settings-page.module.css";

/** Every option of the company, each with what it does. A change counts at once, for everybody. */
export function OptionsPanel(): ReactNode {
  const { data, error, refetch } = useSettings();
  if (data === undefined && error !== null) {
    return <LoadFailed icon={IconSettings} error={error} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <ListSkeleton />;
  return (
    <div className={classes["panel"]}>
      {optionGroups.map((group) => (
        <Group key={group.name} group={group} />
      ))}
    </div>
  );
}

function Group({ group }: { group: OptionGroup }): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  return (
    <section className={classes["card"]} aria-labelledby={id}>
      <h2 id={id} className={classes["group"]}>
        {t(`settings.groups.${group.name}`)}
      </h2>
      {group.options.map((option) => (
        <OptionRow key={option.key} option={option} />
      ))}
    </section>
  );
}

function OptionRow({ option }: { option: Option }): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const value = useSetting(option.key);
  const change = useSettingChange(option.key);
  const names = { "aria-labelledby": `${id}-label`, "aria-describedby": `${id}-help` };

  function choose(next: string): void {
    change.mutate(next, { onSuccess: () => notifySuccess(t("settings.saved")) });
  }

  return (
    <div className={classes["option"]} data-wide={option.kind === "choice" || undefined}>
      <div>
        <label className={classes["label"]} id={`${id}-label`} htmlFor={id}>
          {t(`settings.${option.key}.label`)}
        </label>
        <p className={classes["help"]} id={`${id}-help`}>
          {t(`settings.${option.key}.help`)} <FurtherOn option={option} value={value} />
        </p>
      </div>
      {option.kind === "switch" ? (
        <div className={classes["switch"]}>
          <Switch
            {...names}
            id={id}
            checked={value === "enabled"}
            onChange={(event) => choose(event.currentTarget.checked ? "enabled" : "disabled")}
          />
        </div>
      ) : (
        <Input
          {...names}
          component="select"
          pointer
          // The library would set the id only together with a description of its own in place of ours.
          withAria={false}
          ref={(select: HTMLSelectElement | null) => select?.setAttribute("id", id)}
          className={classes["select"] ?? ""}
          value={value}
          rightSection={<IconChevronDown size={15} stroke={1.7} aria-hidden="true" />}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {choicesOf(t, option).map((one) => (
            <option key={one.value} value={one.value}>
              {one.label}
            </option>
          ))}
        </Input>
      )}
      {change.error === null ? null : (
        <p className={classes["failure"]} role="alert">
          {errorText(t, change.error)}
        </p>
      )}
    </div>
  );
}

type Choice = { value: string; label: string };

function choicesOf(t: TFunction, option: Extract<Option, { kind: "choice" }>): Choice[] {
  switch (option.key) {
    case "chatBotType":
      return option.values.map((value) => ({
        value,
        label: t(`settings.chatBotType.values.${value}`),
      }));
    case "scheduleType":
      return option.values.map((value) => ({
        value,
        label: t(`settings.scheduleType.values.${value}`),
      }));
    case "passwordMinLength":
      return option.values.map((value) => ({
        value,
        label: t("settings.passwordMinLength.value", { min: value }),
      }));
  }
}

/** Where the rest of an option is set. */
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
