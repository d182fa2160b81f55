import type { Message } from "@balcao/contract";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { previewText } from "./message-content.ts";
import classes from "./quote.module.css";
import { splitSignature } from "./signature.ts";

type Props = {
  quoted: NonNullable<Message["quotedMsg"]>;
  customerName: string;
  /** Leads to the message; null where there is no way to it. */
  onShow: ((messageId: string) => void) | null;
};

/** The message that another one answers: two lines of it, and the way to it. */
export function Quote({ quoted, customerName, onShow }: Props): ReactNode {
  const { t } = useTranslation();
  const author = quoted.fromMe
    ? (splitSignature(quoted.body).author ?? t("messages.quotedOurs"))
    : (quoted.contact?.name ?? customerName);
  const thumbnailUrl = quoted.isDeleted ? null : (quoted.media?.thumbnailUrl ?? null);
  const content = (
    <>
      <span className={classes["words"]}>
        <span className={classes["author"]}>{author}</span>
        <span className={classes["text"]}>{previewText(t, quoted)}</span>
      </span>
      {thumbnailUrl === null ? null : (
        <img className={classes["thumbnail"]} src={thumbnailUrl} alt="" draggable={false} />
      )}
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
