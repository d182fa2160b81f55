import type { QuickMessage } from "@balcao/contract";
import type { ReactNode, Ref } from "react";
import { useEffect, useImperativeHandle } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useActiveOption } from "./active-option.ts";
import { optionId, QuickMessageOptions } from "./quick-message-options.tsx";
import classes from "./suggestions.module.css";
import { useQuickMessages } from "./use-quick-messages.ts";

export type SuggestionsHandle = {
  /** Whether the key belongs to the suggestions and is done with. */
  takeKey: (key: string) => boolean;
};

type Props = {
  ref: Ref<SuggestionsHandle>;
  id: string;
  term: string;
  onPick: (option: QuickMessage) => void;
  onClose: () => void;
  /** The id of the marked option, for the field's `aria-activedescendant`; null while nothing is offered. */
  onActive: (id: string | null) => void;
};

/** What is offered above the composer while a `/term` is typed. */
export function Suggestions({ ref, id, term, onPick, onClose, onActive }: Props): ReactNode {
  const { t } = useTranslation();
  const { matches } = useQuickMessages(term);
  const active = useActiveOption(term, matches.length);
  const option = matches[active.index];
  const activeId = option ? optionId(id, option) : null;

  useEffect(() => onActive(activeId), [activeId, onActive]);
  useEffect(() => () => onActive(null), [onActive]);
  useImperativeHandle(ref, () => ({
    takeKey(key) {
      if (!option) return false;
      if (key === "Escape") {
        onClose();
        return true;
      }
      if (key === "Enter" || key === "Tab") {
        onPick(option);
        return true;
      }
      return active.takeKey(key);
    },
  }));

  return (
    <>
      <span className={classes["count"]} role="status">
        {matches.length === 0 ? "" : t("composer.quickCount", { count: matches.length })}
      </span>
      {matches.length === 0 ? null : (
        <div className={classes["box"]}>
          <QuickMessageOptions
            id={id}
            options={matches}
            activeIndex={active.index}
            onPick={onPick}
            onPoint={active.point}
          />
        </div>
      )}
    </>
  );
}
