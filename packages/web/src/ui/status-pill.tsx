import type { ConnectionStatus } from "@balcao/contract";
import type { ReactNode } from "react";
import { useTranslation } from "../i18n/index.ts";
import classes from "./status-pill.module.css";
import type { Tone } from "./tone.ts";

/** A dot and a word on a soft ground. */
function StatusPill({ tone, label }: { tone: Tone; label: string }): ReactNode {
  return (
    <span className={classes["pill"]} data-tone={tone}>
      {label}
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
  return <StatusPill tone={connectionTones[status]} label={t(`common.connection.${status}`)} />;
}
