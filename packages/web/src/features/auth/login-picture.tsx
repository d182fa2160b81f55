import { IconChecks } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./login-picture.module.css";

/** Line widths in px of a conversation without words. */
const talk = [
  { from: "in", lines: [210, 148] },
  { from: "out", lines: [246] },
  { from: "out", lines: [196, 232, 120] },
  { from: "in", lines: [172] },
  { from: "out", lines: [220, 96] },
] as const;

/** A decorative picture of the product. */
export function LoginPicture(): ReactNode {
  return (
    <div className={classes["picture"]} aria-hidden="true">
      <div className={classes["talk"]}>
        {talk.map(({ from, lines }) => (
          <div key={lines.join()} className={`${classes["bubble"]} ${classes[from]}`}>
            {lines.map((width) => (
              <span key={width} className={classes["line"]} style={{ width }} />
            ))}
            <span className={classes["foot"]}>
              <span className={classes["line"]} />
              {from === "out" ? <IconChecks size={15} stroke={1.9} /> : null}
            </span>
          </div>
        ))}
      </div>
    </div>
  );
}
