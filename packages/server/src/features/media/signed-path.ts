import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { CompanyId } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { MediaKey } from "../../platform/media/media-store.ts";

const HOUR_SECONDS = 3_600;
/** The last second of the year 9999. */
const NEVER_SECONDS = 253_402_300_799;
const PURPOSE = "balcao: addresses of files";

export type SignedPaths = {
  /** Below the server's root. The same within an hour, so that browsers find the file in their cache. */
  of(companyId: CompanyId, key: MediaKey, now: Date): string;
  /** Below the server's root, without an end. */
  lasting(companyId: CompanyId, key: MediaKey): string;
  isValid(companyId: CompanyId, key: MediaKey, signature: Signature, now: Date): boolean;
};

/** As they stand in the query. */
export type Signature = { exp: string; sig: string };

/** Addresses that open one file to whoever has them, until they expire. */
export function createSignedPaths(installationSecret: string): SignedPaths {
  const secret = Buffer.from(hkdfSync("sha256", installationSecret, "", PURPOSE, 32));
  const sign = (path: string, exp: string): Buffer =>
    createHmac("sha256", secret).update(`${path}\n${exp}`).digest();

  function signed(companyId: CompanyId, key: MediaKey, exp: number): string {
    const path = pathOf(companyId, key);
    return `${path}?exp=${exp}&sig=${sign(path, String(exp)).toString("base64url")}`;
  }

  return {
    of: (companyId, key, now) => signed(companyId, key, expiryOf(now)),
    lasting: (companyId, key) => signed(companyId, key, NEVER_SECONDS),

    isValid(companyId, key, { exp, sig }, now) {
      if (!/^\d{1,12}$/.test(exp) || Number(exp) * 1_000 <= now.getTime()) return false;
      const given = Buffer.from(sig, "base64url");
      const right = sign(pathOf(companyId, key), exp);
      return given.byteLength === right.byteLength && timingSafeEqual(given, right);
    },
  };
}

function pathOf(companyId: CompanyId, key: MediaKey): string {
  return `/public/company${Number(companyId)}/${key}`;
}

/** On the full hour, and a whole day away at least. */
function expiryOf(now: Date): number {
  const earliest = now.getTime() / 1_000 + limits.signedPathSeconds;
  return Math.ceil(earliest / HOUR_SECONDS) * HOUR_SECONDS;
}
