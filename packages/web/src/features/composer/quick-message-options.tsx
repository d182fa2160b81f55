import type { QuickMessage } from "@balcao/contract";
import { IconPaperclip } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useEffect } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./quick-message-options.module.css";
import { quickMessageLabel } from "./quick-message-rules.ts";

type Props = {
  id: string;
  options: readonly QuickMessage[];
  activeIndex: number;
  onPick: (option: QuickMessage) => void;
  onPoint: (index: number) => void;
};

export function optionId(listId: string, option: QuickMessage): string {
  return `${listId}-${option.id}`;
}

/** Quick messages to choose from. The focus stays in the field that belongs to it (`aria-activedescendant`). */
export function QuickMessageOptions(props: Props): ReactNode {
  const { id, options, activeIndex, onPick, onPoint } = props;
  const { t } = useTranslation();
  const active = options[activeIndex];
  const activeId = active ? optionId(id, active) : "";
  useEffect(() => {
    document.getElementById(activeId)?.scrollIntoView({ block: "nearest" });
  }, [activeId]);
  return (
    <div id={id} role="listbox" aria-label={t("composer.quick")} className={classes["list"]}>
      {options.map((option, index) => (
        <div
          key={option.id}
          id={optionId(id, option)}
          role="option"
          tabIndex={-1}
          aria-selected={index === activeIndex}
          className={classes["option"]}
          title={option.message}
          // The field keeps the focus, so that its caret stays where it is.
          onMouseDown={(event) => event.preventDefault()}
          onMouseMove={() => onPoint(index)}
          onClick={() => onPick(option)}
        >
          <span className={classes["label"]}>{quickMessageLabel(option)}</span>
          {option.mediaPath === null ? null : (
            <IconPaperclip size={15} stroke={1.7} role="img" aria-label={t("composer.quickFile")} />
          )}
        </div>
      ))}
    </div>
  );
}
