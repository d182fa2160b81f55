import type { QueueOption } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import type { KeyboardEvent, ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { hasCode } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { QuestionDialog } from "../../ui/dialogs/question-dialog.tsx";
import { errorText, IconButton, notifySuccess } from "../../ui/index.ts";
import type { OptionDraft, OptionField } from "./option-drafts.ts";
import { dropTyped, saveTyped, typeInto } from "./option-drafts.ts";
import classes from "./chatbot-editor.module.css";
import { TextWithVariables } from "../../ui/text-with-variables.tsx";
import { Button } from "../../ui/button.tsx";
import { IconPaperclip, IconX } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import {
  attachToOption,
  countBelow,
  deleteOption,
  detachFromOption,
  useOptions,
} from "./chatbot-api.ts";

type Props = {
  option: QueueOption;
  draft: OptionDraft | undefined;
  /** The title is focused and selected, to be replaced. */
  isNew: boolean;
  onDone: () => void;
};

const MESSAGE_ROWS = 4;
const NUMBER_DIGITS = 3;

/** The fields of an option. Each is saved separately; unsaved text stays in its field with the error. */
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
        <p className="bc-failure" role="alert">
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

/** The file that follows an option's text. Changes are saved at once. */
function OptionFile({ option }: { option: QueueOption }): ReactNode {
  const { t } = useTranslation();
  const { id, queueId, mediaName, mediaPath } = option;
  const input = useRef<HTMLInputElement>(null);
  const [part, setPart] = useState(0);
  const attach = useMutation({
    mutationFn: (file: File) => attachToOption(queueId, id, file, setPart),
    onMutate: () => setPart(0),
  });
  const detach = useMutation({ mutationFn: () => detachFromOption(queueId, id) });
  const failure = attach.error ?? detach.error;
  return (
    <div className={classes["file"]}>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={t("queues.attach")}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          detach.reset();
          if (file) attach.mutate(file);
          event.currentTarget.value = "";
        }}
      />
      {mediaName === null || attach.isPending ? (
        <Button
          variant="default"
          size="xs"
          disabled={attach.isPending}
          leftSection={<IconPaperclip size={15} stroke={1.7} aria-hidden="true" />}
          onClick={() => input.current?.click()}
        >
          {attach.isPending
            ? t("queues.attaching", { percent: Math.round(part * 100) })
            : t("queues.attach")}
        </Button>
      ) : (
        <span className={classes["chip"]}>
          <IconPaperclip size={15} stroke={1.7} aria-hidden="true" />
          <a
            className={classes["name"]}
            href={mediaPath ?? undefined}
            target="_blank"
            rel="noopener noreferrer"
          >
            {mediaName}
          </a>
          <IconButton
            size="small"
            label={t("queues.detach", { name: mediaName })}
            icon={IconX}
            disabled={detach.isPending}
            onClick={() => {
              attach.reset();
              detach.mutate();
            }}
          />
        </span>
      )}
      {failure === null ? null : (
        <p className="bc-failure" role="alert">
          {errorText(t, failure)}
        </p>
      )}
    </div>
  );
}

type RemovalProps = { option: QueueOption; onClose: () => void };

/** Asks before an option and all options below it are deleted. */
export function OptionRemoval({ option, onClose }: RemovalProps): ReactNode {
  const { t } = useTranslation();
  const { id, queueId, title } = option;
  const options = useOptions(queueId) ?? [];
  const below = countBelow(options, id);
  const removal = useMutation({
    mutationFn: () => deleteOption(queueId, id),
    onSuccess: () => {
      dropTyped(id);
      notifySuccess(t("queues.optionDeleted"));
      onClose();
      focusTree();
    },
  });
  return (
    <QuestionDialog
      opened
      isDestructive
      title={t("queues.deleteOptionTitle", { title })}
      text={
        below === 0
          ? t("queues.deleteOptionAlone")
          : t("queues.deleteOptionBelow", { count: below })
      }
      confirm={t("common.deleteConfirm")}
      isBusy={removal.isPending}
      error={removal.error}
      onConfirm={() => removal.mutate()}
      onClose={onClose}
    />
  );
}

/** The focused element was deleted with the option; the button below the tree is always there. */
function focusTree(): void {
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>("[data-add-option]")?.focus({ preventScroll: true }),
  );
}
