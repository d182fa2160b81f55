import type { ChannelKind, Connection } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { UseFormReturn } from "react-hook-form";
import { Controller, useWatch } from "react-hook-form";
import { randomUuid } from "../../api/random-uuid.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { copyText } from "../../ui/copy-text.ts";
import { NameField, nameRule } from "../../ui/dialogs/name-field.tsx";
import { SegmentedField } from "../../ui/dialogs/segmented-field.tsx";
import { SwitchField } from "../../ui/dialogs/switch-field.tsx";
import { FieldGroup } from "../../ui/field-group.tsx";
import { IconButton, notifyError, notifySuccess } from "../../ui/index.ts";
import { QueueChoice } from "../../ui/queue-choice.tsx";
import { FirstAnswerField, firstAnswerIds, firstAnswerOf } from "../prompts/index.ts";
import { useQueues } from "../queues/index.ts";
import type { ConnectionBody } from "./api.ts";
import classes from "./connection-dialog.module.css";

/** The texts that a connection sends by itself, in the order of the form. */
export const textNames = [
  "greetingMessage",
  "complationMessage",
  "outOfHoursMessage",
  "ratingMessage",
  "farewellMessage",
] as const;
type TextName = (typeof textNames)[number] | "expiresInactiveMessage";

function textsOf(from: Partial<Record<TextName, string>> | null): Record<TextName, string> {
  return {
    greetingMessage: from?.greetingMessage ?? "",
    complationMessage: from?.complationMessage ?? "",
    outOfHoursMessage: from?.outOfHoursMessage ?? "",
    ratingMessage: from?.ratingMessage ?? "",
    farewellMessage: from?.farewellMessage ?? "",
    expiresInactiveMessage: from?.expiresInactiveMessage ?? "",
  };
}

/** The values of the form: numbers and ids are held as text. */
export type ConnectionValues = Record<TextName, string> & {
  name: string;
  channel: ChannelKind;
  isDefault: boolean;
  queueIds: number[];
  /** The agent or integration that answers first (`features/prompts`). */
  firstAnswer: string;
  token: string;
  provider: string;
  phoneNumberId: string;
  businessAccountId: string;
  accessToken: string;
  appSecret: string;
  verifyToken: string;
  maxUseBotQueues: string;
  timeUseBotQueues: string;
  expiresTicket: string;
  transferQueueId: string;
  timeToTransfer: string;
};

const BOT_SENDS_DEFAULT = "3";

/** The initial values; null is a new connection. */
export function valuesOf(connection: Connection | null): ConnectionValues {
  return {
    name: connection?.name ?? "",
    channel: connection?.channel ?? "whatsapp-web",
    isDefault: connection?.isDefault ?? false,
    queueIds: connection?.queues.map(({ id }) => id) ?? [],
    firstAnswer: firstAnswerOf(connection),
    token: connection?.token ?? "",
    provider: connection?.provider === "stable" ? "stable" : "beta",
    phoneNumberId: connection?.cloudApi?.phoneNumberId ?? "",
    businessAccountId: connection?.cloudApi?.businessAccountId ?? "",
    // The server never sends secrets back; a blank one stays unchanged.
    accessToken: "",
    appSecret: "",
    verifyToken: "",
    ...textsOf(connection),
    maxUseBotQueues: String(connection?.maxUseBotQueues ?? BOT_SENDS_DEFAULT),
    timeUseBotQueues: String(connection?.timeUseBotQueues ?? 0),
    expiresTicket: String(connection?.expiresTicket ?? 0),
    transferQueueId: String(connection?.transferQueueId ?? ""),
    timeToTransfer: String(connection?.timeToTransfer ?? ""),
  };
}

/** The request body. */
export function bodyOf(values: ConnectionValues): ConnectionBody {
  const { name, channel, isDefault, queueIds } = values;
  const token = values.token.trim();
  return {
    name: name.trim(),
    channel,
    isDefault,
    queueIds,
    ...firstAnswerIds(values.firstAnswer),
    token: token === "" ? null : token,
    provider: values.provider === "stable" ? "stable" : "beta",
    ...textsOf(values),
    maxUseBotQueues: Number(values.maxUseBotQueues),
    timeUseBotQueues: Number(values.timeUseBotQueues),
    expiresTicket: Number(values.expiresTicket),
    transferQueueId: values.transferQueueId === "" ? null : Number(values.transferQueueId),
    timeToTransfer: values.timeToTransfer.trim() === "" ? null : Number(values.timeToTransfer),
    ...(channel === "cloud-api" ? { cloudApi: credentialsOf(values) } : {}),
  };
}

function credentialsOf(values: ConnectionValues): NonNullable<ConnectionBody["cloudApi"]> {
  const secrets = (["accessToken", "appSecret", "verifyToken"] as const)
    .map((key) => [key, values[key].trim()] as const)
    .filter(([, value]) => value !== "");
  return {
    phoneNumberId: values.phoneNumberId.trim(),
    businessAccountId: values.businessAccountId.trim(),
    ...Object.fromEntries(secrets),
  };
}

type GeneralFieldsProps = { form: UseFormReturn<ConnectionValues>; connection: Connection | null };

const TOKEN_MAX = 200;

/** Name, channel, credentials, queues, token and provider. */
export function GeneralFields({ form, connection }: GeneralFieldsProps): ReactNode {
  const { t } = useTranslation();
  const { register, control } = form;
  const { errors } = form.formState;
  const channel = useWatch({ control, name: "channel" });
  const min = limits.nameMin;
  return (
    <>
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
      <SegmentedField
        control={control}
        name="channel"
        label={t("connections.form.channel")}
        description={connection === null ? undefined : t("connections.form.channelHelp")}
        choices={(["whatsapp-web", "cloud-api", "simulator"] as const).map((value) => ({
          value,
          label: t(`connections.channels.${value}`),
        }))}
      />
      <SwitchField
        control={control}
        name="isDefault"
        label={t("connections.form.isDefault")}
        description={t("connections.form.isDefaultHelp")}
      />
      {channel === "cloud-api" ? (
        <CloudFields form={form} cloudApi={connection?.cloudApi ?? null} />
      ) : null}
      <QueueFields form={form} />
      <FirstAnswerField
        control={control}
        name="firstAnswer"
        description={t("prompts.first.ofConnection")}
      />
      <FieldGroup legend={t("connections.form.programs")}>
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
        <SegmentedField
          control={control}
          name="provider"
          label={t("connections.form.provider")}
          description={t("connections.form.providerHelp")}
          choices={[
            { value: "beta", label: t("connections.form.beta") },
            { value: "stable", label: t("connections.form.stable") },
          ]}
        />
      </FieldGroup>
    </>
  );
}

/** The queues of the connection. */
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
  /** Null: no credentials are saved yet, so all of them are required. */
  cloudApi: Connection["cloudApi"];
};

const ID_MAX = 50;
const SECRET_MAX = 1_000;

/** The credentials that Meta issued, and the webhook to enter at Meta. */
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

/** The webhook's address and its verify token, to copy. */
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
        // An installation without a public address sends a path; this page's origin is the best guess.
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

/** A text with a button that copies it. */
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
