import "@mantine/core/styles/Tabs.layer.css";
import type { Connection, ErrorCode } from "@balcao/contract";
import { NativeSelect, Tabs, Textarea, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useState } from "react";
import { flushSync } from "react-dom";
import type { PlainTextKey } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { Button } from "../../ui/button.tsx";
import { saveConnection } from "./api.ts";
import classes from "./connection-dialog.module.css";
import type { ConnectionValues } from "./connection-fields.tsx";
import { bodyOf, GeneralFields, textNames, valuesOf, WebhookFields } from "./connection-fields.tsx";
import { limits } from "@balcao/contract/limits";
import type { UseFormReturn } from "react-hook-form";
import { useQueues } from "../queues/index.ts";
import { FieldGroup } from "../../ui/field-group.tsx";

const formTabs = ["general", "messages", "automation"] as const;
type FormTab = (typeof formTabs)[number];

const counts: ReadonlySet<string> = new Set([
  "maxUseBotQueues",
  "timeUseBotQueues",
  "expiresTicket",
  "expiresInactiveMessage",
  "transferQueueId",
  "timeToTransfer",
] satisfies (keyof ConnectionValues)[]);

/** The tab of a field. */
function tabOf(field: string): FormTab {
  if (counts.has(field)) return "automation";
  return textNames.some((name) => name === field) ? "messages" : "general";
}

/** The field that an error of the server belongs to. */
const fieldsOfErrors = {
  ERR_WAPP_NAME_EXISTS: "name",
  ERR_WAPP_TOKEN_EXISTS: "token",
  ERR_WAPP_GREETING_REQUIRED: "greetingMessage",
} as const satisfies Partial<Record<ErrorCode, keyof ConnectionValues>>;

type Props = {
  /** Null: a new one. */
  connection: Connection | null;
  onSaved: (saved: Connection) => void;
  onClose: () => void;
};

