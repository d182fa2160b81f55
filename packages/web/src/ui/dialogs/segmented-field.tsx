import type { ReactNode } from "react";
import { useId } from "react";
import type { Control, FieldPath, FieldPathValue, FieldValues } from "react-hook-form";
import { Controller } from "react-hook-form";
import { Segmented } from "../segmented.tsx";
import classes from "./segmented-field.module.css";

type Props<Values extends FieldValues, Name extends FieldPath<Values>> = {
  control: Control<Values>;
  name: Name;
  label: string;
  /** Two or three (ui-2.md). */
  choices: readonly { value: FieldPathValue<Values, Name> & string; label: string }[];
  description?: string | undefined;
};

/** One of up to three choices in a form. */
export function SegmentedField<Values extends FieldValues, Name extends FieldPath<Values>>(
  props: Props<Values, Name>,
): ReactNode {
  const { control, name, label, choices, description } = props;
  const id = useId();
  return (
    <div className={classes["field"]}>
      <span id={`${id}label`} className={classes["label"]}>
        {label}
      </span>
      <Controller
        control={control}
        name={name}
        render={({ field: { value, onChange } }) => (
          <Segmented
            value={value}
            choices={choices}
            onChange={onChange}
            aria-labelledby={`${id}label`}
            {...(description === undefined ? {} : { "aria-describedby": `${id}help` })}
          />
        )}
      />
      {description === undefined ? null : (
        <span id={`${id}help`} className="bc-meta">
          {description}
        </span>
      )}
    </div>
  );
}
