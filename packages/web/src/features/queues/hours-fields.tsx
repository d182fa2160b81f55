import type { ReactNode } from "react";
import type { UseFormReturn } from "react-hook-form";
import { Controller } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { checkHours } from "../../ui/opening-hours/hours-rules.ts";
import { OpeningHours } from "../../ui/opening-hours/opening-hours.tsx";
import type { QueueValues } from "./queue-values.ts";
import { TextWithVariables } from "./text-with-variables.tsx";

const MESSAGE_ROWS = 3;

/** When the queue is attended to, and what is said outside of these hours. */
export function HoursFields({ form }: { form: UseFormReturn<QueueValues> }): ReactNode {
  const { t } = useTranslation();
  const { control, formState } = form;
  return (
    <>
      <Controller
        control={control}
        name="schedules"
        rules={{ validate: (value) => !checkHours(value).hasErrors || t("queues.hoursWrong") }}
        render={({ field: { value, onChange } }) => (
          <OpeningHours
            value={value}
            onChange={onChange}
            errors={formState.errors.schedules ? checkHours(value).errors : undefined}
          />
        )}
      />
      <Controller
        control={control}
        name="outOfHoursMessage"
        render={({ field: { ref, value, onChange, onBlur } }) => (
          <TextWithVariables
            inputRef={ref}
            label={t("queues.outOfHours")}
            description={t("queues.outOfHoursHelp")}
            rows={MESSAGE_ROWS}
            value={value}
            onChange={onChange}
            onBlur={onBlur}
          />
        )}
      />
    </>
  );
}
