import type { AccountState } from "./account.ts";
import { lidOf, receiverOf } from "./account.ts";
import { takeMessage } from "./company-messages.ts";
import { idsOf } from "./delivery.ts";
import { giveHistory } from "./history.ts";
import type { Line } from "./line.ts";
import type { LinkedDevice } from "./linked-device.ts";
import type { MediaHost } from "./media-host.ts";
import type { BinaryNode } from "./nodes.ts";
import { childrenOf, node, now } from "./nodes.ts";
import { renewal } from "./media-renewal.ts";
import { answerQuery } from "./queries.ts";

/** A linked device on the line. */
export type DeviceSession = {
  onStanza(stanza: BinaryNode): Promise<void>;
  onClose(): void;
};

/** Lets a device in that says who it is, or sends it away. */
export function login(
  line: Line,
  account: AccountState | undefined,
  media: MediaHost,
): DeviceSession | null {
  const device = account?.devices.get(line.payload.device ?? 0);
  const refusal = refusalOf(line, account, device);
  if (refusal || !account || !device) {
    line.send(node("failure", { reason: refusal ?? "401", location: "local" }));
    line.close();
    return null;
  }
  // The service serves the last one who comes.
  device.line?.send(node("stream:error", {}, [node("conflict", { type: "replaced" })]));
  device.line?.close();
  device.delivery.close();
  device.line = line;
  device.logins += 1;
  line.send(
    node("success", { t: now(), lid: lidOf(account.user, device), props: "1", status: "active" }),
  );
  return createSession(line, account, device, media);
}

function refusalOf(
  line: Line,
  account: AccountState | undefined,
  device: LinkedDevice | undefined,
): string | null {
  if (account?.isBanned) return "403";
  if (!device || !device.noiseKey.equals(line.noiseKey)) return "401";
  return null;
}

function createSession(
  line: Line,
  account: AccountState,
  device: LinkedDevice,
  media: MediaHost,
): DeviceSession {
  const activate = (): void => {
    if (device.line === line) device.delivery.open(line);
  };
  const unlink = (): void => {
    account.devices.delete(device.id);
  };

  async function onReceipt(stanza: BinaryNode): Promise<void> {
    const { id, to, type, recipient, participant } = stanza.attrs;
    line.send(node("ack", { class: "receipt", id, type, from: to }));
    const receiver = receiverOf(account, participant ?? to);
    if (type === "server-error") return device.delivery.give(renewal(account, media, stanza));
    // One that asks again keeps the message on its way until what comes instead was read.
    if (type === "retry") return receiver?.resend(id ?? "", device, stanza);
    device.delivery.settle(stanza);
    if (recipient) return;
    for (const each of idsOf(stanza)) receiver?.receipt(each, type ?? "delivered");
  }

  async function onAck(stanza: BinaryNode): Promise<void> {
    // The refusal of a message whose content was asked for again: that one is still to come.
    if (stanza.attrs["class"] === "message" && stanza.attrs["error"] === "500") return;
    device.delivery.settle(stanza);
  }

  return {
    onStanza: async (stanza) => {
      if (account.isSilent) return;
      switch (stanza.tag) {
        case "iq":
          await answerQuery({ account, device, media, activate, unlink }, stanza);
          // The phone has what was said before ready for the first login.
          if (!device.hasHistory && childrenOf(stanza)[0]?.tag === "active") {
            device.hasHistory = true;
            await giveHistory(account, device);
          }
          return;
        case "message":
          return takeMessage(account, device, stanza);
        case "receipt":
          return onReceipt(stanza);
        case "ack":
          return onAck(stanza);
        case "call":
          line.send(
            node("ack", { class: "call", id: stanza.attrs["id"], from: stanza.attrs["to"] }),
          );
          return receiverOf(account, stanza.attrs["to"])?.signal(stanza);
        case "chatstate":
        case "presence":
          return receiverOf(account, stanza.attrs["to"])?.signal(stanza);
        default:
          return;
      }
    },
    onClose: () => {
      if (device.line !== line) return;
      device.line = null;
      device.delivery.close();
    },
  };
}
