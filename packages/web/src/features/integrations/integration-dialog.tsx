import type { ErrorCode, Integration } from "@balcao/contract";
import type { IntegrationType } from "@balcao/contract/integration-choices";
import { integrationTypes } from "@balcao/contract/integration-choices";
import { Textarea, TextInput } from "@mantine/core";
import { IconFlask2 } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import type { UseFormReturn } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { UsedDialog } from "../../ui/dialogs/used-dialog.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { NameField, nameRule } from "../../ui/dialogs/name-field.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { FieldGroup } from "../../ui/field-group.tsx";
import { errorText, notifySuccess } from "../../ui/index.ts";
import { ActionQuestion } from "../../ui/page/record-page.tsx";
import { useSession } from "../auth/index.ts";
import { askDialogflow, deleteIntegration, integrationLog, saveIntegration } from "./api.ts";
import { Signature } from "./delivery-detail.tsx";
import { isWebAddress, TypeGlyph } from "./integration-words.tsx";
import classes from "./integrations.module.css";

const NAME_MIN = 2;
const NAME_MAX = 50;
const SHORT_MAX = 200;
const ADDRESS_MAX = 1_000;
const TEXT_MAX = 4_096;
const KEY_MAX = 20_000;
const MINUTES_MAX = 100_000;
const DELAY_MAX_MS = 30_000;
const DELAY_MS = 1_000;

/** The values of the form: numbers are held as text. */
type Values = {
  name: string;
  urlN8N: string;
  typebotSlug: string;
  typebotExpires: string;
  typebotDelayMessage: string;
  typebotKeywordFinish: string;
  typebotKeywordRestart: string;
  typebotUnknownMessage: string;
  typebotRestartMessage: string;
  projectName: string;
  language: string;
  /** Blank: the stored key stays. */
  jsonContent: string;
};

type Form = UseFormReturn<Values>;

function valuesOf(integration: Integration | null): Values {
  return {
    name: integration?.name ?? "",
    urlN8N: integration?.urlN8N ?? "",
    typebotSlug: integration?.typebotSlug ?? "",
    typebotExpires: String(integration?.typebotExpires ?? 0),
    typebotDelayMessage: String(integration?.typebotDelayMessage ?? DELAY_MS),
    typebotKeywordFinish: integration?.typebotKeywordFinish ?? "",
    typebotKeywordRestart: integration?.typebotKeywordRestart ?? "",
    typebotUnknownMessage: integration?.typebotUnknownMessage ?? "",
    typebotRestartMessage: integration?.typebotRestartMessage ?? "",
    projectName: integration?.type === "dialogflow" ? integration.projectName : "",
    language: integration?.language || "pt-BR",
    jsonContent: "",
  };
}

/** The fields of the type alone. */
function bodyOf(type: IntegrationType, values: Values) {
  const name = values.name.trim();
  const urlN8N = values.urlN8N.trim();
  switch (type) {
    case "n8n":
    case "webhook":
      return { type, name, urlN8N };
    case "typebot":
      return {
        type,
        name,
        urlN8N,
        typebotSlug: values.typebotSlug.trim(),
        typebotExpires: Number(values.typebotExpires),
        typebotDelayMessage: Number(values.typebotDelayMessage),
        typebotKeywordFinish: values.typebotKeywordFinish.trim(),
        typebotKeywordRestart: values.typebotKeywordRestart.trim(),
        typebotUnknownMessage: values.typebotUnknownMessage,
        typebotRestartMessage: values.typebotRestartMessage,
      };
    case "dialogflow":
      return {
        type,
        name,
        projectName: values.projectName.trim(),
        language: values.language.trim(),
        jsonContent: values.jsonContent.trim(),
      };
  }
}

/** The field that an error of the server belongs to. */
const fieldErrors = {
  ERR_INTEGRATION_NAME_INVALID: "name",
  ERR_INTEGRATION_NAME_EXISTS: "name",
  ERR_INTEGRATION_ADDRESS_INVALID: "urlN8N",
  ERR_INTEGRATION_SLUG_INVALID: "typebotSlug",
  ERR_INTEGRATION_KEY_INVALID: "jsonContent",
  ERR_INTEGRATION_LANGUAGE_INVALID: "language",
} as const satisfies Partial<Record<ErrorCode, keyof Values>>;

type DialogProps = {
  /** Null: a new one, whose type is asked first. */
  integration: Integration | null;
  onClose: () => void;
};

