import type { ReactNode } from "react";
import classes from "./field-group.module.css";

type Props = { legend: string; help?: string; children: ReactNode };

/** Fields of one subject below their heading. */
export function FieldGroup({ legend, help, children }: Props): ReactNode {
  return (
    <fieldset className={classes["group"]}>
      <legend className={classes["legend"]}>{legend}</legend>
      {help === undefined ? null : <p className="bc-small">{help}</p>}
      {children}
    </fieldset>
  );
}
