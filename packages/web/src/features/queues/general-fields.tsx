import type { Queue } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import { IconPaperclip } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { UseFormReturn } from "react-hook-form";
import { Controller } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";
import { AttachmentField } from "../../ui/attachment-field.tsx";
import { ColorField } from "./color-field.tsx";
import { isColor, normalColor } from "./queue-colors.ts";
import classes from "./queue-dialog.module.css";
import type { QueueValues } from "./queue-values.ts";
import { TextWithVariables } from "./text-with-variables.tsx";

type Props = {
  form: UseFormReturn<QueueValues>;
  queue: Queue | null;
  others: readonly Queue[];
  file: AttachmentChange;
  onFile: (change: AttachmentChange) => void;
};

const GREETING_ROWS = 4;
const ORDER_DIGITS = 4;

/** What the queue is called and how it looks, and what the customer reads first. */
export function GeneralFields({ form, queue, others, file, onFile }: Props): ReactNode {
  const { t } = useTranslation();
  const { register, control } = form;
  const { errors } = form.formState;
  const min = limits.nameMin;

  function checkColor(value: string): string | true {
    if (!isColor(value)) return t("queues.colorWrong");
    const holder = others.find(({ color }) => normalColor(color) === normalColor(value));
    return holder === undefined || t("queues.colorOf", { name: holder.name });
  }

  return (
    <>
      <div className={classes["pair"]}>
        <TextInput
          {...register("name", {
            validate: (value) => {
              if (value.trim() === "") return t("queues.required");
              return value.trim().length >= min || t("queues.nameShort", { min });
            },
          })}
          label={t("queues.name")}
          error={errors.name?.message}
          maxLength={limits.nameMax}
          autoComplete="off"
          data-autofocus
        />
        <TextInput
          {...register("orderQueue", {
            validate: (value) => /^\d{0,4}$/.test(value.trim()) || t("queues.orderWrong"),
          })}
          label={t("queues.order")}
          error={errors.orderQueue?.message}
          inputMode="numeric"
          maxLength={ORDER_DIGITS}
          autoComplete="off"
        />
      </div>
      <Controller
        control={control}
        name="color"
        rules={{ validate: checkColor }}
        render={({ field: { ref, value, onChange } }) => (
          <ColorField
            inputRef={ref}
            value={value}
            error={errors.color?.message}
            others={others}
            onChange={(color) => {
              onChange(color);
              // What another queue has is refused as soon as it is chosen.
              void form.trigger("color");
            }}
          />
        )}
      />
      <Controller
        control={control}
        name="greetingMessage"
        render={({ field: { ref, value, onChange, onBlur } }) => (
          <TextWithVariables
            inputRef={ref}
            label={t("queues.greeting")}
            description={t("queues.greetingHelp")}
            rows={GREETING_ROWS}
            value={value}
            onChange={onChange}
            onBlur={onBlur}
          />
        )}
      />
      <div className={classes["file"]}>
        <span className={classes["fileLabel"]}>{t("queues.file")}</span>
        <div className={classes["fileRow"]}>
          <AttachmentField
            known={queue?.mediaName ?? null}
            change={file}
            onChange={onFile}
            icon={IconPaperclip}
            attachLabel={t("queues.attach")}
            detachLabel={(name) => t("queues.detach", { name })}
          />
          {queue?.mediaPath && file.kind === "keep" ? (
            <a
              className={classes["see"]}
              href={queue.mediaPath}
              target="_blank"
              rel="noopener noreferrer"
            >
              {t("queues.seeFile")}
            </a>
          ) : null}
        </div>
      </div>
    </>
  );
}
