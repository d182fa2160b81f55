import { encodeBigEndian, KEY_BUNDLE_TYPE } from "baileys";
import type { Delivery } from "./delivery.ts";
import { createDelivery } from "./delivery.ts";
import type { Line } from "./line.ts";
import type { BinaryNode } from "./nodes.ts";
import { bytesOf, child, childrenOf, node, now, numberOf, SERVER } from "./nodes.ts";
import type { KeyBundle } from "./signal-device.ts";

/** A client that is linked with an account, as the service knows it. */
export type LinkedDevice = {
  /** Its number among the account's devices. */
  id: number;
  noiseKey: Buffer;
  identity: Uint8Array;
  registrationId: number;
  signedPreKey: KeyBundle["signedPreKey"];
  preKeys: { id: number; key: Uint8Array }[];
  delivery: Delivery;
  line: Line | null;
  /** Whether its phone has given it the history. */
  hasHistory: boolean;
  logins: number;
};

type PairingData = {
  noiseKey: Buffer;
  identity: Uint8Array;
  registrationId: number;
  signedPreKey: KeyBundle["signedPreKey"];
};

/** Below this many pre-keys the service asks the device for more. */
const FEW_PRE_KEYS = 5;

export function newLinkedDevice(id: number, pairing: PairingData): LinkedDevice {
  return {
    ...{ id, ...pairing },
    ...{ preKeys: [], delivery: createDelivery(), line: null, hasHistory: false, logins: 0 },
  };
}

/** The keys for one new session; a pre-key is given out once. */
export function takeBundle(device: LinkedDevice): KeyBundle {
  const preKey = device.preKeys.shift();
  if (device.preKeys.length === FEW_PRE_KEYS - 1) {
    device.delivery.give(
      node("notification", { from: SERVER, type: "encrypt", id: `keys-${Date.now()}` }, [
        node("count", { value: String(device.preKeys.length) }),
      ]),
    );
  }
  const { registrationId, identity, signedPreKey } = device;
  return { registrationId, identity, signedPreKey, ...(preKey && { preKey }) };
}

/** The device uploads keys: `stanza` is its query. */
export function storeKeys(device: LinkedDevice, stanza: BinaryNode): void {
  const rotated = child(child(stanza, "rotate"), "skey");
  const signed = rotated ?? child(stanza, "skey");
  if (signed) {
    device.signedPreKey = { ...readKey(signed), signature: bytesOf(signed, "signature") };
  }
  const list = child(stanza, "list");
  if (list) device.preKeys.push(...childrenOf(list).map(readKey));
}

function readKey(key: BinaryNode): { id: number; key: Buffer } {
  return { id: numberOf(bytesOf(key, "id")), key: bytesOf(key, "value") };
}

/** The parts of `<user>` or `<keys>` that carry a bundle. */
export function bundleNodes(bundle: KeyBundle): BinaryNode[] {
  const { registrationId, identity, signedPreKey, preKey } = bundle;
  return [
    node("registration", {}, encodeBigEndian(registrationId)),
    node("type", {}, KEY_BUNDLE_TYPE),
    node("identity", {}, identity),
    node("skey", {}, [
      node("id", {}, encodeBigEndian(signedPreKey.id, 3)),
      node("value", {}, signedPreKey.key),
      node("signature", {}, signedPreKey.signature),
    ]),
    ...(preKey
      ? [
          node("key", {}, [
            node("id", {}, encodeBigEndian(preKey.id, 3)),
            node("value", {}, preKey.key),
          ]),
        ]
      : []),
  ];
}

/** The content of a receipt that requests a message again, with keys for a new session. */
export function retryNodes(id: string, count: number, bundle: KeyBundle): BinaryNode[] {
  const [registration, ...keys] = bundleNodes(bundle);
  return [
    node("retry", { count: String(count), id, t: now(), v: "1" }),
    ...(registration ? [registration] : []),
    node("keys", {}, keys),
  ];
}

/** The bundle that a retry receipt may carry. */
export function readRetryBundle(receipt: BinaryNode): KeyBundle | null {
  const keys = child(receipt, "keys");
  const signed = child(keys, "skey");
  if (!keys || !signed) return null;
  const preKey = child(keys, "key");
  return {
    registrationId: numberOf(bytesOf(receipt, "registration")),
    identity: bytesOf(keys, "identity"),
    signedPreKey: { ...readKey(signed), signature: bytesOf(signed, "signature") },
    ...(preKey && { preKey: readKey(preKey) }),
  };
}
