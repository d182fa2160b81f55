/** Constants and limits of the product (spec 9, wire-contract 1). Lengths in characters, times with their unit. */
export const limits = {
  nameMin: 2,
  nameMax: 50,
  passwordMin: 5,
  passwordMax: 50,
  emailMax: 254,
  /** A text message of the chat app. */
  messageBodyMax: 65_536,
  jsonBodyBytes: 10 * 1024 * 1024,
  mobileNameLength: 10,
  composerRowsMax: 5,
  searchDebounceMs: 500,
  nextPageDistancePx: 100,
  olderMessagesDistancePx: 50,
  timeLabelRefreshMs: 30_000,
  connectionWarningDelayMs: 2_000,
  toastMs: 3_000,
  errorToastMs: 2_000,
  otherLoginReloadMs: 1_000,
  subscriptionWarningDays: 5,
  socketPingMs: 18_000,
  userStatusMs: 300_000,
  drawerWidthPx: 240,
  drawerOpenAbovePx: 1200,
  drawerOverlayBelowPx: 600,
} as const;

/** Rows of one page (wire-contract 1, "Sizes of pages"). */
export const pageSizes = {
  tickets: 40,
  messages: 20,
  contacts: 30,
  users: 20,
} as const;

/** Acknowledgement levels of a message (spec 4): 0 clock, 1-2 one check, 3 two checks, 4-5 two blue checks. */
export const acks = {
  waiting: 0,
  written: 1,
  server: 2,
  delivered: 3,
  read: 4,
  played: 5,
} as const;
