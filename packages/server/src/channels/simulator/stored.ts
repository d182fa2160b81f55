import type { SimulatorContent, SimulatorMember } from "@balcao/contract";

/** A file on the network; `key` is its place in the simulator's own media folder. */
export type StoredFile = {
  key: string;
  name: string;
  mime: string;
  bytes: number;
  durationMs?: number;
};

/** What a message is beyond its text, as the network's table holds it. */
export type MessageDetails = {
  file?: StoredFile;
  content?: SimulatorContent;
  call?: { isVideo: boolean; isRefused: boolean };
  /** What the company's quote says, for a phone that does not have the quoted message. */
  quote?: { text: string; fromMe: boolean };
};

/** A change of a message, by whoever may make it. `emoji` null takes a reaction back. */
export type NetworkChange =
  | { kind: "edit"; targetId: string; text: string }
  | { kind: "revoke"; targetId: string }
  | { kind: "reaction"; targetId: string; emoji: string | null };

export type StoredMember = SimulatorMember;

/** Who reacted, when it was the company. */
export const COMPANY = "company";
