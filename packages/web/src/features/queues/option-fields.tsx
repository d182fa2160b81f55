import type { QueueOption } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Button, TextInput } from "@mantine/core";
import type { KeyboardEvent, ReactNode } from "react";
import { useEffect, useRef } from "react";
import { hasCode } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { errorText } from "../../ui/index.ts";
import type { OptionDraft, OptionField } from "./option-drafts.ts";
import { saveTyped, typeInto } from "./option-drafts.ts";
import classes from "./option-fields.module.css";
import { OptionFile } from "./option-file.tsx";
import { TextWithVariables } from "./text-with-variables.tsx";

type Props = {
  option: QueueOption;
  draft: OptionDraft | undefined;
  /** Its title is written first, in place of the one it was given. */
  isNew: boolean;
  onDone: () => void;
};

const MESSAGE_ROWS = 4;
const NUMBER_DIGITS = 3;

/** What is set of an option. Each text is saved by itself; one that was not stays in its field, with why. */
export function OptionFields({ option, draft, isNew, onDone }: Props): ReactNode {
  const { t } = useTranslation();
  const { id } = option;
  const title = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!isNew) return;
    title.current?.focus();
    title.current?.select();
  }, [isNew]);

  const valueOf = (field: OptionField): string => draft?.values[field] ?? option[field];
  const isWrong = (field: OptionField): boolean => draft?.wrong.includes(field) === true;
  const isNumberTaken = hasCode(draft?.failure, "ERR_QUEUE_OPTION_EXISTS");
  const leave = (): void => void saveTyped(id);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    leave();
  }

  return (
    <div className={classes["fields"]} role="group" aria-label={valueOf("title")}>
      <div className={classes["pair"]}>
        <TextInput
          ref={title}
          label={t("queues.optionTitle")}
          value={valueOf("title")}
          error={isWrong("title") ? t("queues.required") : undefined}
          maxLength={limits.queueOptionTitleMax}
          autoComplete="off"
          onChange={(event) => typeInto(option, "title", event.currentTarget.value)}
          onBlur={leave}
          onKeyDown={onKeyDown}
        />
        <TextInput
          label={t("queues.optionNumber")}
          value={valueOf("option")}
          error={numberError()}
          inputMode="numeric"
          maxLength={NUMBER_DIGITS}
          autoComplete="off"
          onChange={(event) => typeInto(option, "option", event.currentTarget.value)}
          onBlur={leave}
          onKeyDown={onKeyDown}
        />
      </div>
      <TextWithVariables
        label={t("queues.optionMessage")}
        value={valueOf("message")}
        rows={MESSAGE_ROWS}
        onChange={(text) => typeInto(option, "message", text)}
        onBlur={leave}
      />
      <div className={classes["foot"]}>
        <OptionFile option={option} />
        <Button variant="default" size="xs" onClick={onDone}>
          {t("queues.done")}
        </Button>
      </div>
      {draft?.failure && !isNumberTaken ? (
        <p className={classes["failure"]} role="alert">
          {t("queues.saveFailed", { why: errorText(t, draft.failure) })}{" "}
          <button type="button" className={classes["again"]} onClick={leave}>
            {t("common.retry")}
          </button>
        </p>
      ) : null}
    </div>
  );

  function numberError(): string | undefined {
    if (isWrong("option")) return t("queues.numberWrong");
    return isNumberTaken ? t("queues.numberTaken") : undefined;
  }
}
