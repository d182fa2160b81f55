import type { SimulatorMessage } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { IconPaperclip, IconSend2, IconX } from "@tabler/icons-react";
import type { FormEvent, KeyboardEvent, ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { OnDemand } from "../../ui/on-demand.tsx";
import type { ChatAddress } from "./api.ts";
import classes from "./conversation.module.css";
import type { CustomerSends } from "./customer-acts.ts";
import { useTypingSignal } from "./customer-acts.ts";

const AttachMenu = lazyPart(async () => (await import("./attach-menu.tsx")).AttachMenu);

type Props = {
  chat: ChatAddress;
  aim: Aim | null;
  sends: CustomerSends;
  startsWriting: boolean;
  onAimless: () => void;
  onSend: (body: string) => void;
};

/** The text field of the customer. Enter sends, Shift Enter makes a new line, Escape leaves an answer or an edit. */
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
        <OnDemand
          part={AttachMenu}
          standIn={
            <IconButton
              label={t("simulator.attach")}
              icon={IconPaperclip}
              aria-haspopup="menu"
              aria-expanded={false}
            />
          }
        >
          <AttachMenu sends={sends} />
        </OnDemand>
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

/** The target of the customer's next text: a message that it answers or edits. */
export type Aim = { kind: "reply" | "edit"; message: SimulatorMessage };

/** Says it above the field, and takes it back. */
function AimBar({ aim, onClose }: { aim: Aim; onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={classes["aim"]}>
      <p className="bc-detail bc-fill bc-ellipsis">
        {t(aim.kind === "reply" ? "simulator.replyingTo" : "simulator.editing", {
          text: aim.message.body,
        })}
      </p>
      <IconButton size="small" label={t("common.cancel")} icon={IconX} onClick={onClose} />
    </div>
  );
}
