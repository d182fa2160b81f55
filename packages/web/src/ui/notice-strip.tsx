import type { Icon } from "@tabler/icons-react";
import { IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { IconButton } from "./icon-button.tsx";
import classes from "./notice-strip.module.css";
import type { Tone } from "./marks.tsx";

type Props = {
  tone: Tone;
  icon: Icon;
  /** The short bold part. */
  title?: string | undefined;
  children?: ReactNode;
  action?: { label: string; onClick: () => void } | undefined;
  /** A button at the end that removes the strip. */
  close?: { label: string; onClick: () => void } | undefined;
};

/** A one-line notice across a pane, with at most one action. */
export function NoticeStrip(props: Props): ReactNode {
  const { tone, icon: StripIcon, title, children, action, close } = props;
  return (
    <div className={classes["strip"]} data-tone={tone}>
      <StripIcon className={classes["icon"]} size={19} stroke={1.7} aria-hidden="true" />
      <span className={classes["text"]} role="status">
        {title === undefined ? null : <strong className={classes["title"]}>{title}</strong>}{" "}
        {children}
      </span>
      {action === undefined ? null : (
        <button type="button" className={classes["action"]} onClick={action.onClick}>
          {action.label}
        </button>
      )}
      {close === undefined ? null : (
        <span className={classes["close"]}>
          <IconButton size="small" icon={IconX} {...close} />
        </span>
      )}
    </div>
  );
}
