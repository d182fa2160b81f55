import type { Connection } from "@balcao/contract";
import { Button, Loader } from "@mantine/core";
import { QRCodeSVG } from "qrcode.react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useTranslation } from "../../i18n/index.ts";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { errorText } from "../../ui/index.ts";
import { reasonKey } from "./connection-rules.ts";
import classes from "./link-dialog.module.css";
import { PairingCode, PairingPhone } from "./pairing.tsx";
import { useLink } from "./use-link.ts";

type Props = {
  connection: Connection;
  /** A new code has to be asked for first. */
  mustStart: boolean;
  onDone: () => void;
};

const QR_PX = 240;

/** Links a phone: with a code to scan, which renews itself, or one to type. Closes when the code has had its effect. */
export function LinkDialog({ connection, mustStart, onDone }: Props): ReactNode {
  const { t } = useTranslation();
  const { name, channel } = connection;
  const link = useLink({ connection, mustStart, onDone });
  const isTyping = link.by === "typing";
  return (
    <DialogFrame
      opened={link.isOpen}
      onClose={onDone}
      title={t("connections.link.title", { name })}
    >
      <div className={classes["link"]}>
        {isTyping ? (
          <TypedCode link={link} />
        ) : (
          <>
            <ScannedCode link={link} connection={connection} />
            <Steps isSimulated={channel === "simulator"} />
          </>
        )}
        {channel === "whatsapp-web" ? (
          <Button
            variant="subtle"
            size="xs"
            onClick={() => link.chooseBy(isTyping ? "scanning" : "typing")}
          >
            {t(isTyping ? "connections.link.byQr" : "connections.link.byPhone")}
          </Button>
        ) : null}
      </div>
    </DialogFrame>
  );
}

type Link = ReturnType<typeof useLink>;

function ScannedCode({ link, connection }: { link: Link; connection: Connection }): ReactNode {
  const { t } = useTranslation();
  const { name, closeReason } = connection;
  if (link.error !== null || link.hasEnded) {
    return (
      <div className={classes["ended"]}>
        <p className={classes["failure"]} role="alert">
          {link.error === null
            ? t("connections.link.ended", { reason: t(reasonKey(closeReason)) })
            : errorText(t, link.error)}
        </p>
        <Button onClick={() => link.startNew()}>{t("connections.link.newCode")}</Button>
      </div>
    );
  }
  return (
    <>
      <div className={classes["qr"]}>
        {link.code === "" ? (
          <Loader aria-hidden="true" />
        ) : (
          <QRCodeSVG
            value={link.code}
            size={QR_PX}
            marginSize={2}
            fgColor="currentColor"
            bgColor="transparent"
            title={t("connections.link.qrTitle", { name })}
            role="img"
          />
        )}
      </div>
      <p className={classes["hint"]} role="status">
        {t(`connections.link.${hintOf(link, connection)}`)}
      </p>
    </>
  );
}

/** A service that cannot be reached is tried again for ever: people shall know what they wait for. */
function hintOf(link: Link, { status, retries }: Connection): "expiry" | "noAnswer" | "waiting" {
  if (link.code !== "") return "expiry";
  return !link.isStarting && (status === "TIMEOUT" || retries > 0) ? "noAnswer" : "waiting";
}

function Steps({ isSimulated }: { isSimulated: boolean }): ReactNode {
  const { t } = useTranslation();
  if (isSimulated) {
    return (
      <p className={classes["hint"]}>
        {t("connections.link.simulatorStep")}{" "}
        <Link to="/simulator">{t("connections.link.openSimulator")}</Link>
      </p>
    );
  }
  return (
    <ol className={classes["steps"]} aria-label={t("connections.link.steps")}>
      <li>{t("connections.link.step1")}</li>
      <li>{t("connections.link.step2")}</li>
      <li>{t("connections.link.step3")}</li>
    </ol>
  );
}

function TypedCode({ link }: { link: Link }): ReactNode {
  const { t } = useTranslation();
  if (link.code !== "") return <PairingCode code={link.code} />;
  return (
    <PairingPhone
      isBusy={link.isStarting || (link.isAsked && !link.hasEnded && link.error === null)}
      error={link.error === null ? null : errorText(t, link.error)}
      onAsk={link.startNew}
    />
  );
}
