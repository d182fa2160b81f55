import { limits } from "@balcao/contract/limits";
import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { UseFormReturn } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { useQueues } from "./api.ts";
import { FieldGroup } from "../../ui/field-group.tsx";
import classes from "./connection-dialog.module.css";
import type { ConnectionValues } from "./connection-values.ts";
import { BOT_SENDS_MAX, isCount, isMinutes } from "./connection-values.ts";

type Count = "maxUseBotQueues" | "timeUseBotQueues" | "expiresTicket" | "timeToTransfer";

/** What the connection does by itself as time passes. */
export function AutomationFields({ form }: { form: UseFormReturn<ConnectionValues> }): ReactNode {
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
      inputWrapperOrder={["label", "input", "description", "error"]}
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
            rightSection={<IconChevronDown size={15} stroke={1.7} aria-hidden="true" />}
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
