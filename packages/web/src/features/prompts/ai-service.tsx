import type { AiService, ErrorCode } from "@balcao/contract";
import { aiServiceBounds, promptDefaults } from "@balcao/contract/prompt-choices";
import { TextInput } from "@mantine/core";
import { IconAlertTriangle, IconSparkles, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Suspense, useId, useState } from "react";
import { useForm } from "react-hook-form";
import { ApiError } from "../../api/client.ts";
import { formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { SwitchField } from "../../ui/dialogs/switch-field.tsx";
import { errorText, ListSkeleton, LoadFailed, NoticeStrip, notifySuccess } from "../../ui/index.ts";
import { Page } from "../../ui/page/page.tsx";
import { ActionQuestion } from "../../ui/page/record-page.tsx";
import {
  checkKey,
  helpAt,
  isLasting,
  momentOf,
  providerOf,
  saveService,
  serviceQuery,
} from "./api.ts";
import { CheckNote, countOf, countText, isAddress, SecretField } from "./prompt-fields.tsx";
import classes from "./prompts.module.css";

const ADDRESS_MAX = 500;
const MODEL_MAX = 100;

/** Numbers are held as text; an empty budget has no limit. */
type Values = {
  baseUrl: string;
  model: string;
  transcriptionModel: string;
  apiKey: string;
  helps: boolean;
  transcribes: boolean;
  dayTokens: string;
  daySounds: string;
};

const valuesOf = (service: AiService): Values => {
  const { baseUrl, model, transcriptionModel, apiKey, helps, transcribes } = service;
  return {
    ...{ baseUrl, model, transcriptionModel, apiKey, helps, transcribes },
    dayTokens: countText(service.dayTokens),
    daySounds: countText(service.daySounds),
  };
};

const fieldsOfErrors: Partial<Record<ErrorCode, keyof Values>> = {
  ERR_PROMPT_APIKEY_INVALID: "apiKey",
  ERR_PROMPT_ADDRESS_INVALID: "baseUrl",
};

/** The AI service that helps the company's own people: its account, what it does, its budget and use. */
export function AiServicePage({ tabs }: { tabs: ReactNode }): ReactNode {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(serviceQuery);
  const isFailed = data === undefined && error !== null;
  return (
    <Page title={t("prompts.title")}>
      {tabs}
      {data === undefined && !isFailed ? <ListSkeleton rows={5} /> : null}
      {isFailed ? (
        <LoadFailed icon={IconSparkles} error={error} onRetry={() => void refetch()} />
      ) : null}
      {data === undefined ? null : <ServiceForm service={data} />}
    </Page>
  );
}

function ServiceForm({ service }: { service: AiService }): ReactNode {
  const { t } = useTranslation();
  const modelsId = useId();
  const [isRemoving, setRemoving] = useState(false);
  const isThere = service.apiKey !== "";
  const form = useForm<Values>({
    values: valuesOf(service),
    // Another admin's change does not take what is being typed.
    resetOptions: { keepDirtyValues: true },
  });
  const { register, control, formState, getValues, setError } = form;
  const { errors, isDirty, dirtyFields } = formState;
  const checking = useMutation({
    mutationFn: () => {
      const { baseUrl, model, apiKey } = getValues();
      return checkKey({
        baseUrl: baseUrl.trim(),
        model: model.trim() || promptDefaults.model,
        ...{ apiKey: apiKey.trim(), ofAiService: true },
      });
    },
  });
  const check = {
    isRunning: checking.isPending,
    error: checking.error,
    models: checking.data ?? null,
    run(): void {
      const { baseUrl, apiKey } = getValues();
      if (baseUrl.trim() !== "" && apiKey.trim() !== "") checking.mutate();
    },
    forget: checking.reset,
  };
  const isUntried = !check.isRunning && check.error === null && check.models === null;
  const saving = useMutation({
    mutationFn: (values: Values) =>
      saveService({
        baseUrl: values.baseUrl.trim(),
        model: values.model.trim(),
        transcriptionModel: values.transcriptionModel.trim(),
        apiKey: values.apiKey.trim(),
        ...{ helps: values.helps, transcribes: values.transcribes },
        dayTokens: countOf(values.dayTokens),
        daySounds: countOf(values.daySounds),
      }),
    onSuccess: (saved) => {
      form.reset(valuesOf(saved));
      notifySuccess(t("prompts.service.saved"));
    },
    onError: (failure) => {
      const field =
        failure instanceof ApiError ? fieldsOfErrors[failure.code as ErrorCode] : undefined;
      if (field) setError(field, { message: errorText(t, failure) }, { shouldFocus: true });
    },
  });
  const { error } = saving;
  const isOfField = error instanceof ApiError && error.code in fieldsOfErrors;
  const budget = (name: "dayTokens" | "daySounds", label: string): ReactNode => {
    const { max } = aiServiceBounds[name];
    return (
      <TextInput
        {...register(name, {
          validate: (typed) =>
            countOf(typed) <= max || t("prompts.numberWrong", { min: "0", max: formatNumber(max) }),
        })}
        label={label}
        error={errors[name]?.message}
        inputMode="numeric"
        autoComplete="off"
      />
    );
  };
  return (
    <form
      noValidate
      className={classes["service"]}
      onSubmit={(event) => void form.handleSubmit((values) => saving.mutate(values))(event)}
    >
      {service.fault === null ? null : <Fault service={service} onCheck={check.run} />}
      <Card title={t("prompts.service.account")} text={t("prompts.service.accountText")}>
        <div className={classes["halves"]}>
          <TextInput
            {...register("baseUrl", {
              validate: (typed) => isAddress(typed) || t("prompts.addressWrong"),
              onChange: check.forget,
              onBlur: () => {
                if (dirtyFields.baseUrl && isUntried) check.run();
              },
            })}
            label={t("prompts.address")}
            error={errors.baseUrl?.message}
            maxLength={ADDRESS_MAX}
            autoComplete="off"
            inputMode="url"
            spellCheck={false}
          />
          <SecretField
            form={form}
            name="apiKey"
            label={t("prompts.key")}
            stored={service.apiKey}
            note={<CheckNote check={check} />}
            onChange={check.forget}
            onLeave={check.run}
          />
          {(["model", "transcriptionModel"] as const).map((name) => (
            <TextInput
              key={name}
              {...register(name, {
                validate: (typed) => typed.trim() !== "" || t("prompts.modelRequired"),
              })}
              label={t(name === "model" ? "prompts.model" : "prompts.service.transcriptionModel")}
              error={errors[name]?.message}
              maxLength={MODEL_MAX}
              list={modelsId}
              autoComplete="off"
              spellCheck={false}
              onFocus={() => {
                // A changed address or key is checked when it is left.
                if (isUntried && !dirtyFields.baseUrl && !dirtyFields.apiKey) check.run();
              }}
            />
          ))}
          <datalist id={modelsId}>
            {check.models?.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </div>
      </Card>
      <Card title={t("prompts.service.does")}>
        {(["helps", "transcribes"] as const).map((name) => (
          <SwitchField
            key={name}
            control={control}
            name={name}
            label={t(`prompts.service.${name}`)}
            description={t(`prompts.service.${name}Text`)}
          />
        ))}
      </Card>
      <Card title={t("prompts.service.budget")} text={t("prompts.service.budgetText")}>
        <div className={classes["halves"]}>
          {budget("dayTokens", t("prompts.dayTokens"))}
          {budget("daySounds", t("prompts.service.daySounds"))}
        </div>
        <dl className={classes["figures"]}>
          <Figures label={t("prompts.service.today")} used={service.usedToday} />
          <Figures label={t("prompts.service.month")} used={service.usedThisMonth} />
        </dl>
      </Card>
      <div className={classes["serviceFoot"]}>
        {isThere ? (
          <Button
            variant="subtle"
            className={classes["delete"] ?? ""}
            leftSection={<IconTrash size={15} stroke={1.7} aria-hidden="true" />}
            onClick={() => setRemoving(true)}
          >
            {t("prompts.service.remove")}
          </Button>
        ) : null}
        {error === null || isOfField ? null : (
          <p className="bc-failure" role="alert">
            {errorText(t, error)}
          </p>
        )}
        {isDirty ? <span className={classes["unsaved"]}>{t("prompts.unsaved")}</span> : null}
        <Button type="submit" loading={saving.isPending}>
          {t("common.save")}
        </Button>
      </div>
      <Suspense fallback={null}>
        {isRemoving ? (
          <ActionQuestion
            isDestructive
            title={t("prompts.service.removeTitle")}
            text={t("prompts.service.removeText")}
            confirm={t("prompts.service.remove")}
            run={async () => form.reset(valuesOf(await saveService({ apiKey: "" })))}
            onDone={() => notifySuccess(t("prompts.service.removed"))}
            onClose={() => setRemoving(false)}
          />
        ) : null}
      </Suspense>
    </form>
  );
}

type CardProps = { title: string; text?: string; children: ReactNode };

function Card({ title, text, children }: CardProps): ReactNode {
  const id = useId();
  return (
    <section className={classes["card"]} aria-labelledby={id}>
      <div>
        <h2 id={id} className={classes["cardTitle"]}>
          {title}
        </h2>
        {text === undefined ? null : <p className="bc-small">{text}</p>}
      </div>
      {children}
    </section>
  );
}

function Figures({ label, used }: { label: string; used: AiService["usedToday"] }): ReactNode {
  const { t } = useTranslation();
  const { tokens, answers, sounds } = used;
  return (
    <div>
      <dt className="bc-meta">{label}</dt>
      <dd className="bc-meta">
        {t("prompts.service.used", {
          tokens: formatNumber(tokens),
          answers: formatNumber(answers),
          sounds: formatNumber(sounds),
        })}
      </dd>
    </div>
  );
}

/** Why the service does not answer, since when, and what that means. */
function Fault({ service, onCheck }: { service: AiService; onCheck: () => void }): ReactNode {
  const { t } = useTranslation();
  const { fault, faultAt, baseUrl } = service;
  if (fault === null || faultAt === null) return null;
  const provider = providerOf(baseUrl);
  const link = helpAt(baseUrl, fault);
  const isStopped = isLasting(fault);
  return (
    <div className={classes["strips"]}>
      <NoticeStrip
        tone={isStopped ? "bad" : "warn"}
        icon={IconAlertTriangle}
        title={t(`prompts.faults.${fault}`, { provider, since: momentOf(faultAt) })}
        action={{ label: t("prompts.checkAgain"), onClick: onCheck }}
      >
        {t(isStopped ? "prompts.service.stopped" : "prompts.service.failing")}{" "}
        {link === null ? null : (
          <a className={classes["help"]} href={link} target="_blank" rel="noopener noreferrer">
            {t("prompts.atProvider", { provider })}
          </a>
        )}
      </NoticeStrip>
    </div>
  );
}
