import type { ReactNode } from "react";
import classes from "./row-name.module.css";

type Props = {
  name: string;
  /** A mark of colour or state. */
  before?: ReactNode;
  after?: ReactNode;
};

/** The name of a row in a table, cut where there is no room, with marks that never are. */
export function RowName({ name, before, after }: Props): ReactNode {
  return (
    <span className={classes["name"]}>
      {before}
      <span className={classes["text"]}>{name}</span>
      {after}
    </span>
  );
}
