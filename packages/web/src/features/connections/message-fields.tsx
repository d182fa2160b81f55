import { limits } from "@balcao/contract/limits";
import { Textarea } from "@mantine/core";
import type { ReactNode } from "react";
import type { UseFormReturn } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import type { ConnectionValues } from "./connection-values.ts";

const ROWS = 3;

/** The texts that the connection sends by itself. */
export function MessageFields({ form }: { form: UseFormReturn<ConnectionValues> }): ReactNode {
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
        inputWrapperOrder={["label", "input", "description", "error"]}
        label={t("connections.form.greetingMessage")}
        description={t("connections.form.greetingHelp")}
        error={form.formState.errors.greetingMessage?.message}
      />
      <Textarea
        {...register("complationMessage")}
        rows={ROWS}
        maxLength={limits.messageBodyMax}
        inputWrapperOrder={["label", "input", "description", "error"]}
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
        inputWrapperOrder={["label", "input", "description", "error"]}
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
