import type { ReactNode } from "react";
import { useId } from "react";
import classes from "./settings-page.module.css";

type Props = { title: string; text?: ReactNode; children: ReactNode };

/** A subject of the settings: its name and one sentence at the left, its options in a card at the right. */
export function Section({ title, text, children }: Props): ReactNode {
  const id = useId();
  return (
    <section className={classes["section"]} aria-labelledby={id}>
      <div>
        <h2 id={id} className={classes["group"]}>
          {title}
        </h2>
        {text === undefined ? null : <p className={classes["about"]}>{text}</p>}
      </div>
      <div className={classes["card"]}>{children}</div>
    </section>
  );
}
