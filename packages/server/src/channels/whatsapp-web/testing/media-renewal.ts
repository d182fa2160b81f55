import { randomBytes } from "node:crypto";
import { aesEncryptGCM, hkdf, proto } from "baileys";
import type { AccountState } from "./account.ts";
import { receiverOf } from "./account.ts";
import type { MediaHost } from "./media-host.ts";
import type { BinaryNode } from "./nodes.ts";
import { child, node, SERVER } from "./nodes.ts";

/** A device asks for a file that the service has forgotten; the phone that sent it uploads it again, if it can. */
export function renewal(account: AccountState, media: MediaHost, receipt: BinaryNode): BinaryNode {
  const asked = child(receipt, "rmr");
  const id = receipt.attrs["id"] ?? "";
  const sender = receiverOf(account, asked?.attrs["participant"] ?? asked?.attrs["jid"]);
  const file = sender?.fileOf(id);
  const directPath = file && media.renew(file);
  const { ResultType } = proto.MediaRetryNotification;
  const answer = proto.MediaRetryNotification.encode({
    stanzaId: id,
    directPath: directPath ?? null,
    result: directPath ? ResultType.SUCCESS : ResultType.NOT_FOUND,
  }).finish();
  const notification = { from: SERVER, type: "mediaretry", id };
  const rmr = node("rmr", { ...asked?.attrs });
  if (!file?.mediaKey) {
    return node("notification", notification, [rmr, node("error", { code: "2" })]);
  }
  const key = hkdf(file.mediaKey, 32, { info: "WhatsApp Media Retry Notification" });
  const iv = randomBytes(12);
  const encrypted = aesEncryptGCM(answer, Buffer.from(key), iv, Buffer.from(id));
  return node("notification", notification, [
    rmr,
    node("encrypt", {}, [node("enc_p", {}, encrypted), node("enc_iv", {}, iv)]),
  ]);
}
