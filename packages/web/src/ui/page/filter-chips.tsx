import type { ReactNode } from "react";
import { formatNumber } from "../../i18n/format.ts";
import classes from "./filter-chips.module.css";

type Props<Value extends string> = {
  label: string;
  /** In their order; null is all. The number of rows is null while it is unknown. */
  chips: readonly { value: Value | null; label: string; count: number | null }[];
  chosen: Value | null;
  onChoose: (value: Value | null) => void;
};

/** The filters of a list of which one is chosen, each with the number of its rows. */
export function FilterChips<Value extends string>(props: Props<Value>): ReactNode {
  const { label, chips, chosen, onChoose } = props;
  return (
    <div role="group" aria-label={label} className={classes["chips"]}>
      {chips.map(({ value, label: words, count }) => (
        <button
          key={value ?? "all"}
          type="button"
          className={classes["chip"]}
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
        >
          {words}{" "}
          {count === null ? null : <span className={classes["count"]}>{formatNumber(count)}</span>}
        </button>
      ))}
    </div>
  );
}
