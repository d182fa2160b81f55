import "@mantine/core/styles/Checkbox.layer.css";
import { Checkbox } from "@mantine/core";
import type { ReactNode } from "react";
import type { UseFormReturn } from "react-hook-form";
import { Controller } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { QueueDot } from "../../ui/index.ts";
import { useQueues } from "./api.ts";
import classes from "./connection-dialog.module.css";
import type { ConnectionValues } from "./connection-values.ts";

/** Which queues customers of the connection can be in. */
export function QueueFields({ form }: { form: UseFormReturn<ConnectionValues> }): ReactNode {
  const { t } = useTranslation();
  const queues = useQueues();
  return (
    <fieldset className={classes["section"]}>
      <legend className={classes["legend"]}>{t("connections.form.queues")}</legend>
      <p className={classes["help"]}>
        {t(queues?.length === 0 ? "connections.form.noQueues" : "connections.form.queuesHelp")}
      </p>
      <Controller
        control={form.control}
        name="queueIds"
        render={({ field: { value, onChange } }) => (
          <div className={classes["queues"]}>
            {queues?.map(({ id, name, color }) => (
              <Checkbox
                key={id}
                classNames={{
                  body: classes["queueRow"] ?? "",
                  input: classes["queueBox"] ?? "",
                }}
                checked={value.includes(id)}
                onChange={({ currentTarget: { checked } }) =>
                  onChange(checked ? [...value, id] : value.filter((one) => one !== id))
                }
                label={
                  <span className={classes["queue"]}>
                    <QueueDot color={color} />
                    {name}
                  </span>
                }
              />
            ))}
          </div>
        )}
      />
    </fieldset>
  );
}
