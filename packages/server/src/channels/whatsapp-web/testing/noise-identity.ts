import type { KeyPair } from "baileys";
import { Curve, proto } from "baileys";

/** The server's static key with the chain that vouches for it. */
export type ServerIdentity = {
  keys: KeyPair;
  certificateChain: Uint8Array;
  /** Hex of the root's public key (32 bytes): what a client has to trust. */
  rootKeyHex: string;
};

const { Details } = proto.CertChain.NoiseCertificate;

/** With `forged`, the chain is signed by another root than the one it names. */
export function newServerIdentity(forged: boolean): ServerIdentity {
  const root = Curve.generateKeyPair();
  const intermediate = Curve.generateKeyPair();
  const keys = Curve.generateKeyPair();
  const now = Math.floor(Date.now() / 1000);
  const validity = { notBefore: now - 86_400, notAfter: now + 86_400 * 365 };
  // Clients know the root by the serial number 0.
  const intermediateDetails = Details.encode({
    ...{ serial: 1, issuerSerial: 0, key: intermediate.public },
    ...validity,
  }).finish();
  const leafDetails = Details.encode({
    ...{ serial: 2, issuerSerial: 1, key: keys.public },
    ...validity,
  }).finish();
  const signer = forged ? Curve.generateKeyPair() : root;
  const certificateChain = proto.CertChain.encode({
    intermediate: {
      details: intermediateDetails,
      signature: Curve.sign(signer.private, intermediateDetails),
    },
    leaf: {
      details: leafDetails,
      signature: Curve.sign(intermediate.private, leafDetails),
    },
  }).finish();
  return { keys, certificateChain, rootKeyHex: Buffer.from(root.public).toString("hex") };
}
