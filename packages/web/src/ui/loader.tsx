import type { CSSProperties, ReactNode } from "react";
import classes from "./loader.module.css";

type Props = { sizePx?: number; "aria-label"?: string; "aria-hidden"?: "true" };

/** A spinner. */
export function Loader({ sizePx, ...names }: Props): ReactNode {
  const style: CSSProperties & { "--size"?: string } =
    sizePx === undefined ? {} : { "--size": `${sizePx}px` };
  // Only with a role may it have a name.
  const role = names["aria-label"] && "img";
  return <span className={classes["loader"]} style={style} role={role} {...names} />;
}
