// Without schemas: the browser needs them too.

/** `waiting` is sent by a job; `held` waits until the installation has a mail server. */
export const mailStates = ["waiting", "held", "sent", "failed"] as const;
export type MailState = (typeof mailStates)[number];

export const mailKinds = [
  "password-reset",
  "invitation",
  "invoice-due",
  "invoice-paid",
  "connection-lost",
  "helper-stopped",
  "new-device",
  "test",
] as const;
export type MailKind = (typeof mailKinds)[number];
