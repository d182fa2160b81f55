import { DEF_MEDIA_HOST } from "baileys";
import type { MediaLocator } from "./locator.ts";

const NETWORKS_HOST = /^([a-z0-9-]+\.)+whatsapp\.net$/;

/**
 * Where a file is fetched from: its path on the host that its address names, else on the network's usual one. Addresses
 * come from whoever sent the message; null when none of them is the network's.
 */
export function placeOf({ url, directPath }: MediaLocator, extraOrigin?: string): URL | null {
  const whole = url ? allowedUrl(url, undefined, extraOrigin) : null;
  if (!directPath) return whole;
  const base = whole?.origin ?? extraOrigin ?? `https://${DEF_MEDIA_HOST}`;
  return allowedUrl(directPath, new URL(base), extraOrigin);
}

/** An address of the network, by https, or of the extra origin; null for any other. */
export function allowedUrl(text: string, base?: URL, extraOrigin?: string): URL | null {
  const url = URL.parse(text, base?.href);
  if (!url || url.username !== "" || url.password !== "") return null;
  if (extraOrigin && url.origin === URL.parse(extraOrigin)?.origin) return url;
  const isNetworks = NETWORKS_HOST.test(url.hostname) && url.port === "";
  return url.protocol === "https:" && isNetworks ? url : null;
}
