import type { Connection } from "@balcao/contract";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { notifyError, notifyInfo, notifySuccess } from "../../ui/index.ts";
import { startNewLink } from "./api.ts";
import { reasonKey } from "./connection-rules.ts";

/** How the phone takes the code: with its camera, or typed. */
export type LinkBy = "scanning" | "typing";

type Options = {
  connection: Connection;
  /** A new code has to be asked for first. */
  mustStart: boolean;
  /** Nothing is left to show or to wait for. */
  onDone: () => void;
};

/**
 * Follows one connection from its code to the end of the attempt. The code that goes away closes the dialog (spec 4):
 * scanned, or expired. Only this connection's own state counts, whatever others do.
 */
export function useLink({ connection, mustStart, onDone }: Options) {
  const { t } = useTranslation();
  const { id, name, status, closeReason } = connection;
  const [by, setBy] = useState<LinkBy>(connection.pairingCode === "" ? "scanning" : "typing");
  const [isOpen, setOpen] = useState(true);
  const [wasShown, setShown] = useState(false);
  // The code of the attempt before, which stays known until the new attempt is heard of.
  const [outdated, setOutdated] = useState("");
  const [hasMoved, setMoved] = useState(false);
  const isStarted = useRef(false);

  const current = by === "scanning" ? connection.qrcode : connection.pairingCode;
  const code = current === outdated ? "" : current;
  const start = useMutation({ mutationFn: (phone?: string) => startNewLink(id, phone) });
  const { isPending } = start;
  // Until it is heard of, the new attempt still has the end of the one before.
  if (!isPending && !hasMoved && status !== "DISCONNECTED") setMoved(true);
  if (!isPending && !wasShown && code !== "") setShown(true);
  // Once gone, the code does not bring the dialog back: what becomes of it is awaited out of sight.
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
    // The code to scan may be on its way still; after one to type, a new one has to be asked for.
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
    /** The attempt ended before there was a code. */
    hasEnded: hasMoved && !isPending && code === "" && status === "DISCONNECTED",
    /** A code to type has been asked for. */
    isAsked: start.variables !== undefined || connection.pairingCode !== "",
  };
}
