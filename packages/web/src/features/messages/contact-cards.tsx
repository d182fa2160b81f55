import type { MessageDetails } from "@balcao/contract";
import { IconCheck, IconCopy, IconMessagePlus } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { AppAvatar, notifyError } from "../../ui/index.ts";
import classes from "./card.module.css";
import { useConversation } from "./conversation-context.ts";
import { copyText } from "../../ui/copy-text.ts";

type Shared = Extract<MessageDetails, { kind: "contacts" }>["contacts"][number];

/** Shared contacts. Showing one does nothing: only a press starts a conversation. */
export function ContactCards({ contacts }: { contacts: readonly Shared[] }): ReactNode {
  return (
    <div className={classes["contacts"]}>
      {contacts.map((contact, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a card's contacts never change their order
        <ContactCard key={index} contact={contact} />
      ))}
    </div>
  );
}

function ContactCard({ contact }: { contact: Shared }): ReactNode {
  const { t } = useTranslation();
  const { onTalkTo } = useConversation();
  const { name, phones } = contact;
  return (
    <div className={classes["contact"]}>
      <AppAvatar name={name} id={phones[0] ?? name} size={36} />
      <div className={classes["words"]}>
        <span className={classes["title"]}>{name}</span>
        {phones.map((phone) => (
          <div key={phone} className={classes["phone"]}>
            <span className={classes["line"]}>{phone}</span>
            <span className={classes["actions"]}>
              {onTalkTo === null ? null : (
                <button
                  type="button"
                  className={classes["action"]}
                  aria-label={t("messages.talkToNamed", { name, phone })}
                  onClick={() => onTalkTo({ name, phone })}
                >
                  <IconMessagePlus size={15} stroke={1.7} aria-hidden="true" />
                  {t("messages.talkTo")}
                </button>
              )}
              <CopyButton text={phone} />
            </span>
          </div>
        ))}
      </div>
    </div>
  );
}

function CopyButton({ text }: { text: string }): ReactNode {
  const { t } = useTranslation();
  const [isCopied, setIsCopied] = useState(false);
  const CopyIcon = isCopied ? IconCheck : IconCopy;
  return (
    <button
      type="button"
      className={classes["action"]}
      aria-label={t("messages.copyNamed", { text })}
      onClick={() => {
        copyText(text)
          .then(() => setIsCopied(true))
          .catch(notifyError);
      }}
    >
      <CopyIcon size={15} stroke={1.7} aria-hidden="true" />
      {t(isCopied ? "messages.copied" : "messages.copy")}
    </button>
  );
}
