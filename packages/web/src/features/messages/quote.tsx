import type { Message } from "@balcao/contract";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./quote.module.css";
import { splitSignature } from "./signature.ts";
import { plainText } from "./whatsapp-text.ts";

type Props = {
  quoted: NonNullable<Message["quotedMsg"]>;
  customerName: string;
  /** Leads to the message; null while that is further up than what is loaded. */
  onShow: ((messageId: string) => void) | null;
};

/** The message that another one answers: two lines of it, and the way to it. */
export function Quote({ quoted, customerName, onShow }: Props): ReactNode {
  const { t } = useTranslation();
  const { author, text } = quoted.fromMe
    ? splitSignature(quoted.body)
    : { author: customerName, text: quoted.body };
  const content = (
    <>
      <span className={classes["author"]}>{author ?? t("messages.quotedOurs")}</span>
      <span className={classes["text"]}>
        {quoted.isDeleted ? t("messages.deleted") : plainText(text)}
      </span>
    </>
  );
  if (onShow === null) return <div className={classes["quote"]}>{content}</div>;
  return (
    <button
      type="button"
      className={classes["quote"]}
      title={t("messages.showQuoted")}
      onClick={() => onShow(quoted.id)}
    >
      {content}
    </button>
  );
}
