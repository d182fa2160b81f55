import type { CSSProperties, ReactNode } from "react";
import classes from "./tag-mark.module.css";

/** A tag: its name on a tint of its colour, which comes from data. */
export function TagMark({ name, color }: { name: string; color: string }): ReactNode {
  const style: CSSProperties & Record<`--${string}`, string> = { "--tag": color };
  return (
    <span className={classes["tag"]} style={style}>
      {name}
    </span>
  );
}
