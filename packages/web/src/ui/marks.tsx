import type { ConnectionStatus } from "@balcao/contract";
import type { CSSProperties, ReactNode } from "react";
import { useTranslation } from "../i18n/index.ts";
import classes from "./marks.module.css";

/** Meanings with a colour. A word or an icon always repeats the meaning. */
export type Tone = "ok" | "warn" | "bad" | "info";

type PillProps = { tone: Tone | undefined; children: ReactNode };

/** A dot and a word on a tinted background; without a tone it is neutral. */
export function Pill({ tone, children }: PillProps): ReactNode {
  return (
    <span className={classes["pill"]} data-tone={tone}>
      {children}
    </span>
  );
}

const connectionTones: Readonly<Record<ConnectionStatus, Tone>> = {
  CONNECTED: "ok",
  qrcode: "info",
  PAIRING: "info",
  OPENING: "warn",
  TIMEOUT: "warn",
  DISCONNECTED: "bad",
};

/** The status of a connection in words. */
export function ConnectionPill({ status }: { status: ConnectionStatus }): ReactNode {
  const { t } = useTranslation();
  return <Pill tone={connectionTones[status]}>{t(`common.connection.${status}`)}</Pill>;
}

/** A tag: its name on a tint of its colour, which comes from data. */
export function TagMark({ name, color }: { name: string; color: string }): ReactNode {
  const style: CSSProperties & Record<`--${string}`, string> = { "--tag": color };
  return (
    <span className={classes["tag"]} style={style}>
      {name}
    </span>
  );
}

/** The colour of a queue, which comes from data; the queue's name always stands beside it. */
export function QueueDot({ color }: { color: string }): ReactNode {
  return <span className={classes["dot"]} style={{ background: color }} aria-hidden="true" />;
}
