import type { BillingSystem, ReplyOf } from "@balcao/contract";
import { billingKeys, billingQueueNames, billingSystems } from "@balcao/contract/billing-lookups";
import { settingKeys } from "@balcao/contract/setting-keys";
import { TextInput } from "@mantine/core";
import { IconPlugConnected } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { KeyboardEvent, ReactNode } from "react";
import { Suspense, useId, useState } from "react";
import { call, hasCode } from "../../api/client.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { errorText, ListSkeleton, LoadFailed, notifySuccess } from "../../ui/index.ts";
import { ActionQuestion } from "../../ui/page/record-page.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import { settingList, useSettings, valueChange, valueOf } from "./api.ts";
import { Section } from "./section.tsx";
import classes from "./settings-page.module.css";

type AccessKey = (typeof billingKeys)[BillingSystem][number];
const textNames = { "mk-auth": "mkAuth", asaas: "asaas", ixc: "ixc" } as const;
const ACCESS_MAX = 1_000;

/** Access data of the billing systems of internet providers: each field saves itself, and is masked from then on. */
export function BillingLookups({ onSaved }: { onSaved: () => void }): ReactNode {
  const { t } = useTranslation();
  const { data, error, refetch } = useSettings();
  if (data === undefined && error !== null) {
    return <LoadFailed icon={IconPlugConnected} error={error} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <ListSkeleton />;
  const stored = Object.values(billingKeys)
    .flat()
    .filter((key) => valueOf(data, key) !== "");
  return (
    <div className={classes["panel"]}>
      <div className={classes["lookups"]}>
        <h2 className={classes["group"]}>{t("settings.lookups.title")}</h2>
        <p className={classes["about"]}>
          {t("settings.lookups.about", {
            bill: quoted(t, billingQueueNames.bill),
            unblock: quoted(t, billingQueueNames.unblock),
          })}
        </p>
        <p className={classes["about"]}>
          {t("settings.lookups.order")}{" "}
          <Link className={classes["link"]} to="/queues">
            {t("settings.lookups.toQueues")}
          </Link>
        </p>
      </div>
      {billingSystems.map((system) => (
        <SystemSection key={system} system={system} stored={stored} onSaved={onSaved} />
      ))}
    </div>
  );
}

/** The names, as they are to be written. */
const quoted = (t: TFunction, names: readonly string[]): string =>
  names.map((name) => `“${name}”`).join(` ${t("settings.lookups.or")} `);

type SectionProps = { system: BillingSystem; stored: readonly AccessKey[]; onSaved: () => void };

function SystemSection({ system, stored, onSaved }: SectionProps): ReactNode {
  const { t } = useTranslation();
  const keys: readonly AccessKey[] = billingKeys[system];
  const name = t(`settings.lookups.systems.${textNames[system]}.name`);
  const [isLeaving, setLeaving] = useState(false);
  // What a test has said is about the data before.
  const [changes, setChanges] = useState(0);
  const changed = (): void => {
    setChanges(changes + 1);
    onSaved();
  };
  const isComplete = keys.every((key) => stored.includes(key));
  return (
    <Section title={name} text={t(`settings.lookups.systems.${textNames[system]}.help`)}>
      {keys.map((key) => (
        <AccessField key={key} name={key} isStored={stored.includes(key)} onSaved={changed} />
      ))}
      <div className={classes["accessFoot"]}>
        {isComplete ? (
          <SystemTest key={changes} system={system} name={name} />
        ) : (
          <p className="bc-small">{t("settings.lookups.incomplete")}</p>
        )}
        {keys.some((key) => stored.includes(key)) ? (
          <Button
            variant="subtle"
            size="xs"
            aria-label={t("settings.lookups.removeOf", { name })}
            onClick={() => setLeaving(true)}
          >
            {t("settings.lookups.remove")}
          </Button>
        ) : null}
      </div>
      <Suspense fallback={null}>
        {isLeaving ? (
          <ActionQuestion
            title={t("settings.lookups.removeTitle", { name })}
            text={t("settings.lookups.removeText")}
            confirm={t("settings.lookups.removeIt")}
            isDestructive
            run={async () => {
              for (const key of keys) await save(key, "");
            }}
            onDone={() => {
              setChanges(changes + 1);
              notifySuccess(t("settings.lookups.removed"));
            }}
            onClose={() => setLeaving(false)}
          />
        ) : null}
      </Suspense>
    </Section>
  );
}

/** Secrets are kept nowhere in the browser: the list gets the mask that the server answers. */
async function save(key: AccessKey, value: string): Promise<void> {
  const saved = await call("PUT /settings/:key", { params: { key }, body: { value } });
  settingList.apply(valueChange(key, saved.value));
}

type FieldProps = { name: AccessKey; isStored: boolean; onSaved: () => void };

function AccessField({ name, isStored, onSaved }: FieldProps): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const [isChanging, setChanging] = useState(false);
  const [typed, setTyped] = useState("");
  const label = t(`settings.lookups.keys.${name}`);
  const isAddress = "address" in settingKeys[name];
  const saving = useMutation({
    mutationFn: (value: string) => save(name, value),
    onSuccess: () => {
      setTyped("");
      setChanging(false);
      onSaved();
    },
  });
  const isInvalid =
    isAddress && (saving.variables ?? "") === typed.trim() && hasCode(saving.error, INVALID);

  /** On leaving the field; an empty one keeps what is stored. */
  function leave(): void {
    const value = typed.trim();
    if (value === "") setChanging(false);
    else if (!saving.isPending) saving.mutate(value);
  }
  function onKey(event: KeyboardEvent<HTMLInputElement>): void {
    if (event.key === "Enter") leave();
    if (event.key !== "Escape") return;
    setTyped("");
    setChanging(false);
  }

  const Field = isAddress || name === "clientidmkauth" ? TextInput : PasswordField;
  const problem = isInvalid ? t("settings.lookups.addressInvalid") : saving.error;
  return (
    <div className={classes["access"]}>
      <div>
        <label className={classes["label"]} htmlFor={id}>
          {label}
        </label>
        {isAddress ? (
          <p className={classes["help"]} id={`${id}-help`}>
            {t("settings.lookups.addressHelp")}
          </p>
        ) : null}
      </div>
      {isStored && !isChanging ? (
        <div className={classes["kept"]}>
          <span className={classes["mask"]}>
            <span aria-hidden="true">••••••••</span>
            <span className="bc-hidden-text">{t("settings.lookups.stored")}</span>
          </span>
          <Button
            id={id}
            variant="default"
            size="xs"
            aria-label={t("settings.lookups.changeOf", { name: label })}
            onClick={() => setChanging(true)}
          >
            {t("settings.lookups.change")}
          </Button>
        </div>
      ) : (
        <div
          onBlur={(event) => {
            if (!event.currentTarget.contains(event.relatedTarget)) leave();
          }}
        >
          <Field
            id={id}
            ref={isChanging ? focusOnce : undefined}
            value={typed}
            maxLength={ACCESS_MAX}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            {...(isAddress ? { type: "url", "aria-describedby": `${id}-help` } : {})}
            error={problem === null ? undefined : wordsOf(t, problem)}
            onChange={(event) => setTyped(event.currentTarget.value)}
            onKeyDown={onKey}
          />
        </div>
      )}
    </div>
  );
}

