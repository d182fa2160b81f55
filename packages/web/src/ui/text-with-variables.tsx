import type { NameVariable } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import type { TextareaProps } from "@mantine/core";
import { Textarea } from "@mantine/core";
import { useMergedRef } from "@mantine/hooks";
import type { ReactNode, Ref } from "react";
import { useRef } from "react";
import type { Control, FieldPathByValue, FieldValues, Validate } from "react-hook-form";
import { useController } from "react-hook-form";
import classes from "./text-with-variables.module.css";
import { VariableMenu } from "./variable-menu.tsx";

type Props = Pick<TextareaProps, "label" | "description" | "error" | "rows" | "readOnly"> & {
  value: string;
  /** Variables of this text alone. */
  names?: readonly NameVariable[];
  inputRef?: Ref<HTMLTextAreaElement>;
  onChange: (text: string) => void;
  onBlur?: () => void;
  "data-autofocus"?: boolean;
};

/** A text field for messages to customers; variables are inserted at the caret. */
export function TextWithVariables(props: Props): ReactNode {
  const { value, names, description, error, inputRef, onChange, ...area } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const ref = useMergedRef(field, inputRef);

  function insert(variable: string): void {
    const start = field.current?.selectionStart ?? value.length;
    const end = field.current?.selectionEnd ?? value.length;
    onChange(value.slice(0, start) + variable + value.slice(end));
    const caret = start + variable.length;
    // The field has the new text after this rendering.
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(caret, caret);
    });
  }

  return (
    <div>
      <Textarea
        {...area}
        ref={ref}
        value={value}
        description={error ? undefined : description}
        error={error}
        maxLength={limits.messageBodyMax}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {props.readOnly ? null : (
        <div className={classes["variables"]}>
          <VariableMenu onChoose={insert} names={names} />
        </div>
      )}
    </div>
  );
}

type FieldProps<Values extends FieldValues> = Omit<
  Props,
  "value" | "error" | "inputRef" | "onChange" | "onBlur"
> & {
  control: Control<Values>;
  name: FieldPathByValue<Values, string>;
  validate?: Validate<string, Values>;
};

/** A message for customers as a field of a form. */
export function MessageField<Values extends FieldValues>(props: FieldProps<Values>): ReactNode {
  const { control, name, validate, ...area } = props;
  const { field, fieldState } = useController({
    control,
    name,
    rules: validate ? { validate } : {},
  });
  return (
    <TextWithVariables
      {...area}
      inputRef={field.ref}
      value={field.value}
      error={fieldState.error?.message}
      onChange={field.onChange}
      onBlur={field.onBlur}
    />
  );
}
