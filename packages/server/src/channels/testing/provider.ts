import type { Capabilities, ChatProvider } from "../port.ts";

/** The capabilities of a service that supports everything. */
export const allCapabilities: Capabilities = {
  qr: true,
  pairingCode: true,
  presence: true,
  edit: true,
  revoke: true,
  react: true,
  numberCheck: true,
  profilePicture: true,
  groups: true,
  templates: true,
  freeTextWindowHours: null,
  clientMessageId: true,
  resends: 1,
};

/** Default answers of a provider. */
export const plainProvider = {
  capabilities: allCapabilities,
  start: () => Promise.resolve(),
  stop: () => Promise.resolve(),
  unlink: () => Promise.resolve(),
  send: () => Promise.resolve({ result: "accepted" }),
  openMedia: () => Promise.reject(new Error("no file here")),
  checkNumbers: () => Promise.resolve([]),
  refuseCall: () => Promise.resolve(),
  markRead: () => Promise.resolve(),
  setTyping: () => Promise.resolve(),
  profilePicture: () => Promise.resolve(null),
} as const satisfies ChatProvider;
