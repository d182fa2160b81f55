import type { Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense } from "react";
import { useLaterTexts, useTranslation } from "../i18n/index.ts";
import { Button } from "./button.tsx";
import type { DrawingName } from "./drawing.tsx";
import { errorText, isWithoutWords } from "./error-text.ts";
import { lazyPart } from "./lazy-part.tsx";
import classes from "./states.module.css";

// Nobody waits for it: it comes after what the page needs.
const Drawing = lazyPart(async () => (await import("./drawing.tsx")).Drawing, "inline", "first");

export type EmptyProps = {
  icon: Icon;
  /** A drawing with the icon on it, where a page or a list is empty; small places have the icon alone. */
  drawing?: DrawingName;
  title: string;
  text?: ReactNode;
  /** At most one button. */
  action?: ReactNode;
  /** `h1` where the page has no other heading. */
  heading?: "h1" | "h2" | "p";
};

/** An empty list or page: a drawing or an icon, a short line, a plain line, at most one button. */
export function EmptyState({
  icon: StateIcon,
  drawing,
  title,
  text,
  action,
  heading,
}: EmptyProps): ReactNode {
  const Heading = heading ?? "p";
  return (
    <div className={classes["state"]}>
      {drawing === undefined ? (
        <span className={classes["icon"]} aria-hidden="true">
          <StateIcon size={26} stroke={1.7} />
        </span>
      ) : (
        <span className={classes["drawing"]} aria-hidden="true">
          <Suspense fallback={null}>
            <Drawing name={drawing} />
          </Suspense>
          <span className={classes["badge"]}>
            <StateIcon size={20} stroke={1.7} />
          </span>
        </span>
      )}
      <Heading className={classes["title"]}>{title}</Heading>
      {text === undefined ? null : <p className={classes["text"]}>{text}</p>}
      {action === undefined ? null : <div className={classes["action"]}>{action}</div>}
    </div>
  );
}

/** Width of both lines in percent, so that the rows do not look like a table. */
const widths: readonly (readonly [number, number])[] = [
  [42, 76],
  [32, 60],
  [50, 86],
  [38, 68],
  [46, 80],
  [34, 56],
];

/** Placeholder rows, shown after 150 ms of waiting. */
export function ListSkeleton({ rows = 4 }: { rows?: 3 | 4 | 5 | 6 }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={classes["list"]} role="status" aria-label={t("common.loading")}>
      {widths.slice(0, rows).map(([first, second]) => (
        <div key={first} className={classes["row"]}>
          <span className={classes["circle"]} />
          <span className={classes["lines"]}>
            <span className={classes["line"]} style={{ width: `${first}%` }} />
            <span className={classes["line"]} style={{ width: `${second}%` }} />
          </span>
        </div>
      ))}
    </div>
  );
}

type FailedProps = { icon: Icon; error: Error | null; onRetry: () => void };

/** Shown if data could not be loaded: the reason and a button to try again (ui.md, Empty). */
export function LoadFailed({ icon, error, onRetry }: FailedProps): ReactNode {
  const { t } = useTranslation();
  return (
    <EmptyState
      icon={icon}
      title={t("common.loadFailedTitle")}
      text={<ErrorWords error={error} />}
      action={
        <Button variant="default" onClick={onRetry}>
          {t("common.retry")}
        </Button>
      }
    />
  );
}

/** An error as text. The texts of rare errors load when one is shown on a first screen. */
export function ErrorWords({ error }: { error: unknown }): ReactNode {
  const { t } = useTranslation();
  useLaterTexts(isWithoutWords(error));
  return errorText(t, error);
}
