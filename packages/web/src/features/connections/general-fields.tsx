import "@mantine/core/styles/InlineInput.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import type { Connection } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { NativeSelect, Switch, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import type { UseFormReturn } from "react-hook-form";
import { Controller, useWatch } from "react-hook-form";
import { randomUuid } from "../../api/random-uuid.ts";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./connection-dialog.module.css";
import type { ConnectionValues } from "./connection-values.ts";
import { Button } from "../../ui/button.tsx";
import { NameField, nameRule } from "../../ui/dialogs/name-field.tsx";
import { QueueChoice } from "../../ui/queue-choice.tsx";
import { useQueues } from "../queues/index.ts";
import { FieldGroup } from "../../ui/field-group.tsx";
import { IconCopy } from "@tabler/icons-react";
import { copyText } from "../../ui/copy-text.ts";
import { IconButton, notifyError, notifySuccess } from "../../ui/index.ts";

type GeneralFieldsProps = { form: UseFormReturn<ConnectionValues>; connection: Connection | null };

const TOKEN_MAX = 200;

/** What it is called, where it runs, and whom it serves. */
export function GeneralFields({ form, connection }: GeneralFieldsProps): ReactNode {
  const { t } = useTranslation();
  const { register, control } = form;
  const { errors } = form.formState;
  const channel = useWatch({ control, name: "channel" });
  const min = limits.nameMin;
  return (
    <>
      <div className={classes["pair"]}>
        <NameField
          {...register(
            "name",
            nameRule(
              t("connections.form.nameRequired"),
              t("connections.form.nameShort", { min }),
              min,
            ),
          )}
          label={t("connections.form.name")}
          error={errors.name?.message}
          maxLength={limits.connectionNameMax}
        />
        <NativeSelect
          {...register("channel")}
          label={t("connections.form.channel")}
          description={connection === null ? undefined : t("connections.form.channelHelp")}
          data={(["whatsapp-web", "cloud-api", "simulator"] as const).map((value) => ({
            value,
            label: t(`connections.channels.${value}`),
          }))}
        />
      </div>
      <Controller
        control={control}
        name="isDefault"
        render={({ field: { value, onChange, ref } }) => (
          <Switch
            ref={ref}
            checked={value}
            onChange={(event) => onChange(event.currentTarget.checked)}
            label={t("connections.form.isDefault")}
            description={t("connections.form.isDefaultHelp")}
          />
        )}
      />
      {channel === "cloud-api" ? (
        <CloudFields form={form} cloudApi={connection?.cloudApi ?? null} />
      ) : null}
      <QueueFields form={form} />
      <div className={classes["token"]}>
        <TextInput
          {...register("token", {
            validate: (value) => {
              const length = value.trim().length;
              return length === 0 || length >= min || t("connections.form.tokenShort", { min });
            },
          })}
          className="bc-fill"
          label={t("connections.form.token")}
          description={t("connections.form.tokenHelp")}
          error={errors.token?.message}
          maxLength={TOKEN_MAX}
          autoComplete="off"
          spellCheck={false}
        />
        <Button
          className={classes["generate"] ?? ""}
          variant="default"
          onClick={() =>
            form.setValue("token", randomUuid().replaceAll("-", ""), {
              shouldDirty: true,
              shouldValidate: true,
            })
          }
        >
          {t("connections.form.generateToken")}
        </Button>
      </div>
      <NativeSelect
        {...register("provider")}
        label={t("connections.form.provider")}
        description={t("connections.form.providerHelp")}
        data={[
          { value: "beta", label: t("connections.form.beta") },
          { value: "stable", label: t("connections.form.stable") },
        ]}
      />
    </>
  );
}

/** Which queues customers of the connection can be in. */
function QueueFields({ form }: { form: UseFormReturn<ConnectionValues> }): ReactNode {
  const { t } = useTranslation();
  const queues = useQueues();
  return (
    <Controller
      control={form.control}
      name="queueIds"
      render={({ field: { value, onChange } }) => (
        <QueueChoice
          legend={t("connections.form.queues")}
          help={t(
            queues?.length === 0 ? "connections.form.noQueues" : "connections.form.queuesHelp",
          )}
          queues={queues}
          value={value}
          onChange={onChange}
        />
      )}
    />
  );
}

