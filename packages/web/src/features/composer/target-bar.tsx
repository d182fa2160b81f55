import { IconArrowBackUp, IconPencil, IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import type { ComposerTarget } from "../messages/index.ts";
import { openAt, Quote } from "../messages/index.ts";
import classes from "./target-bar.module.css";

type Props = {
  target: ComposerTarget;
  customerName: string;
  onCancel: () => void;
};

/** What is being answered or edited, above the text. */
export function TargetBar({ target, customerName, onCancel }: Props): ReactNode {
  const { t } = useTranslation();
  const { kind, message } = target;
  const isEdit = kind === "edit";
  const TargetIcon = isEdit ? IconPencil : IconArrowBackUp;
  return (
    <div className={classes["bar"]} role="group" aria-label={label()}>
      <TargetIcon size={19} stroke={1.7} aria-hidden="true" />
      <div className={classes["target"]}>
        {isEdit ? <span className={classes["word"]}>{t("composer.edit")}</span> : null}
        <Quote
          quoted={message}
          customerName={customerName}
          onShow={(messageId) => openAt(message.ticketId, messageId)}
        />
      </div>
      <IconButton
        size="small"
        icon={IconX}
        label={isEdit ? t("composer.editCancel") : t("composer.replyCancel")}
        shortcut="Esc"
        onClick={onCancel}
      />
    </div>
  );

  function label(): string {
    if (isEdit) return t("composer.edit");
    return message.fromMe ? t("composer.replySelf") : t("composer.reply", { name: customerName });
  }
}
