import { limits } from "@balcao/contract/limits";
import { IconLock, IconSend2 } from "@tabler/icons-react";
import type { FormEvent, KeyboardEvent, ReactNode } from "react";
import { memo, useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import classes from "./composer.module.css";
import { keepDraft, readDraft } from "./drafts.ts";
import { sendText } from "./sending.ts";
import { keepSigning, readSigning } from "./sign-choice.ts";
import { sign } from "./signature.ts";
import { useAutosize } from "./use-autosize.ts";

type Props = {
  ticketId: number;
  customerName: string;
  user: { id: number; name: string };
  /** Why nothing can be sent now; null when it can. */
  disabledReason: string | null;
  /** Puts the caret here when the ticket opens. */
  mustFocus: boolean;
};

/**
 * Where the agent writes. Mount it anew for each ticket: it starts with the ticket's draft. Nothing that arrives live
 * renders it, so the caret stays where it is.
 */
export const Composer = memo(function Composer(props: Props): ReactNode {
  const { ticketId, customerName, user, disabledReason, mustFocus } = props;
  const { t } = useTranslation();
  const reasonId = useId();
  const fieldRef = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(() => readDraft(localStorage, user.id, ticketId));
  const [isSigned, setIsSigned] = useState(() => readSigning(localStorage, user.id));
  const isDisabled = disabledReason !== null;
  const canSend = !isDisabled && text.trim() !== "";

  useAutosize(fieldRef, limits.composerRowsMax);
  useEffect(() => {
    if (mustFocus) fieldRef.current?.focus({ preventScroll: true });
  }, [mustFocus]);

  function change(next: string): void {
    setText(next);
    keepDraft(localStorage, user.id, ticketId, next);
  }

  function send(): void {
    if (!canSend) return;
    const body = text.trim();
    sendText(ticketId, isSigned ? sign(user.name, body) : body);
    change("");
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key !== "Enter" || event.shiftKey || event.altKey) return;
    // While an input method composes, Enter takes its suggestion; some browsers only say so by the key code.
    if (event.nativeEvent.isComposing || event.keyCode === IME_KEY_CODE) return;
    event.preventDefault();
    send();
  }

  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    send();
    fieldRef.current?.focus({ preventScroll: true });
  }

  return (
    <form
      className={classes["composer"]}
      data-disabled={isDisabled || undefined}
      onSubmit={onSubmit}
    >
      <textarea
        ref={fieldRef}
        id="composer"
        className={classes["field"]}
        rows={1}
        value={text}
        maxLength={limits.messageBodyMax - sign(user.name, "").length}
        disabled={isDisabled}
        placeholder={t("messages.placeholder")}
        aria-label={t("messages.composer", { name: customerName })}
        aria-describedby={isDisabled ? reasonId : undefined}
        onChange={(event) => change(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div className={classes["tools"]}>
        {isDisabled ? (
          <p id={reasonId} className={classes["reason"]}>
            <IconLock size={15} stroke={1.7} aria-hidden="true" />
            {disabledReason}
          </p>
        ) : null}
        <label className={classes["sign"]} title={t("messages.signHelp")}>
          {t("messages.sign")}
          <input
            type="checkbox"
            role="switch"
            className={classes["switch"]}
            checked={isSigned}
            disabled={isDisabled}
            onChange={(event) => {
              setIsSigned(event.currentTarget.checked);
              keepSigning(localStorage, user.id, event.currentTarget.checked);
            }}
          />
        </label>
        <IconButton
          type="submit"
          variant="filled"
          className={classes["send"]}
          icon={IconSend2}
          label={t("messages.send")}
          shortcut="Enter"
          disabled={!canSend}
        />
      </div>
    </form>
  );
});

const IME_KEY_CODE = 229;
