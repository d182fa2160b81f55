import type { ReactNode } from "react";
import { useId } from "react";
import classes from "./segmented.module.css";

type Props<Value extends string> = {
  value: Value;
  /** Two or three. */
  choices: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
  /** Ids of the elements that name and explain the choice. */
  "aria-labelledby": string;
  "aria-describedby"?: string;
};

/** One of up to three choices, side by side; the arrow keys change it. Longer lists are a select. */
export function Segmented<Value extends string>(props: Props<Value>): ReactNode {
  const { value, choices, onChange, ...names } = props;
  const id = useId();
  return (
    <div role="radiogroup" className={classes["group"]} {...names}>
      {choices.map((choice) => (
        <label key={choice.value} className={classes["choice"]}>
          <input
            type="radio"
            name={id}
            className="bc-hidden-text"
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          {choice.label}
        </label>
      ))}
    </div>
  );
}
