export { batchPerFrame } from "./batch.ts";
export { sendLive, useCompanyEvent, useLiveConnection, useLiveStatus, useRoom } from "./live.ts";
export { LiveNotice } from "./live-notice.tsx";
