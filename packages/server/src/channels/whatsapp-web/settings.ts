/** Times and places of the adapter; tests shorten the times. */
export type WhatsAppWebSettings = {
  /** Where the chat service is; null: the service's own address. */
  socketUrl: string | null;
  /** Public key (hex) in which the service's certificates are trusted; null: the service's own. */
  rootKey: string | null;
  /** A host (with port) that files may be fetched from beside the network's own. */
  mediaHost: string | null;
  /** Codes shown before the session gives up. */
  codes: number;
  /** How long each of them is shown; null: as the service's own page does. */
  codeMs: number | null;
  connectMs: number;
  queryMs: number;
  /** For the upload of a file to one host. */
  uploadMs: number;
  /** Longest time for telling the service that we unlink. */
  logoutMs: number;
  /** A message that cannot be decrypted gets a placeholder after this wait. */
  pendingMs: number;
  /** Longest wait for the service to agree to the end of a connection. */
  endMs: number;
};

export const defaultWhatsAppWebSettings: WhatsAppWebSettings = {
  socketUrl: null,
  rootKey: null,
  mediaHost: null,
  codes: 3,
  codeMs: null,
  connectMs: 25_000,
  queryMs: 20_000,
  uploadMs: 4 * 60_000,
  logoutMs: 10_000,
  pendingMs: 10_000,
  endMs: 2_000,
};
