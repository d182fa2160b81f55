import type { BaileysEventMap } from "baileys";
import type { PresenceState, TransientEvent } from "../../port.ts";
import type { Self } from "./addresses.ts";
import { isSelf, toAddress } from "./addresses.ts";

export type PresenceEvent = Extract<TransientEvent, { type: "presence" }>;

const STATES: Record<string, PresenceState> = {
  available: "available",
  unavailable: "unavailable",
  composing: "composing",
  recording: "recording",
  paused: "paused",
};

/** What `presence.update` says of people; nothing of ourselves. */
export function toPresenceEvents(
  { id, presences }: BaileysEventMap["presence.update"],
  self: Self,
): PresenceEvent[] {
  const chat = toAddress(id);
  if (!chat) return [];
  return Object.entries(presences ?? {}).flatMap(([jid, presence]) => {
    const address = toAddress(jid);
    const state = STATES[presence?.lastKnownPresence ?? ""];
    if (!address || address.kind === "group" || isSelf(address, self) || !state) return [];
    return [{ type: "presence", chat, peer: { addresses: [address] }, state }];
  });
}
