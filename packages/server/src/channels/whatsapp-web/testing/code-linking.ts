import { randomBytes } from "node:crypto";
import type { KeyPair } from "baileys";
import {
  aesDecryptCTR,
  aesDecryptGCM,
  aesEncryptCTR,
  Curve,
  derivePairingCodeKey,
  hkdf,
} from "baileys";
import type { AccountState } from "./account.ts";
import type { Line } from "./line.ts";
import type { BinaryNode } from "./nodes.ts";
import { bytesOf, child, node, now, SERVER } from "./nodes.ts";

/** A link by a code that people type on the phone, between the client's hello and its finish. */
export type CodeAttempt = {
  /** Digits of the phone on which the code is to be typed. */
  phone: string;
  ref: Buffer;
  /** The client's key of the moment, wrapped with the code that only people carry over. */
  wrapped: Buffer;
  /** Set when a code was typed. */
  primaryKey: KeyPair | null;
  companionKey: Buffer | null;
};

const SALT_BYTES = 32;
const IV_BYTES = 16;
const GCM_IV_BYTES = 12;

export function readHello(stanza: BinaryNode): CodeAttempt {
  const hello = child(stanza, "link_code_companion_reg");
  return {
    phone: (hello?.attrs["jid"] ?? "").split("@")[0] ?? "",
    ref: randomBytes(16),
    wrapped: bytesOf(hello, "link_code_pairing_wrapped_companion_ephemeral_pub"),
    ...{ primaryKey: null, companionKey: null },
  };
}

/** The code was typed on the phone: the client learns the phone's key, wrapped with it. */
export async function answerWithCode(
  line: Line,
  attempt: CodeAttempt,
  account: AccountState,
  code: string,
): Promise<void> {
  const { wrapped } = attempt;
  const theirSalt = wrapped.subarray(0, SALT_BYTES);
  const theirIv = wrapped.subarray(SALT_BYTES, SALT_BYTES + IV_BYTES);
  const theirKey = await derivePairingCodeKey(code, theirSalt);
  attempt.companionKey = aesDecryptCTR(wrapped.subarray(SALT_BYTES + IV_BYTES), theirKey, theirIv);
  attempt.primaryKey = Curve.generateKeyPair();
  const salt = randomBytes(SALT_BYTES);
  const iv = randomBytes(IV_BYTES);
  const key = await derivePairingCodeKey(code, salt);
  const primary = aesEncryptCTR(attempt.primaryKey.public, key, iv);
  const notification = { from: SERVER, type: "link_code_companion_reg", id: now(), t: now() };
  line.send(
    node("notification", notification, [
      node("link_code_companion_reg", { stage: "primary_hello" }, [
        node(
          "link_code_pairing_wrapped_primary_ephemeral_pub",
          {},
          Buffer.concat([salt, iv, primary]),
        ),
        node("primary_identity_pub", {}, account.user.device.identity.public),
        node("link_code_pairing_ref", {}, attempt.ref),
      ]),
    ]),
  );
}

/** The secret that both ends share after the client's finish; throws when the typed code was another one. */
export function readFinish(
  stanza: BinaryNode,
  attempt: CodeAttempt,
  account: AccountState,
): Uint8Array {
  const { primaryKey, companionKey } = attempt;
  if (!primaryKey || !companionKey) throw new Error("nobody has typed a code");
  const finish = child(stanza, "link_code_companion_reg");
  const bundle = bytesOf(finish, "link_code_pairing_wrapped_key_bundle");
  const companionIdentity = bytesOf(finish, "companion_identity_public");
  const shared = Curve.sharedKey(primaryKey.private, companionKey);
  const salt = bundle.subarray(0, SALT_BYTES);
  const iv = bundle.subarray(SALT_BYTES, SALT_BYTES + GCM_IV_BYTES);
  const key = hkdf(shared, 32, { salt, info: "link_code_pairing_key_bundle_encryption_key" });
  const opened = aesDecryptGCM(
    bundle.subarray(SALT_BYTES + GCM_IV_BYTES),
    Buffer.from(key),
    iv,
    Buffer.alloc(0),
  );
  const [theirIdentity, ourIdentity, random] = [
    opened.subarray(0, 32),
    opened.subarray(32, 64),
    opened.subarray(64),
  ];
  const ours = Buffer.from(account.user.device.identity.public);
  if (!theirIdentity.equals(companionIdentity) || !ourIdentity.equals(ours)) {
    throw new Error("the client's bundle names other identities");
  }
  const identityShared = Curve.sharedKey(account.user.device.identity.private, companionIdentity);
  return hkdf(Buffer.concat([shared, identityShared, random]), 32, { info: "adv_secret" });
}
