import type { QuickMessage } from "@balcao/contract";
import type { KeyboardEvent, ReactNode } from "react";
import { useId, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { errorText } from "../../ui/index.ts";
import { useActiveOption } from "./active-option.ts";
import { optionId, QuickMessageOptions } from "./quick-message-options.tsx";
import classes from "./quick-message-picker.module.css";
import { useQuickMessages } from "./use-quick-messages.ts";

type Props = { onPick: (option: QuickMessage) => void };

/** All quick messages with a search, as the button of the composer opens them. */
export function QuickMessagePicker({ onPick }: Props): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const [term, setTerm] = useState("");
  const { matches, isPending, error } = useQuickMessages(term);
  const active = useActiveOption(term, matches.length);
  const option = matches[active.index];

  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    const isTaken = active.takeKey(event.key);
    if (!isTaken && event.key !== "Enter") return;
    event.preventDefault();
    if (event.key === "Enter" && option) onPick(option);
  }

  return (
    <div className={classes["picker"]}>
      <input
        className={classes["search"]}
        role="combobox"
        autoFocus
        value={term}
        placeholder={t("composer.quickSearch")}
        aria-label={t("composer.quickSearch")}
        aria-expanded={matches.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={option ? optionId(id, option) : undefined}
        onChange={(event) => setTerm(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {matches.length === 0 ? (
        <p className={classes["empty"]} role="status">
          {emptyText()}
        </p>
      ) : (
        <QuickMessageOptions
          id={id}
          options={matches}
          activeIndex={active.index}
          onPick={onPick}
          onPoint={active.point}
        />
      )}
    </div>
  );

  function emptyText(): string {
    if (isPending) return t("common.loading");
    if (error !== null) return errorText(t, error);
    return term.trim() === ""
      ? t("composer.quickEmpty")
      : t("composer.quickNone", { term: term.trim() });
  }
}
