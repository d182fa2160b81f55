import "@mantine/core/styles/InlineInput.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import { Switch } from "@mantine/core";
import type { ReactNode } from "react";
import type { Control, FieldPathByValue, FieldValues } from "react-hook-form";
import { Controller } from "react-hook-form";

type Props<Values extends FieldValues> = {
  control: Control<Values>;
  /** A field that is 0 or 1 keeps being a number. */
  name: FieldPathByValue<Values, boolean | number>;
  label: string;
  description?: string;
};

/** A switch of a form. */
export function SwitchField<Values extends FieldValues>(props: Props<Values>): ReactNode {
  const { control, name, label, description } = props;
  return (
    <Controller
      control={control}
      name={name}
      render={({ field: { value, onChange, ref } }) => (
        <Switch
          ref={ref}
          checked={Boolean(value)}
          onChange={({ currentTarget: { checked } }) =>
            onChange(typeof value === "number" ? Number(checked) : checked)
          }
          label={label}
          description={description}
        />
      )}
    />
  );
}
