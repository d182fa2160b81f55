import type { Message } from "@balcao/contract";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useConversation } from "./conversation-context.ts";
import classes from "./reaction-chips.module.css";
import type { ReactionChip } from "./reactions.ts";
import { chipsOf } from "./reactions.ts";
import { tip } from "../../ui/tooltip.tsx";

/** The reactions under a message; a press on one takes the own one back, or joins in. */
export function ReactionChips({ message }: { message: Message }): ReactNode {
  const { t } = useTranslation();
  const { canWrite, onReact } = useConversation();
  if (message.reactions.length === 0 || message.isDeleted) return null;
  return (
    <div className={classes["chips"]} role="group" aria-label={t("messages.reactions")}>
      {chipsOf(message.reactions).map((chip) => (
        <button
          key={chip.emoji}
          {...tip(chip.names.join(", "))}
          type="button"
          className={classes["chip"]}
          data-own={chip.isOwn || undefined}
          aria-label={chipLabel(chip)}
          aria-pressed={chip.isOwn}
          disabled={!canWrite}
          onClick={() => onReact(message, chip.isOwn ? "" : chip.emoji)}
        >
          <span aria-hidden="true">{chip.emoji}</span>
          {chip.count > 1 ? <span className={classes["count"]}>{chip.count}</span> : null}
        </button>
      ))}
    </div>
  );

  function chipLabel({ emoji, count, names, isOwn }: ReactionChip): string {
    const shown = count > 1 ? `${emoji} ${count}` : emoji;
    const who = t("messages.reactionBy", { emoji: shown, names: names.join(", ") });
    return isOwn && canWrite ? `${who}, ${t("messages.removeReaction")}` : who;
  }
}
