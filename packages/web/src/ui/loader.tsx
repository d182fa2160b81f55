import type { CSSProperties, ReactNode } from "react";
import classes from "./loader.module.css";

type Props = { sizePx?: number; "aria-label"?: string; "aria-hidden"?: "true" };

/** A spinner. */
export function Loader({ sizePx, ...names }: Props): ReactNode {
  const style: CSSProperties & { "--size"?: string } =
    sizePx === undefined ? {} : { "--size": `${sizePx}px` };
  return <span className={classes["loader"]} style={style} {...names} />;
}