type CloudFieldsProps = {
  form: UseFormReturn<ConnectionValues>;
  /** Null: there are no credentials yet, so that none can be left out. */
  cloudApi: Connection["cloudApi"];
};

const ID_MAX = 50;
const SECRET_MAX = 1_000;

/** What Meta gave to the company, and what the company has to give to Meta. */
function CloudFields({ form, cloudApi }: CloudFieldsProps): ReactNode {
  const { t } = useTranslation();
  const { register } = form;
  const { errors } = form.formState;
  const isKnown = cloudApi !== null;
  const id = (name: "phoneNumberId" | "businessAccountId"): ReactNode => (
    <TextInput
      {...register(name, {
        validate: (value) => {
          if (value.trim() === "") return t("connections.cloud.required");
          return /^\d+$/.test(value.trim()) || t("connections.cloud.digits");
        },
      })}
      label={t(`connections.cloud.${name}`)}
      error={errors[name]?.message}
      inputMode="numeric"
      maxLength={ID_MAX}
      autoComplete="off"
    />
  );
  const secret = (name: "accessToken" | "appSecret"): ReactNode => (
    <TextInput
      {...register(name, {
        validate: (value) => isKnown || value.trim() !== "" || t("connections.cloud.required"),
      })}
      type="password"
      label={t(`connections.cloud.${name}`)}
      description={isKnown ? t("connections.cloud.keepSecret") : undefined}
      error={errors[name]?.message}
      maxLength={SECRET_MAX}
      autoComplete="new-password"
    />
  );
  return (
    <FieldGroup legend={t("connections.cloud.title")}>
      <div className={classes["pair"]}>
        {id("phoneNumberId")}
        {id("businessAccountId")}
        {secret("accessToken")}
        {secret("appSecret")}
      </div>
      <TextInput
        {...register("verifyToken")}
        label={t("connections.cloud.verifyToken")}
        description={t(
          isKnown ? "connections.cloud.keepSecret" : "connections.cloud.verifyTokenHelp",
        )}
        maxLength={SECRET_MAX}
        autoComplete="off"
        spellCheck={false}
      />
      {isKnown ? <WebhookFields cloudApi={cloudApi} /> : null}
    </FieldGroup>
  );
}

/** The address that Meta calls and the word by which it knows us, to copy. */
export function WebhookFields({
  cloudApi,
}: {
  cloudApi: NonNullable<Connection["cloudApi"]>;
}): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <p className="bc-small">{t("connections.cloud.webhookText")}</p>
      <CopyField
        label={t("connections.cloud.webhookUrl")}
        copyLabel={t("connections.cloud.copyUrl")}
        // An installation that was not told its own address gives a path; the one of this page is the best guess.
        value={new URL(cloudApi.webhookUrl, window.location.origin).href}
      />
      <CopyField
        label={t("connections.cloud.verifyToken")}
        copyLabel={t("connections.cloud.copyToken")}
        value={cloudApi.verifyToken}
      />
    </>
  );
}

type Props = { label: string; copyLabel: string; value: string };

/** A text to take elsewhere. */
function CopyField({ label, copyLabel, value }: Props): ReactNode {
  const { t } = useTranslation();

  async function copy(): Promise<void> {
    try {
      await copyText(value);
      notifySuccess(t("connections.cloud.copied"));
    } catch {
      notifyError(t("connections.cloud.copyFailed"));
    }
  }

  return (
    <TextInput
      label={label}
      value={value}
      readOnly
      onFocus={(event) => event.currentTarget.select()}
      rightSection={
        <IconButton size="small" icon={IconCopy} label={copyLabel} onClick={() => void copy()} />
      }
      rightSectionWidth={40}
      rightSectionPointerEvents="all"
    />
  );
}