/** All settings of a connection. An invalid field shows its tab and is focused. */
export function ConnectionDialog({ connection, onSaved, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const [tab, setTab] = useState<FormTab>("general");
  const { dialog, ...form } = useRecordForm({
    id: connection?.id ?? null,
    values: valuesOf(connection),
    save: (id, values) => saveConnection(id, bodyOf(values)),
    savedText: t("connections.saved"),
    fieldErrors: fieldsOfErrors,
    reveal(field) {
      // A hidden field cannot be focused.
      flushSync(() => setTab(tabOf(field)));
      form.setFocus(field);
    },
    onSaved,
    onClose,
  });

  const isNew = connection === null;
  return (
    <FormDialog
      {...dialog}
      size={640}
      title={isNew ? t("connections.form.newTitle") : t("common.edit", { name: connection.name })}
    >
      <Tabs
        value={tab}
        onChange={(next) => setTab(formTabs.find((one) => one === next) ?? "general")}
      >
        <Tabs.List>
          {formTabs.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(`connections.form.${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="general" className="bc-form bc-panel">
          <GeneralFields form={form} connection={connection} />
        </Tabs.Panel>
        <Tabs.Panel value="messages" className="bc-form bc-panel">
          <MessageFields form={form} />
        </Tabs.Panel>
        <Tabs.Panel value="automation" className="bc-form bc-panel">
          <AutomationFields form={form} />
        </Tabs.Panel>
      </Tabs>
    </FormDialog>
  );
}

type WebhookProps = { connection: Connection; onClose: () => void };

/** Shown after a connection with the official API is saved: the webhook to enter at Meta. */
export function WebhookDialog({ connection, onClose }: WebhookProps): ReactNode {
  const { t } = useTranslation();
  const { cloudApi } = connection;
  return (
    <DialogFrame opened size={640} onClose={onClose} title={t("connections.cloud.webhookTitle")}>
      <div className="bc-form">
        {cloudApi === null ? null : <WebhookFields cloudApi={cloudApi} />}
        <div className={classes["actions"]}>
          <Button onClick={onClose} data-autofocus>
            {t("common.close")}
          </Button>
        </div>
      </div>
    </DialogFrame>
  );
}

const ROWS = 3;
const helpOf: Partial<Record<(typeof textNames)[number], PlainTextKey>> = {
  greetingMessage: "connections.form.greetingHelp",
  complationMessage: "connections.form.complationHelp",
  ratingMessage: "connections.form.ratingHelp",
};

/** The texts that the connection sends by itself. */
function MessageFields({ form }: { form: UseFormReturn<ConnectionValues> }): ReactNode {
  const { t } = useTranslation();
  const { register, getValues, formState } = form;
  return textNames.map((name) => {
    const help = helpOf[name];
    const isMissing = (value: string): boolean =>
      name === "greetingMessage" && getValues("queueIds").length > 1 && value.trim() === "";
    return (
      <Textarea
        key={name}
        {...register(name, {
          validate: (value) => !isMissing(value) || t("connections.form.greetingRequired"),
        })}
        rows={ROWS}
        maxLength={limits.messageBodyMax}
        label={t(`connections.form.${name}`)}
        description={help && t(help)}
        error={formState.errors[name]?.message}
      />
    );
  });
}

const BOT_SENDS_MAX = 100;

/** Accepts a whole number up to `max`, and an empty field where `blank` allows it. */
function isCount(value: string, max: number, blank: "allowed" | "refused"): boolean {
  const trimmed = value.trim();
  if (trimmed === "") return blank === "allowed";
  return /^\d+$/.test(trimmed) && Number(trimmed) <= max;
}

/** Accepts a time in minutes. */
const isMinutes = (value: string, blank: "allowed" | "refused" = "refused"): boolean =>
  isCount(value, limits.connectionMinutesMax, blank);

type Count = "maxUseBotQueues" | "timeUseBotQueues" | "expiresTicket" | "timeToTransfer";

/** Limits and times of the chatbot, redirection and expiry. */
function AutomationFields({ form }: { form: UseFormReturn<ConnectionValues> }): ReactNode {
  const { t } = useTranslation();
  const { register } = form;
  const queues = useQueues();
  const count = (name: Count, isRight: (value: string) => boolean, max: number): ReactNode => (
    <TextInput
      {...register(name, {
        validate: (value) => isRight(value) || t("connections.form.numberWrong", { max }),
      })}
      inputMode="numeric"
      autoComplete="off"
      label={t(`connections.form.${name}`)}
      description={t(`connections.form.${name}Help`)}
      error={form.formState.errors[name]?.message}
    />
  );
  const minutesMax = limits.connectionMinutesMax;
  const isSends = (value: string): boolean => isCount(value, BOT_SENDS_MAX, "refused");
  const queueChoices = [
    { value: "", label: t("connections.form.noQueue") },
    ...(queues ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
  ];
  return (
    <>
      <FieldGroup legend={t("connections.form.botTitle")}>
        <div className={classes["pair"]}>
          {count("maxUseBotQueues", isSends, BOT_SENDS_MAX)}
          {count("timeUseBotQueues", (value) => isMinutes(value), minutesMax)}
        </div>
      </FieldGroup>
      <FieldGroup legend={t("connections.form.redirectTitle")}>
        <div className={classes["pair"]}>
          <NativeSelect
            // The field can show the chosen queue only after the queues are loaded.
            key={queues === undefined ? "loading" : "loaded"}
            {...register("transferQueueId")}
            label={t("connections.form.transferQueueId")}
            data={queueChoices}
          />
          {count("timeToTransfer", (value) => isMinutes(value, "allowed"), minutesMax)}
        </div>
      </FieldGroup>
      <FieldGroup legend={t("connections.form.expiryTitle")}>
        <div className={classes["pair"]}>
          {count("expiresTicket", (value) => isMinutes(value), minutesMax)}
        </div>
        <Textarea
          {...register("expiresInactiveMessage")}
          rows={ROWS}
          maxLength={limits.messageBodyMax}
          label={t("connections.form.expiresInactiveMessage")}
        />
      </FieldGroup>
    </>
  );
}
