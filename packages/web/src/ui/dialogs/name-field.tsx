import { limits } from "@balcao/contract/limits";
import type { TextInputProps } from "@mantine/core";
import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";

type Props = Omit<TextInputProps, "error"> & {
  /** A second line says what to do. */
  error?: string | undefined;
};

/** The name of a record: the first field of its form. Registered with `nameRule`. */
export function NameField({ error, ...props }: Props): ReactNode {
  const [problem, help] = error?.split("\n") ?? [];
  const lines = help && (
    <>
      {problem}
      <br />
      <span>{help}</span>
    </>
  );
  return (
    <TextInput
      maxLength={limits.nameMax}
      autoComplete="off"
      data-autofocus
      {...props}
      error={lines ?? problem}
    />
  );
}

/** A name is required and has at least `min` characters; the texts say so. */
export function nameRule(required: string, short = required, min = 1) {
  return {
    validate(value: string): string | true {
      if (value.trim() === "") return required;
      return value.trim().length >= min || short;
    },
  };
}
