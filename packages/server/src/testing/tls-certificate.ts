import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { atEndOfFile } from "./end-of-file.ts";

/** A certificate that vouches for itself, for 127.0.0.1 and localhost. Both as PEM. */
export type TlsCertificate = { certificate: string; key: string };

const usual = getCACertificates("default");

/**
 * Trusts one certificate beside the usual ones until the test file ends. All of ours have the same name: of two that are
 * trusted at once, the wrong one would be compared.
 */
export function trustCertificate(certificate: string): void {
  setDefaultCACertificates([...usual, certificate]);
  atEndOfFile(async () => setDefaultCACertificates(usual));
}

/** Written by hand as ASN.1, because Node makes none: version 3, ECDSA on P-256, valid for two days. */
export function newTlsCertificate(): TlsCertificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ecdsaWithSha256 = sequence(objectId("2a8648ce3d040302"));
  const name = sequence(
    der(0x31, sequence(objectId("550403"), der(0x0c, Buffer.from("scripted peer")))),
  );
  const day = 86_400_000;
  const unsigned = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    sequence(time(new Date(Date.now() - day)), time(new Date(Date.now() + day))),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(authority(), alternativeNames())),
  );
  const signature = sign("sha256", unsigned, privateKey);
  const certificate = sequence(unsigned, ecdsaWithSha256, bitString(signature));
  return {
    certificate: pem("CERTIFICATE", certificate),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function authority(): Buffer {
  const isAuthority = sequence(der(0x01, Buffer.from([0xff])));
  return sequence(objectId("551d13"), der(0x04, isAuthority));
}

function alternativeNames(): Buffer {
  const names = sequence(
    der(0x82, Buffer.from("localhost")),
    der(0x87, Buffer.from([127, 0, 0, 1])),
  );
  return sequence(objectId("551d11"), der(0x04, names));
}

function der(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  if (length < 0x100) return Buffer.from([0x81, length]);
  return Buffer.from([0x82, length >> 8, length & 0xff]);
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, Buffer.concat(parts));
const objectId = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"));
const integer = (bytes: Buffer): Buffer => der(0x02, bytes);
const bitString = (bytes: Buffer): Buffer => der(0x03, Buffer.concat([Buffer.from([0]), bytes]));

function time(at: Date): Buffer {
  const digits = at.toISOString().replaceAll(/[-:T]/g, "").slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
