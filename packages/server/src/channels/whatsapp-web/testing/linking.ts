import { randomBytes } from "node:crypto";
import type { KeyPair } from "baileys";
import {
  hmacSign,
  proto,
  Curve,
  WA_ADV_ACCOUNT_SIG_PREFIX,
  WA_ADV_DEVICE_SIG_PREFIX,
} from "baileys";
import { verifySignature } from "libsignal/src/curve.js";
import type { AccountState } from "./account.ts";
import { lidOf, pnOf } from "./account.ts";
import type { CodeAttempt } from "./code-linking.ts";
import type { Line } from "./line.ts";
import type { LinkedDevice } from "./linked-device.ts";
import { newLinkedDevice } from "./linked-device.ts";
import type { BinaryNode } from "./nodes.ts";
import { bytesOf, child, node, numberOf, SERVER } from "./nodes.ts";

/** A client without an account, waiting to be linked. */
export type Registration = {
  line: Line;
  refs: string[];
  /** Its public identity key, 32 bytes. */
  identity: Buffer;
  pairing: proto.ClientPayload.IDevicePairingRegistrationData;
  /** Set when the client asked for a code to be typed. */
  code: CodeAttempt | null;
  /** Stanzas that wait for the client's answer, by id. */
  answers: Map<string, (stanza: BinaryNode) => void>;
};

const REF_BYTES = 24;

export function openRegistration(line: Line, refCount: number): Registration {
  const pairing = line.payload.devicePairingData;
  if (!pairing?.eIdent) throw new Error("the client registers without keys");
  const refs = Array.from(
    { length: refCount },
    () => `2@${randomBytes(REF_BYTES).toString("hex")}`,
  );
  const registration: Registration = {
    ...{ line, refs, pairing, identity: Buffer.from(pairing.eIdent), code: null },
    answers: new Map(),
  };
  line.send(
    node("iq", { from: SERVER, type: "set", id: newId(), xmlns: "md" }, [
      node(
        "pair-device",
        {},
        refs.map((ref) => node("ref", {}, Buffer.from(ref))),
      ),
    ]),
  );
  return registration;
}

/** The content of a scanned code. */
export type ScannedCode = { ref: string; advSecret: Buffer };

export function readCode(text: string): ScannedCode {
  const [ref, , , advSecret] = text.slice(text.indexOf("#") + 1).split(",");
  if (!ref || !advSecret) throw new Error(`not a code of this network: ${text.slice(0, 40)}`);
  return { ref, advSecret: Buffer.from(advSecret, "base64") };
}

/**
 * The phone has agreed: tells the client that it is linked, checks its signature and asks it to start again. Rejects when
 * the client goes away instead, as it does when `advSecret` is not its own.
 */
export async function link(
  account: AccountState,
  registration: Registration,
  advSecret: Uint8Array,
): Promise<LinkedDevice> {
  const { line, identity, pairing } = registration;
  const device = newLinkedDevice(account.nextDeviceId++, {
    noiseKey: line.noiseKey,
    identity,
    registrationId: numberOf(pairing.eRegid ?? Buffer.alloc(0)),
    signedPreKey: {
      id: numberOf(pairing.eSkeyId ?? Buffer.alloc(0)),
      key: pairing.eSkeyVal ?? Buffer.alloc(0),
      signature: pairing.eSkeySig ?? Buffer.alloc(0),
    },
  });
  const details = proto.ADVDeviceIdentity.encode({
    rawId: randomBytes(4).readUInt32BE(),
    timestamp: Math.floor(Date.now() / 1000),
    keyIndex: device.id,
    accountType: proto.ADVEncryptionType.E2EE,
    deviceType: proto.ADVEncryptionType.E2EE,
  }).finish();
  const signed = signIdentity(account.user.device.identity, details, identity);
  const id = newId();
  const signedByDevice = ask(registration, id);
  line.send(
    node("iq", { from: SERVER, type: "set", id, xmlns: "md" }, [
      node("pair-success", {}, [
        node(
          "device-identity",
          {},
          proto.ADVSignedDeviceIdentityHMAC.encode({
            details: signed,
            hmac: hmacSign(signed, Buffer.from(advSecret)),
          }).finish(),
        ),
        node("biz", { name: account.user.name }),
        node("device", { jid: pnOf(account.user, device), lid: lidOf(account.user, device) }),
        node("platform", { name: "android" }),
      ]),
    ]),
  );
  checkDeviceSignature(await signedByDevice, details, registration, account);
  account.devices.set(device.id, device);
  line.send(node("stream:error", { code: "515" }));
  line.close();
  return device;
}

function signIdentity(account: KeyPair, details: Uint8Array, companion: Uint8Array): Buffer {
  const message = Buffer.concat([WA_ADV_ACCOUNT_SIG_PREFIX, details, companion]);
  return Buffer.from(
    proto.ADVSignedDeviceIdentity.encode({
      details,
      accountSignatureKey: account.public,
      accountSignature: Curve.sign(account.private, message),
    }).finish(),
  );
}

function checkDeviceSignature(
  reply: BinaryNode,
  details: Uint8Array,
  { identity }: Registration,
  { user }: AccountState,
): void {
  const signed = proto.ADVSignedDeviceIdentity.decode(
    bytesOf(child(reply, "pair-device-sign"), "device-identity"),
  );
  const accountKey = user.device.identity.public;
  const message = Buffer.concat([WA_ADV_DEVICE_SIG_PREFIX, details, identity, accountKey]);
  const key = Buffer.concat([Buffer.from([5]), identity]);
  const signature = Buffer.from(signed.deviceSignature ?? []);
  if (!verifySignature(key, message, signature)) {
    throw new Error("the client did not sign the link with its identity");
  }
}

/** The client's answer to a stanza of this id. */
function ask({ answers, line }: Registration, id: string): Promise<BinaryNode> {
  return new Promise((resolve, reject) => {
    const timer = setInterval(() => {
      if (line.isOpen) return;
      clearInterval(timer);
      answers.delete(id);
      reject(new Error("the client went away instead of answering"));
    }, 20);
    answers.set(id, (stanza) => {
      clearInterval(timer);
      answers.delete(id);
      resolve(stanza);
    });
  });
}

export function newId(): string {
  return `srv-${randomBytes(6).toString("hex")}`;
}
