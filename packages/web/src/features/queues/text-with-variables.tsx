import { limits } from "@balcao/contract/limits";
import { Textarea } from "@mantine/core";
import type { ReactNode, Ref } from "react";
import { useRef } from "react";
import { useMergedRef } from "@mantine/hooks";
import { VariableMenu } from "../../ui/variable-menu.tsx";
import classes from "./text-with-variables.module.css";

type Props = {
  label: string;
  description?: string | undefined;
  value: string;
  rows: number;
  error?: string | undefined;
  inputRef?: Ref<HTMLTextAreaElement>;
  onChange: (text: string) => void;
  onBlur?: () => void;
};

/** A text of the chatbot; a variable goes where the caret stands. */
export function TextWithVariables(props: Props): ReactNode {
  const { label, description, value, rows, error, inputRef, onChange, onBlur } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const ref = useMergedRef(field, inputRef);

  function insert(variable: string): void {
    const start = field.current?.selectionStart ?? value.length;
    const end = field.current?.selectionEnd ?? value.length;
    onChange(value.slice(0, start) + variable + value.slice(end));
    const caret = start + variable.length;
    // The new text is in the field after this rendering.
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(caret, caret);
    });
  }

  return (
    <div>
      <Textarea
        ref={ref}
        label={label}
        description={error === undefined ? description : undefined}
        inputWrapperOrder={["label", "input", "description", "error"]}
        error={error}
        rows={rows}
        value={value}
        maxLength={limits.messageBodyMax}
        onChange={(event) => onChange(event.currentTarget.value)}
        onBlur={onBlur}
      />
      <div className={classes["variables"]}>
        <VariableMenu onChoose={insert} />
      </div>
    </div>
  );
}