const INVALID = "ERR_INVALID_REQUEST";

/** Outside of the component, so that it runs when the field appears and not again. */
function focusOnce(field: HTMLInputElement | null): void {
  field?.focus();
}

const wordsOf = (t: TFunction, problem: string | Error): string =>
  typeof problem === "string" ? problem : errorText(t, problem);

/** Asks the system whether it takes the stored data. */
function SystemTest({ system, name }: { system: BillingSystem; name: string }): ReactNode {
  const { t } = useTranslation();
  const testing = useMutation({
    mutationFn: () => call("POST /billingLookups/test", { body: { system } }),
  });
  const { data, error } = testing;
  const isBad = error !== null || data?.isOk === false;
  return (
    <span className={classes["test"]}>
      <Button
        variant="default"
        size="xs"
        aria-label={t("settings.lookups.testOf", { name })}
        loading={testing.isPending}
        onClick={() => testing.mutate()}
      >
        {t("settings.lookups.test")}
      </Button>
      <span role="status" className={isBad ? "bc-failure" : "bc-small"}>
        {error === null ? null : errorText(t, error)}
        {data === undefined || testing.isPending ? null : resultText(t, data)}
      </span>
    </span>
  );
}

type Result = ReplyOf<"POST /billingLookups/test">;

function resultText(t: TFunction, { fault, status }: Result): string {
  if (fault === null) return t("settings.lookups.works");
  return fault === "status"
    ? t("settings.lookups.faults.status", { status: status ?? "" })
    : t(`settings.lookups.faults.${fault}`);
}
