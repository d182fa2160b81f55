import type { Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useLaterTexts, useTranslation } from "../i18n/index.ts";
import { Button } from "./button.tsx";
import { errorText, isWithoutWords } from "./error-text.ts";
import classes from "./states.module.css";

type EmptyProps = {
  icon: Icon;
  title: string;
  text?: ReactNode;
  /** At most one button. */
  action?: ReactNode;
  /** `h1` where the page has no other heading. */
  heading?: "h1" | "h2" | "p";
};

/** An empty list or page: one icon, a short line, a plain line, at most one button. */
export function EmptyState({
  icon: StateIcon,
  title,
  text,
  action,
  heading,
}: EmptyProps): ReactNode {
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
