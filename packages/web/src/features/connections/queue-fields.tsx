import type { ReactNode } from "react";
import type { UseFormReturn } from "react-hook-form";
import { Controller } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { QueueChoice } from "../../ui/queue-choice.tsx";
import { useQueues } from "./api.ts";
import type { ConnectionValues } from "./connection-values.ts";

/** Which queues customers of the connection can be in. */
export function QueueFields({ form }: { form: UseFormReturn<ConnectionValues> }): ReactNode {
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