export function IntegrationDialog({ integration, onClose }: DialogProps): ReactNode {
  const { t } = useTranslation();
  const [type, setType] = useState<IntegrationType | null>(integration?.type ?? null);
  if (type !== null) {
    return (
      <IntegrationForm
        type={type}
        integration={integration}
        onBack={integration === null ? () => setType(null) : null}
        onClose={onClose}
      />
    );
  }
  return (
    <DialogFrame opened size={640} title={t("integrations.form.newTitle")} onClose={onClose}>
      <p className="bc-small">{t("integrations.form.chooseType")}</p>
      <div className={classes["tiles"]}>
        {integrationTypes.map((one, index) => (
          <button
            key={one}
            type="button"
            className={classes["tile"]}
            data-autofocus={index === 0 || undefined}
            onClick={() => setType(one)}
          >
            <TypeGlyph type={one} />
            <span className={classes["nameText"]}>{t(`integrations.types.${one}`)}</span>
            <span className={classes["tileText"]}>{t(`integrations.typeHelp.${one}`)}</span>
          </button>
        ))}
      </div>
    </DialogFrame>
  );
}

type FormProps = {
  type: IntegrationType;
  integration: Integration | null;
  /** Back to the choice of the type. */
  onBack: (() => void) | null;
  onClose: () => void;
};

function IntegrationForm({ type, integration, onBack, onClose }: FormProps): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const [isCovered, setCovered] = useState(false);
  const { dialog, ...form } = useRecordForm<Values, Integration>({
    id: integration?.id ?? null,
    values: valuesOf(integration),
    save: (id, values) => saveIntegration(id, bodyOf(type, values)),
    savedText: t("integrations.form.saved"),
    fieldErrors,
    onClose,
  });
  const { register, errors } = form;
  const typeName = t(`integrations.types.${type}`);
  const isSigned = type === "n8n" || type === "webhook";
  return (
    <FormDialog
      {...dialog}
      size={640}
      isCovered={isCovered}
      title={
        integration === null
          ? t("integrations.form.newOf", { type: typeName })
          : t("common.edit", { name: integration.name })
      }
      startAction={
        onBack === null ? null : (
          <Button variant="subtle" onClick={onBack}>
            {t("integrations.form.otherType")}
          </Button>
        )
      }
    >
      <NameField
        {...register(
          "name",
          nameRule(
            t("integrations.form.nameRequired"),
            t("errors.ERR_INTEGRATION_NAME_INVALID"),
            NAME_MIN,
          ),
        )}
        label={t("integrations.name")}
        error={errors.name?.message}
        maxLength={NAME_MAX}
      />
      {type === "dialogflow" ? (
        <DialogflowFields form={form} integration={integration} />
      ) : (
        <TextInput
          {...register("urlN8N", {
            validate: (value) => isWebAddress(value) || t("errors.ERR_INTEGRATION_ADDRESS_INVALID"),
          })}
          label={t(`integrations.form.address.${type}`)}
          description={t(`integrations.form.addressHelp.${type}`)}
          error={errors.urlN8N?.message}
          maxLength={ADDRESS_MAX}
          type="url"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
        />
      )}
      {type === "typebot" ? <TypebotFields form={form} /> : null}
      {isSigned && integration !== null && can("integrations:read-secrets") ? (
        <FieldGroup legend={t("integrations.detail.tabs.signature")}>
          <Signature log={integrationLog} receiverId={integration.id} onCover={setCovered} />
        </FieldGroup>
      ) : null}
    </FormDialog>
  );
}

function TypebotFields({ form }: { form: Form }): ReactNode {
  const { t } = useTranslation();
  const { register, formState } = form;
  const { errors } = formState;
  const count = (name: "typebotExpires" | "typebotDelayMessage", max: number) => ({
    ...register(name, {
      validate: (value) =>
        (/^\d+$/.test(value.trim()) && Number(value) <= max) ||
        t("integrations.form.number", { max }),
    }),
    error: errors[name]?.message,
    inputMode: "numeric" as const,
    autoComplete: "off",
  });
  return (
    <>
      <TextInput
        {...register("typebotSlug", {
          validate: (value) => value.trim() !== "" || t("errors.ERR_INTEGRATION_SLUG_INVALID"),
        })}
        label={t("integrations.form.slug")}
        description={t("integrations.form.slugHelp")}
        error={errors.typebotSlug?.message}
        maxLength={SHORT_MAX}
        autoComplete="off"
        spellCheck={false}
      />
      <div className={classes["halves"]}>
        <TextInput
          {...register("typebotKeywordFinish")}
          label={t("integrations.form.finishWord")}
          description={t("integrations.form.finishHelp")}
          maxLength={SHORT_MAX}
          autoComplete="off"
        />
        <TextInput
          {...register("typebotKeywordRestart")}
          label={t("integrations.form.restartWord")}
          description={t("integrations.form.restartHelp")}
          maxLength={SHORT_MAX}
          autoComplete="off"
        />
      </div>
      <Textarea
        {...register("typebotUnknownMessage")}
        label={t("integrations.form.unknownText")}
        description={t("integrations.form.unknownHelp")}
        maxLength={TEXT_MAX}
        rows={2}
      />
      <Textarea
        {...register("typebotRestartMessage")}
        label={t("integrations.form.restartText")}
        maxLength={TEXT_MAX}
        rows={2}
      />
      <div className={classes["halves"]}>
        <TextInput
          {...count("typebotExpires", MINUTES_MAX)}
          label={t("integrations.form.expires")}
          description={t("integrations.form.expiresHelp")}
        />
        <TextInput
          {...count("typebotDelayMessage", DELAY_MAX_MS)}
          label={t("integrations.form.delay")}
          description={t("integrations.form.delayHelp")}
        />
      </div>
    </>
  );
}

