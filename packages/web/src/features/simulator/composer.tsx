import { limits } from "@balcao/contract/limits";
import { IconSend2 } from "@tabler/icons-react";
import type { FormEvent, KeyboardEvent, ReactNode } from "react";
import { Suspense, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import type { Aim } from "./aim.tsx";
import { AimBar } from "./aim.tsx";
import type { ChatAddress } from "./api.ts";
import classes from "./composer.module.css";
import type { CustomerSends } from "./sends.ts";
import { useTypingSignal } from "./typing-signal.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";

const AttachMenu = lazyPart(async () => (await import("./attach-menu.tsx")).AttachMenu);

type Props = {
  chat: ChatAddress;
  aim: Aim | null;
  sends: CustomerSends;
  startsWriting: boolean;
  onAimless: () => void;
  onSend: (body: string) => void;
};

/** Where the customer writes. Enter sends, Shift Enter makes a new line, Escape leaves an answer or an edit. */
export function Composer(props: Props): ReactNode {
  const { chat, aim, sends, startsWriting, onAimless, onSend } = props;
  const { t } = useTranslation();
  const [text, setText] = useState(aim?.kind === "edit" ? aim.message.body : "");
  const { typed, stopped } = useTypingSignal(chat);

  function send(event: FormEvent): void {
    event.preventDefault();
    const body = text.trim();
    if (body === "") return;
    stopped();
    setText("");
    onSend(body);
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key === "Escape" && aim !== null) onAimless();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    send(event);
  }

  return (
    <>
      {aim === null ? null : <AimBar aim={aim} onClose={onAimless} />}
      <form className={classes["composer"]} onSubmit={send}>
        <Suspense fallback={null}>
          <AttachMenu sends={sends} />
        </Suspense>
        <textarea
          className={classes["field"]}
          autoFocus={startsWriting}
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
    </>
  );
}
