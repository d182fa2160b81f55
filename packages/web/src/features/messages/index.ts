export type { TextStorage } from "./drafts.ts";
export { AckIcon } from "./ack-icon.tsx";
export { Composer } from "./composer.tsx";
export { FormattedText } from "./formatted-text.tsx";
export { MessageList } from "./message-list.tsx";
export { useCustomerActivity, useMessageEvents } from "./realtime.ts";
export { sendTemplate } from "./sending.ts";
export { splitSignature } from "./signature.ts";
export { plainText } from "./whatsapp-text.ts";
