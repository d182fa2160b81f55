import type { ProviderFailure } from "../port.ts";

/** Meta takes one message in six seconds to the same person, after a burst. */
const PAIR_WAIT_MS = 6_000;
const RATE_WAIT_MS = 10_000;

/** What a code of the Graph API means (channels.md 4); its texts change and are never looked at. */
export function failureOfCode(code: number): ProviderFailure {
  return { ...meaningOf(code), code: String(code) };
}

function meaningOf(code: number): ProviderFailure {
  if (code >= 200 && code <= 299) return { kind: "auth" };
  if (code >= 132_000 && code <= 132_999) return { kind: "bad-request" };
  switch (code) {
    case 0:
    case 10:
    case 190:
    case 131_005:
    case 131_045:
    case 133_010:
      return { kind: "auth" };
    case 4:
    case 80_007:
    case 130_429:
    case 131_048:
      return { kind: "rate-limited", retryAfterMs: RATE_WAIT_MS };
    case 131_056:
      return { kind: "rate-limited", retryAfterMs: PAIR_WAIT_MS };
    case 131_047:
      return { kind: "window-closed" };
    case 131_026:
    case 131_030:
      return { kind: "recipient-unknown" };
    case 131_031:
    case 368:
      return { kind: "banned" };
    case 131_042:
    case 131_049:
    case 131_050:
      return { kind: "restricted" };
    case 131_051:
    case 131_062:
      return { kind: "unsupported" };
    case 131_052:
      return { kind: "media-missing" };
    case 1:
    case 2:
    case 131_000:
    case 131_016:
    case 131_057:
      return { kind: "temporary" };
    default:
      return { kind: "bad-request" };
  }
}
