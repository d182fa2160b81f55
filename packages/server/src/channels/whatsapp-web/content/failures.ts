import { proto } from "baileys";
import type { MessageRef, ProviderFailure, SendFailedEvent } from "../../port.ts";
import { firstText, listOf } from "./fields.ts";

/** Codes of the network in a refused message's acknowledgement. */
const KINDS: Record<string, ProviderFailure["kind"]> = {
  // The account may not begin chats: each further try makes it worse.
  "463": "restricted",
  "404": "recipient-unknown",
  "429": "rate-limited",
};

/** What the network's refusal of a sent message means. */
export function refusalOf(code: string): ProviderFailure {
  return { kind: KINDS[code] ?? "bad-request", code };
}

/** Null unless a message's state says that the network refused it, and why. */
export function refusalEvent(
  { chat, id }: MessageRef,
  status: unknown,
  parameters: unknown,
): SendFailedEvent | null {
  if (status !== proto.WebMessageInfo.Status.ERROR) return null;
  const [code] = Array.isArray(parameters) ? listOf<unknown>(parameters) : [];
  const written = firstText(code);
  if (!/^\d+$/.test(written)) return null;
  return { type: "send-failed", providerId: id, chat, failure: refusalOf(written) };
}
