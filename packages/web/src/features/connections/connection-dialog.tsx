import "@mantine/core/styles/Tabs.layer.css";
import type { Connection } from "@balcao/contract";
import { NativeSelect, Tabs, Textarea, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useState } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "../../i18n/index.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { Button } from "../../ui/button.tsx";
import { saveConnection } from "./live-connections.ts";
import classes from "./connection-dialog.module.css";
import type { ConnectionValues, FormTab } from "./connection-values.ts";
import {
  BOT_SENDS_MAX,
  valuesOf,
  changeOf,
  isCount,
  isMinutes,
  formTabs,
  tabOf,
  fieldsOfErrors,
} from "./connection-values.ts";
import { GeneralFields, WebhookFields } from "./general-fields.tsx";
import { limits } from "@balcao/contract/limits";
import type { UseFormReturn } from "react-hook-form";
import { useQueues } from "../queues/index.ts";
import { FieldGroup } from "../../ui/field-group.tsx";

type Props = {
  /** Null: a new one. */
  connection: Connection | null;
  onSaved: (saved: Connection) => void;
  onClose: () => void;
};

/** Everything that is set of a connection. A wrong field shows its tab and gets the focus. */
export function ConnectionDialog({ connection, onSaved, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const [tab, setTab] = useState<FormTab>("general");
  const { dialog, ...form } = useRecordForm({
    id: connection?.id ?? null,
    values: valuesOf(connection),
    save: (id, values) => saveConnection(id, changeOf(values)),
    savedText: t("connections.saved"),
    fieldErrors: fieldsOfErrors,
    reveal(field) {
      // A hidden field takes no focus.
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

/** After a connection with the official API is saved: what Meta has to be told. */
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

/** The texts that the connection sends by itself. */
function MessageFields({ form }: { form: UseFormReturn<ConnectionValues> }): ReactNode {
  const { t } = useTranslation();
  const { register, getValues } = form;
  return (
    <>
      <Textarea
        {...register("greetingMessage", {
          validate: (value) =>
            getValues("queueIds").length <= 1 ||
            value.trim() !== "" ||
            t("connections.form.greetingRequired"),
        })}
        rows={ROWS}
        maxLength={limits.messageBodyMax}
        label={t("connections.form.greetingMessage")}
        description={t("connections.form.greetingHelp")}
        error={form.formState.errors.greetingMessage?.message}
      />
      <Textarea
        {...register("complationMessage")}
        rows={ROWS}
        maxLength={limits.messageBodyMax}
        label={t("connections.form.complationMessage")}
        description={t("connections.form.complationHelp")}
      />
      <Textarea
        {...register("outOfHoursMessage")}
        rows={ROWS}
        maxLength={limits.messageBodyMax}
        label={t("connections.form.outOfHoursMessage")}
      />
      <Textarea
        {...register("ratingMessage")}
        rows={ROWS}
        maxLength={limits.messageBodyMax}
        label={t("connections.form.ratingMessage")}
        description={t("connections.form.ratingHelp")}
      />
      <Textarea
        {...register("farewellMessage")}
        rows={ROWS}
        maxLength={limits.messageBodyMax}
        label={t("connections.form.farewellMessage")}
      />
    </>
  );
}

type Count = "maxUseBotQueues" | "timeUseBotQueues" | "expiresTicket" | "timeToTransfer";

/** What the connection does by itself as time passes. */
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
            // A queue that is chosen must be among the choices before the field can show it.
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
          rows={3}
          maxLength={limits.messageBodyMax}
          label={t("connections.form.expiresInactiveMessage")}
        />
      </FieldGroup>
    </>
  );
}
