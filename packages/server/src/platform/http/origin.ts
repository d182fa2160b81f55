import type { FastifyRequest } from "fastify";

/** The address and the device of a request, as people read them. */
export type Origin = { address: string; device: string };

/** The address and device of a request. */
export function originOf(request: FastifyRequest): Origin {
  return { address: request.ip, device: deviceOf(request.headers["user-agent"] ?? "") };
}

const NAME_MAX = 40;

// In this order: most browsers name others that they are like.
const browsers = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\/|\bOpera\b/, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bChrome\/|\bCriOS\/|\bHeadlessChrome\//, "Chrome"],
  [/\bSafari\//, "Safari"],
] as const;

const systems = [
  [/\b(?:iPhone|iPod)\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
] as const;

/** A short name of browser and system, such as `Chrome · Windows`; of another program, what it calls itself. */
function deviceOf(userAgent: string): string {
  const nameIn = (names: readonly (readonly [RegExp, string])[]) =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [nameIn(browsers), nameIn(systems)];
  if (browser !== undefined && system !== undefined) return `${browser} · ${system}`;
  // It stands in e-mails: nobody can write a sentence or an address there.
  return (browser ?? userAgent.replace(/[^\w/.-]/g, " ").trim()).slice(0, NAME_MAX);
}
