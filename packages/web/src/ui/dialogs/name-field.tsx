import { limits } from "@balcao/contract/limits";
import type { TextInputProps } from "@mantine/core";
import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";

/** The name of a record: the first field of its form. Registered with `nameRule`. */
export function NameField(props: TextInputProps): ReactNode {
  return <TextInput maxLength={limits.nameMax} autoComplete="off" data-autofocus {...props} />;
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
