import type { EditedChatbot } from "@balcao/contract";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { ActionQuestion, QuestionDialog } from "../../ui/dialogs/question-dialog.tsx";
import { notifyError, notifySuccess } from "../../ui/index.ts";
import type { ChangedField, ChatbotChange } from "./chatbot-api.ts";
import {
  changesOf,
  discardChatbotDraft,
  publishChatbot,
  readChatbotAgain,
  useChatbot,
} from "./chatbot-api.ts";
import classes from "./chatbot-publishing.module.css";
import { saveAllTyped } from "./option-drafts.ts";
import { useMutation } from "@tanstack/react-query";

type DraftBarProps = {
  queueId: number;
  changes: readonly ChatbotChange[];
  onPublish: () => void;
  onDiscard: () => void;
};

/** Says whether customers get what is edited; its height stays the same. */
export function DraftBar({ queueId, changes, onPublish, onDiscard }: DraftBarProps): ReactNode {
  const { t } = useTranslation();
  const [isWaiting, setWaiting] = useState(false);
  const count = changes.length;

  async function publish(): Promise<void> {
    setWaiting(true);
    try {
      if (!(await saveAllTyped(queueId))) {
        notifyError(t("queues.draft.unsaved"));
        return;
      }
      await readChatbotAgain(queueId);
      onPublish();
    } finally {
      setWaiting(false);
    }
  }

  return (
    <div className={classes["bar"]} data-draft={count > 0 || undefined}>
      <p className={classes["state"]} role="status">
        {count === 0 ? t("queues.draft.none") : t("queues.draft.count", { count })}
      </p>
      {count === 0 ? null : (
        <span className={classes["buttons"]}>
          <Button variant="default" size="xs" onClick={onDiscard}>
            {t("queues.draft.discard")}
          </Button>
          <Button size="xs" loading={isWaiting} onClick={() => void publish()}>
            {t("queues.draft.publish")}
          </Button>
        </span>
      )}
    </div>
  );
}

type DialogProps = { queueId: number; name: string; onClose: () => void };

/** Shows what customers will get that is different, and publishes it. */
export function PublishDialog({ queueId, name, onClose }: DialogProps): ReactNode {
  const { t } = useTranslation();
  const { data } = useChatbot(queueId);
  const publication = useMutation({
    mutationFn: (draftAt: string) => publishChatbot(queueId, draftAt),
    onSuccess: () => {
      notifySuccess(t("queues.draft.published"));
      onClose();
    },
    // A colleague may have changed the draft: then the list is read again.
    onError: () => void readChatbotAgain(queueId),
  });
  const draftAt = data?.draftAt ?? null;
  return (
    <QuestionDialog
      opened
      title={t("queues.draft.publishTitle", { name })}
      text={t("queues.draft.publishText")}
      confirm={t("queues.draft.publish")}
      isBusy={publication.isPending}
      error={publication.error}
      onConfirm={() => {
        if (draftAt !== null) publication.mutate(draftAt);
      }}
      onClose={onClose}
    >
      {data ? <Changes chatbot={data} /> : null}
    </QuestionDialog>
  );
}

/** Asks before the draft is discarded. */
export function DiscardQuestion({ queueId, name, onClose }: DialogProps): ReactNode {
  const { t } = useTranslation();
  return (
    <ActionQuestion
      title={t("queues.draft.discardTitle", { name })}
      text={t("queues.draft.discardText")}
      confirm={t("queues.draft.discard")}
      isDestructive
      run={() => discardChatbotDraft(queueId)}
      onDone={() => notifySuccess(t("queues.draft.discarded"))}
      onClose={onClose}
    />
  );
}

function Changes({ chatbot }: { chatbot: EditedChatbot }): ReactNode {
  const { t } = useTranslation();
  return (
    <ul className={classes["changes"]} tabIndex={0} aria-label={t("queues.draft.changes")}>
      {changesOf(chatbot).map(({ key, kind, path, fields }) => (
        <li key={key} className={classes["change"]}>
          <p className={classes["what"]}>
            <span className={classes["kind"]} data-kind={kind}>
              {t(`queues.draft.${kind}`)}
            </span>{" "}
            {path.join(" › ")}
          </p>
          {fields.map((field) => (
            <FieldChange key={field.field} {...field} isNamed={kind !== "greeting"} />
          ))}
        </li>
      ))}
    </ul>
  );
}

type FieldChangeProps = ChangedField & { isNamed: boolean };

function FieldChange({ field, before, after, isNamed }: FieldChangeProps): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={classes["field"]}>
      {isNamed ? (
        <span className={classes["name"]}>{t(`queues.draft.fields.${field}`)}</span>
      ) : null}
      {before === "" ? null : <del className={classes["before"]}>{before}</del>}
      {after === "" ? null : <ins className={classes["after"]}>{after}</ins>}
    </div>
  );
}
