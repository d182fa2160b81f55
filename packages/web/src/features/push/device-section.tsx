import "@mantine/core/styles/InlineInput.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import type { PushChoices, PushKind } from "@balcao/contract";
import { Switch, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { FieldGroup } from "../../ui/field-group.tsx";
import { errorText, notifyError, notifyInfo, notifySuccess } from "../../ui/index.ts";
import { useSession, useStoredSession } from "../auth/index.ts";
import { installOffer } from "../offline/index.ts";
import { useStore } from "../../store/index.ts";
import type { DeviceState } from "./subscription.ts";
import {
  isInstalled,
  pushQuery,
  readDevice,
  saveChoices,
  sendTest,
  turnOff,
  turnOn,
} from "./subscription.ts";
import classes from "./device-section.module.css";

/** A finger gets more room than the text has. */
const touched = { label: classes["label"] ?? "" };

/** Push messages in this browser, what they are about and when not, and the page as an app. Each change is kept at once. */
export function DeviceSection(): ReactNode {
  // To a visitor of the provider the account is somebody else's.
  return useStoredSession()?.visit ? null : <OwnDevice />;
}

function OwnDevice(): ReactNode {
  const { t } = useTranslation();
  const { data, error } = useQuery(pushQuery);
  const [state, setState] = useState<DeviceState | null>(null);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    readDevice().then(setState, reportError);
  }, []);

  async function run(work: () => Promise<void>): Promise<void> {
    setBusy(true);
    await work().catch(notifyError);
    setBusy(false);
  }
  const change = (isOn: boolean): void =>
    void run(async () => {
      setState(await (isOn ? turnOn(data?.publicKey ?? "") : turnOff()));
    });
  const test = (): void =>
    void run(async () => {
      if (await sendTest()) notifyInfo(t("push.testSent"));
      else notifyError(t("push.testFailed"));
    });

  const canChange = state === "on" || state === "off";
  return (
    <FieldGroup legend={t("push.title")}>
      {error ? <p className="bc-small">{errorText(t, error)}</p> : null}
      {canChange ? (
        <div className={classes["row"]}>
          <Switch
            classNames={touched}
            checked={state === "on"}
            disabled={isBusy || !data}
            onChange={(event) => change(event.currentTarget.checked)}
            label={t("push.on")}
            description={t("push.onHelp")}
          />
          {state === "on" ? (
            <Button variant="default" loading={isBusy} onClick={test}>
              {t("push.test")}
            </Button>
          ) : null}
        </div>
      ) : null}
      {state === null || canChange ? null : (
        <p className="bc-small" role="status">
          {t(`push.${state}`)}
        </p>
      )}
      {data && state === "on" ? <Choices choices={data.choices} /> : null}
      <Installing />
    </FieldGroup>
  );
}

function Choices({ choices }: { choices: PushChoices }): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const save = (changed: Partial<PushChoices>): void =>
    void saveChoices({ ...choices, ...changed }).then(
      () => notifySuccess(t("push.saved")),
      notifyError,
    );
  const offered: PushKind[] = [
    ...(["tickets", "waiting", "mentions"] as const),
    ...(can("chats:use") ? (["chats"] as const) : []),
    ...(can("connections:manage") ? (["connections"] as const) : []),
  ];
  const { quiet } = choices;
  return (
    <>
      <div role="group" aria-label={t("push.kinds")} className={classes["choices"]}>
        <span className="bc-small">{t("push.kinds")}</span>
        {offered.map((kind) => (
          <Switch
            classNames={touched}
            key={kind}
            checked={choices.kinds.includes(kind)}
            label={t(`push.kind.${kind}`)}
            onChange={(event) => {
              const others = choices.kinds.filter((one) => one !== kind);
              save({ kinds: event.currentTarget.checked ? [...others, kind] : others });
            }}
          />
        ))}
      </div>
      <Switch
        classNames={touched}
        checked={choices.content === "plain"}
        label={t("push.plain")}
        description={t("push.plainHelp")}
        onChange={(event) => save({ content: event.currentTarget.checked ? "plain" : "full" })}
      />
      <Switch
        classNames={touched}
        checked={quiet !== null}
        label={t("push.quiet")}
        description={t("push.quietHelp")}
        onChange={(event) =>
          save({
            quiet: event.currentTarget.checked ? usualQuiet : null,
            // The hours are those of where the user is.
            timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
          })
        }
      />
      {quiet === null ? null : (
        <div className={classes["row"]}>
          <TimeField
            label={t("push.quietFrom")}
            minutes={quiet.from}
            onChosen={(from) => save({ quiet: { ...quiet, from } })}
          />
          <TimeField
            label={t("push.quietTo")}
            minutes={quiet.to}
            onChosen={(to) => save({ quiet: { ...quiet, to } })}
          />
        </div>
      )}
    </>
  );
}

const usualQuiet = { from: 22 * 60, to: 7 * 60 };

type TimeProps = { label: string; minutes: number; onChosen: (minutes: number) => void };

/** Saved when the field is left: while one types there are times that nobody means. */
function TimeField({ label, minutes, onChosen }: TimeProps): ReactNode {
  const two = (part: number): string => String(part).padStart(2, "0");
  return (
    <TextInput
      key={minutes}
      type="time"
      label={label}
      defaultValue={`${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`}
      onBlur={(event) => {
        const [hour, minute] = event.currentTarget.value.split(":").map(Number);
        const chosen = (hour ?? Number.NaN) * 60 + (minute ?? Number.NaN);
        if (Number.isInteger(chosen) && chosen !== minutes) onChosen(chosen);
      }}
    />
  );
}

/** Installing, where the browser offers it to pages; elsewhere its menu is named. */
function Installing(): ReactNode {
  const { t } = useTranslation();
  const offer = useStore(installOffer);
  if (isInstalled()) return <p className="bc-small">{t("push.installed")}</p>;
  if (!offer) return <p className="bc-small">{t("push.installMenu")}</p>;
  const install = (): void => {
    offer
      .prompt()
      .then(() => installOffer.set(null))
      .catch(notifyError);
  };
  return (
    <div className={classes["row"]}>
      <p className="bc-small">{t("push.installHelp")}</p>
      <Button variant="default" onClick={install}>
        {t("push.install")}
      </Button>
    </div>
  );
}
