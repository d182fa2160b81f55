import type { Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./empty-state.module.css";

type Props = {
  icon: Icon;
  title: string;
  text?: string;
  /** At most one button. */
  action?: ReactNode;
  /** A page whose only heading this is says `h1`. */
  heading?: "h1" | "h2" | "p";
};

/** What stands where nothing is: one icon, a short line, a plain line, at most one button. */
export function EmptyState({ icon: StateIcon, title, text, action, heading }: Props): ReactNode {
  const Heading = heading ?? "p";
  return (
    <div className={classes["state"]}>
      <span className={classes["icon"]} aria-hidden="true">
        <StateIcon size={26} stroke={1.7} />
      </span>
      <Heading className={classes["title"]}>{title}</Heading>
      {text === undefined ? null : <p className={classes["text"]}>{text}</p>}
      {action === undefined ? null : <div className={classes["action"]}>{action}</div>}
    </div>
  );
}
