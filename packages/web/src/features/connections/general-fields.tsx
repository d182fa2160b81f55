import "@mantine/core/styles/InlineInput.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import type { Connection } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Button, NativeSelect, Switch, TextInput } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { UseFormReturn } from "react-hook-form";
import { Controller, useWatch } from "react-hook-form";
import { randomUuid } from "../../api/random-uuid.ts";
import { useTranslation } from "../../i18n/index.ts";
import { CloudFields } from "./cloud-fields.tsx";
import classes from "./connection-dialog.module.css";
import type { ConnectionValues } from "./connection-values.ts";
import { QueueFields } from "./queue-fields.tsx";

type Props = { form: UseFormReturn<ConnectionValues>; connection: Connection | null };

const TOKEN_MAX = 200;

/** What it is called, where it runs, and whom it serves. */
export function GeneralFields({ form, connection }: Props): ReactNode {
  const { t } = useTranslation();
  const { register, control } = form;
  const { errors } = form.formState;
  const channel = useWatch({ control, name: "channel" });
  const chevron = <IconChevronDown size={15} stroke={1.7} aria-hidden="true" />;
  const min = limits.nameMin;
  return (
    <>
      <div className={classes["pair"]}>
        <TextInput
          {...register("name", {
            validate: (value) => {
              if (value.trim() === "") return t("connections.form.nameRequired");
              return value.trim().length >= min || t("connections.form.nameShort", { min });
            },
          })}
          label={t("connections.form.name")}
          error={errors.name?.message}
          maxLength={limits.connectionNameMax}
          autoComplete="off"
          data-autofocus
        />
        <NativeSelect
          {...register("channel")}
          label={t("connections.form.channel")}
          description={connection === null ? undefined : t("connections.form.channelHelp")}
          inputWrapperOrder={["label", "input", "description", "error"]}
          rightSection={chevron}
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
          className={classes["tokenField"] ?? ""}
          label={t("connections.form.token")}
          description={t("connections.form.tokenHelp")}
          inputWrapperOrder={["label", "input", "description", "error"]}
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
        inputWrapperOrder={["label", "input", "description", "error"]}
        rightSection={chevron}
        data={[
          { value: "beta", label: t("connections.form.beta") },
          { value: "stable", label: t("connections.form.stable") },
        ]}
      />
    </>
  );
}
