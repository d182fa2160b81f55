import { createPrivateKey } from "node:crypto";
import type { CompanyId } from "@balcao/contract";
import { z } from "zod";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { Random } from "../../platform/sources.ts";

const SECRET_BYTES = 32;
const SECRET_PREFIX = "whsec_";
const secretPurpose = (companyId: number): string => `delivery secret of company ${companyId}`;

/** A new sealed secret for signatures of deliveries, in the form of Standard Webhooks, whose libraries check them. */
export function newSecret(
  { random, seal }: { random: Random; seal: Seal },
  companyId: CompanyId,
): Buffer {
  const key = Buffer.from(random.hex(SECRET_BYTES), "hex").toString("base64");
  return seal.close(Buffer.from(SECRET_PREFIX + key), secretPurpose(companyId));
}

/** The bytes with which a secret signs. */
export const signingKey = (secret: string): Buffer =>
  Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");

export function openSecret(seal: Seal, companyId: CompanyId, sealed: Uint8Array): string {
  return seal.open(sealed, secretPurpose(companyId)).toString();
}

const keyPurpose = (companyId: number): string => `dialogflow key of company ${companyId}`;

/** The text of a Google service account's key, sealed. */
export const sealKey = (seal: Seal, companyId: CompanyId, text: string): Buffer =>
  seal.close(Buffer.from(text), keyPurpose(companyId));

export const openKey = (seal: Seal, companyId: CompanyId, sealed: Uint8Array): string =>
  seal.open(sealed, keyPurpose(companyId)).toString();

/** The part of a service account's key that is used. Its `token_uri` is not: the company would choose our target. */
const serviceAccount = z.object({
  project_id: z.string(),
  client_email: z.email(),
  private_key: z.string().refine(isPrivateKey),
});
export type ServiceAccount = z.output<typeof serviceAccount>;

/** Null when the text is no key of this project. */
export function parseKey(text: string, projectName: string): ServiceAccount | null {
  try {
    const account = serviceAccount.parse(JSON.parse(text));
    return account.project_id === projectName ? account : null;
  } catch {
    return null;
  }
}

function isPrivateKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
}
