import type { QueueOption } from "@balcao/contract";
import { Button } from "@mantine/core";
import { IconPaperclip, IconX } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { errorText, IconButton } from "../../ui/index.ts";
import { attachToOption, detachFromOption } from "./chatbot-api.ts";
import classes from "./option-fields.module.css";

/** The file that follows an option's text: added, seen and taken away at once. */
export function OptionFile({ option }: { option: QueueOption }): ReactNode {
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
        <p className={classes["failure"]} role="alert">
          {errorText(t, failure)}
        </p>
      )}
    </div>
  );
}
