import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import classes from "./option-list.module.css";

type Props<T> = {
  id: string;
  label: string;
  options: readonly T[];
  /** Unique in the list. */
  keyOf: (option: T) => string | number;
  activeIndex: number;
  renderOption: (option: T) => ReactNode;
  titleOf?: (option: T) => string;
  onPick: (option: T) => void;
  onPoint: (index: number) => void;
};

/** Options to choose from. The focus stays in the field that belongs to them (`aria-activedescendant`, `optionId`). */
export function OptionList<T>(props: Props<T>): ReactNode {
  const { id, label, options, keyOf, activeIndex, renderOption, titleOf, onPick, onPoint } = props;
  const active = options[activeIndex];
  const activeId = active === undefined ? "" : optionId(id, keyOf(active));
  useEffect(() => {
    document.getElementById(activeId)?.scrollIntoView({ block: "nearest" });
  }, [activeId]);
  return (
    <div id={id} role="listbox" aria-label={label} className={classes["list"]}>
      {options.map((option, index) => (
        <div
          key={keyOf(option)}
          id={optionId(id, keyOf(option))}
          role="option"
          tabIndex={-1}
          aria-selected={index === activeIndex}
          className={classes["option"]}
          title={titleOf?.(option)}
          // The field keeps the focus, so that its caret stays where it is.
          onMouseDown={(event) => event.preventDefault()}
          onMouseMove={() => onPoint(index)}
          onClick={() => onPick(option)}
        >
          {renderOption(option)}
        </div>
      ))}
    </div>
  );
}

export function optionId(listId: string, key: string | number): string {
  return `${listId}-${key}`;
}

/** The marked one of `count` options, moved by keys; starts at the first option of each `list`. */
export function useActiveOption(list: unknown, count: number) {
  const [mark, setMark] = useState({ list, index: 0 });
  const index = mark.list === list ? Math.min(mark.index, Math.max(0, count - 1)) : 0;
  const point = (next: number): void => setMark({ list, index: next });
  return {
    index,
    point,
    /** True if the key moves the mark. It wraps at both ends. */
    takeKey(key: string): boolean {
      if (key !== "ArrowDown" && key !== "ArrowUp") return false;
      if (count > 0) point((index + (key === "ArrowDown" ? 1 : count - 1)) % count);
      return true;
    },
  };
}
