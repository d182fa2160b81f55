import type { Connection } from "@balcao/contract";
import { QRCodeSVG } from "qrcode.react";
import type { FormEvent, ReactNode } from "react";
import { Link } from "../../router/index.tsx";
import { useTranslation } from "../../i18n/index.ts";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { errorText, notifyError, notifyInfo, notifySuccess } from "../../ui/index.ts";
import { reasonKey } from "./connection-state.tsx";
import classes from "./link-dialog.module.css";
import { Button } from "../../ui/button.tsx";
import { Loader } from "../../ui/loader.tsx";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { startNewLink } from "./api.ts";
import { TextInput } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import { copyText } from "../../ui/copy-text.ts";

type Props = {
  connection: Connection;
  /** Requests a new code first. */
  mustStart: boolean;
  onDone: () => void;
};

const QR_PX = 240;

/** Links a phone with a code to scan, which renews itself, or one to type. Closes when the code was used or expired. */
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

/** An unreachable service is retried without end, so the hint says so. */
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

/** How the phone takes the code: with its camera, or typed. */
type LinkBy = "scanning" | "typing";

type Options = {
  connection: Connection;
  /** Requests a new code first. */
  mustStart: boolean;
  /** Called when the attempt is over. */
  onDone: () => void;
};

/**
 * Follows one connection from its code to the end of the attempt. The dialog closes when the code is gone (spec 4):
 * scanned or expired. Other connections are ignored.
 */
function useLink({ connection, mustStart, onDone }: Options) {
  const { t } = useTranslation();
  const { id, name, status, closeReason } = connection;
  const [by, setBy] = useState<LinkBy>(connection.pairingCode === "" ? "scanning" : "typing");
  const [isOpen, setOpen] = useState(true);
  const [wasShown, setShown] = useState(false);
  // The code of the previous attempt, cached until the new attempt's first event.
  const [outdated, setOutdated] = useState("");
  const [hasMoved, setMoved] = useState(false);
  const isStarted = useRef(false);

  const current = by === "scanning" ? connection.qrcode : connection.pairingCode;
  const code = current === outdated ? "" : current;
  // One after the other: a request for a code to scan that arrives late would replace the code to type.
  const start = useMutation({
    scope: { id: `link ${id}` },
    mutationFn: (phone?: string) => startNewLink(id, phone),
  });
  const { isPending } = start;
  // Until its first event, the new attempt has the final state of the previous one.
  if (!isPending && !hasMoved && status !== "DISCONNECTED") setMoved(true);
  if (!isPending && !wasShown && code !== "") setShown(true);
  // The dialog stays closed after the code is gone; the result is awaited in the background.
  const isGone = !isPending && wasShown && code === "";
  if (isGone && isOpen) setOpen(false);

  function startNew(phone?: string): void {
    setShown(false);
    setMoved(false);
    setOutdated(current);
    start.mutate(phone);
  }

  function chooseBy(next: LinkBy): void {
    setShown(false);
    setOutdated("");
    start.reset();
    setBy(next);
    // A code to scan may still arrive; after a code to type, a new one must be requested.
    if (next === "scanning" && connection.qrcode === "") start.mutate(undefined);
  }

  const newest = useRef({ startNew, onDone });
  useEffect(() => {
    newest.current = { startNew, onDone };
  });
  useEffect(() => {
    if (!mustStart || isStarted.current) return;
    isStarted.current = true;
    newest.current.startNew();
  }, [mustStart]);

  const isConnected = !isPending && code === "" && status === "CONNECTED";
  useEffect(() => {
    if (isConnected) {
      notifySuccess(t("connections.link.connected", { name }));
      newest.current.onDone();
    } else if (isGone && (status === "DISCONNECTED" || status === "TIMEOUT")) {
      notifyError(t("connections.link.failed", { name, reason: t(reasonKey(closeReason)) }));
      newest.current.onDone();
    } else if (isGone) {
      notifyInfo(t("connections.link.scanned", { name }));
    }
  }, [isConnected, isGone, status, closeReason, name, t]);

  return {
    by,
    chooseBy,
    code,
    startNew,
    isOpen,
    isStarting: isPending,
    error: start.error,
    /** The attempt ended without a code. */
    hasEnded: hasMoved && !isPending && code === "" && status === "DISCONNECTED",
    /** A code to type was requested. */
    isAsked: start.variables !== undefined || connection.pairingCode !== "",
  };
}

const PHONE_DIGITS = /^\d{8,15}$/;

type PhoneProps = {
  isBusy: boolean;
  error: string | null;
  /** Called with the digits. */
  onAsk: (phone: string) => void;
};

/** The form for the phone's number: a code is valid for one number. */
function PairingPhone({ isBusy, error, onAsk }: PhoneProps): ReactNode {
  const { t } = useTranslation();
  const [phone, setPhone] = useState("");
  const [isWrong, setWrong] = useState(false);
  const fieldRef = useRef<HTMLInputElement>(null);

  function submit(event: FormEvent): void {
    event.preventDefault();
    const digits = phone.replaceAll(/\D/g, "");
    const isPhone = PHONE_DIGITS.test(digits);
    setWrong(!isPhone);
    if (isPhone) onAsk(digits);
    else fieldRef.current?.focus();
  }

  return (
    <form noValidate className={classes["phone"]} onSubmit={submit}>
      <TextInput
        ref={fieldRef}
        type="tel"
        inputMode="tel"
        autoComplete="off"
        label={t("connections.link.phone")}
        description={t("connections.link.phoneHelp")}
        value={phone}
        onChange={(event) => {
          setPhone(event.currentTarget.value);
          setWrong(false);
        }}
        error={isWrong ? t("connections.link.phoneWrong") : undefined}
        data-autofocus
      />
      {error === null ? null : (
        <p className={classes["failure"]} role="alert">
          {error}
        </p>
      )}
      <Button type="submit" loading={isBusy}>
        {t("connections.link.getCode")}
      </Button>
    </form>
  );
}

/** The code in large letters, in two halves as on the phone. */
function PairingCode({ code }: { code: string }): ReactNode {
  const { t } = useTranslation();
  const letters = code.replaceAll("-", "");
  const middle = Math.ceil(letters.length / 2);

  async function copy(): Promise<void> {
    try {
      await copyText(letters);
      notifySuccess(t("connections.link.copied"));
    } catch {
      notifyError(t("connections.cloud.copyFailed"));
    }
  }

  return (
    <div className={classes["code"]}>
      <p className={classes["hint"]}>{t("connections.link.codeLabel")}</p>
      <output className={classes["letters"]} aria-label={t("connections.link.codeLabel")}>
        {letters.slice(0, middle)}-{letters.slice(middle)}
      </output>
      <Button
        variant="default"
        leftSection={<IconCopy size={15} stroke={1.7} aria-hidden="true" />}
        onClick={() => void copy()}
      >
        {t("connections.link.copy")}
      </Button>
      <ol className={classes["steps"]} aria-label={t("connections.link.steps")}>
        <li>{t("connections.link.step1")}</li>
        <li>{t("connections.link.pairingStep2")}</li>
        <li>{t("connections.link.pairingStep3")}</li>
      </ol>
    </div>
  );
}