type DialogflowProps = { form: Form; integration: Integration | null };

function DialogflowFields({ form, integration }: DialogflowProps): ReactNode {
  const { t } = useTranslation();
  const { register, formState, trigger, getValues } = form;
  const { errors } = formState;
  const account = integration?.jsonContent ?? "";
  const [changesKey, setChangesKey] = useState(account === "");
  const test = useMutation({
    mutationFn: () => {
      const { projectName, language, jsonContent } = getValues();
      return askDialogflow({
        projectName: projectName.trim(),
        language: language.trim(),
        jsonContent: jsonContent.trim(),
        ...(integration === null ? {} : { integrationId: integration.id }),
      });
    },
  });
  async function ask(): Promise<void> {
    test.reset();
    if (await trigger(["projectName", "language", "jsonContent"], { shouldFocus: true })) {
      test.mutate();
    }
  }

  return (
    <>
      <div className={classes["halves"]}>
        <TextInput
          {...register("projectName", {
            validate: (value) =>
              value.trim().length >= NAME_MIN || t("integrations.form.projectRequired"),
          })}
          label={t("integrations.form.project")}
          description={t("integrations.form.projectHelp")}
          error={errors.projectName?.message}
          maxLength={SHORT_MAX}
          autoComplete="off"
          spellCheck={false}
        />
        <TextInput
          {...register("language", {
            validate: (value) =>
              value.trim().length >= NAME_MIN || t("errors.ERR_INTEGRATION_LANGUAGE_INVALID"),
          })}
          label={t("integrations.form.language")}
          description={t("integrations.form.languageHelp")}
          error={errors.language?.message}
          maxLength={20}
          autoComplete="off"
          spellCheck={false}
        />
      </div>
      {changesKey ? (
        <Textarea
          {...register("jsonContent", {
            validate: (value) =>
              value.trim() === ""
                ? account !== "" || t("integrations.form.keyRequired")
                : isServiceAccount(value) || t("errors.ERR_INTEGRATION_KEY_INVALID"),
          })}
          label={t("integrations.form.key")}
          description={t("integrations.form.keyHelp")}
          error={errors.jsonContent?.message}
          maxLength={KEY_MAX}
          rows={5}
          autoComplete="off"
          spellCheck={false}
        />
      ) : (
        <div className={classes["key"]}>
          <span className="bc-fill">
            <span className={classes["keyLabel"]}>{t("integrations.form.key")}</span>
            <span className="bc-small">{account}</span>
          </span>
          <Button variant="default" onClick={() => setChangesKey(true)}>
            {t("integrations.form.changeKey")}
          </Button>
        </div>
      )}
      <div className={classes["ask"]}>
        <Button
          variant="default"
          leftSection={<IconFlask2 size={15} stroke={1.7} aria-hidden="true" />}
          loading={test.isPending}
          onClick={() => void ask()}
        >
          {t("integrations.form.ask")}
        </Button>
        <span className={classes["asked"]} role="status">
          {test.data ? t("integrations.test.said", { text: test.data.messages.join(" ") }) : null}
          {test.error ? <span className="bc-failure">{errorText(t, test.error)}</span> : null}
        </span>
      </div>
    </>
  );
}

function isServiceAccount(text: string): boolean {
  try {
    const key: unknown = JSON.parse(text);
    return typeof key === "object" && key !== null && "client_email" in key && "private_key" in key;
  } catch {
    return false;
  }
}

type RemovalProps = { integration: Integration; onClose: () => void };

/** Asks before an integration is deleted. One that is used is not: it says where, with links. */
export function IntegrationRemoval({ integration, onClose }: RemovalProps): ReactNode {
  const { t } = useTranslation();
  const { id, name, usedBy } = integration;
  const { connections, queues } = usedBy;
  if (connections.length + queues.length === 0) {
    return (
      <ActionQuestion
        isDestructive
        title={t("integrations.deleteTitle", { name })}
        text={t("integrations.deleteText")}
        confirm={t("common.deleteConfirm")}
        run={() => deleteIntegration(id)}
        onDone={() => notifySuccess(t("integrations.deleted"))}
        onClose={onClose}
      />
    );
  }
  return (
    <UsedDialog
      title={t("integrations.inUse.title", { name })}
      text={t("integrations.inUse.text")}
      places={[
        ...connections.map((one) => ({
          to: `/connections?edit=${one.id}`,
          label: t("integrations.connection", { name: one.name }),
        })),
        ...queues.map((one) => ({
          to: `/queues?edit=${one.id}`,
          label: t("integrations.inUse.queue", one),
          color: one.color,
        })),
      ]}
      onClose={onClose}
    />
  );
}
