import type { ReactNode } from "react";
import { useId } from "react";
import classes from "./config.module.css";

type Props = {
  title: string;
  text: string;
  /** At the right of the title: what switches the whole card. */
  control?: ReactNode;
  children: ReactNode;
};

/** A subject of the settings of campaigns. */
export function Card({ title, text, control, children }: Props): ReactNode {
  const id = useId();
  return (
    <section className={classes["card"]} aria-labelledby={id}>
      <div className={classes["head"]}>
        <div>
          <h2 id={id} className={classes["title"]}>
            {title}
          </h2>
          <p className="bc-small">{text}</p>
        </div>
        {control}
      </div>
      {children}
    </section>
  );
}
