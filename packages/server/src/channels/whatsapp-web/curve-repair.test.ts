import { Curve, proto } from "baileys";
import { expect, test } from "vitest";
import { isSigned, repairCurve } from "./curve-repair.ts";

const signer = Curve.generateKeyPair();
const message = Buffer.from("quem responde");
const signature = Curve.sign(signer.private, message);

test("as delivered the library accepts a forged signature, repaired it does not", () => {
  const forged = Buffer.alloc(64, 7);
  expect(Curve.verify(signer.public, message, forged)).toBe(true);

  repairCurve();

  expect(Curve.verify(signer.public, message, forged)).toBe(false);
  expect(Curve.verify(signer.public, message, signature)).toBe(true);
  expect(Curve.verify(signer.public, Buffer.from("outra"), signature)).toBe(false);
  expect(Curve.verify(Curve.generateKeyPair().public, message, signature)).toBe(false);
});

test("a key is taken with and without its prefix, and nothing of the wrong shape throws", () => {
  const prefixed = Buffer.concat([Buffer.from([5]), signer.public]);
  expect(isSigned(prefixed, message, signature)).toBe(true);
  expect(isSigned(signer.public, message, signature)).toBe(true);
  expect(isSigned(Buffer.alloc(3), message, signature)).toBe(false);
  expect(isSigned(signer.public, message, Buffer.alloc(3))).toBe(false);
});

test("a certificate of another key than the one that is spoken with is refused", async () => {
  repairCurve();
  const [service, impostor, ours] = [
    Curve.generateKeyPair(),
    Curve.generateKeyPair(),
    Curve.generateKeyPair(),
  ];
  const details = proto.CertChain.NoiseCertificate.Details.encode({ key: service.public }).finish();
  const certificate = Curve.sign(signer.private, Buffer.from(details));

  Curve.sharedKey(ours.private, service.public);
  expect(Curve.verify(signer.public, details, certificate)).toBe(true);

  Curve.sharedKey(ours.private, impostor.public);
  expect(Curve.verify(signer.public, details, certificate)).toBe(false);

  Curve.sharedKey(ours.private, impostor.public);
  await Promise.resolve();
  expect(Curve.verify(signer.public, details, certificate)).toBe(true);
});
