import { limits } from "@balcao/contract/limits";
import { IconSend2 } from "@tabler/icons-react";
import type { FormEvent, KeyboardEvent, ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import type { ChatAddress } from "./api.ts";
import classes from "./composer.module.css";
import { useTypingSignal } from "./typing-signal.ts";

/** Where the customer writes. Enter sends, Shift Enter makes a new line. */
export function Composer(props: { chat: ChatAddress; onSend: (body: string) => void }): ReactNode {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const { typed, stopped } = useTypingSignal(props.chat);

  function send(event: FormEvent): void {
    event.preventDefault();
    const body = text.trim();
    if (body === "") return;
    stopped();
    setText("");
    props.onSend(body);
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    send(event);
  }

  return (
    <form className={classes["composer"]} onSubmit={send}>
      <textarea
        className={classes["field"]}
        rows={1}
        value={text}
        maxLength={limits.messageBodyMax}
        aria-label={t("simulator.messageLabel")}
        placeholder={t("simulator.messagePlaceholder")}
        autoComplete="off"
        enterKeyHint="send"
        onKeyDown={onKeyDown}
        onBlur={stopped}
        onChange={(event) => {
          setText(event.target.value);
          if (event.target.value.trim() !== "") typed();
        }}
      />
      <IconButton
        type="submit"
        variant="filled"
        label={t("simulator.send")}
        icon={IconSend2}
        disabled={text.trim() === ""}
      />
    </form>
  );
}
