export {
  batchPerFrame,
  expectLiveChannel,
  onceLive,
  oncePainted,
  sendLive,
  useCompanyEvent,
  useLiveConnection,
  useLiveStatus,
  useRoom,
} from "./live.ts";
export { LiveNotice } from "./live-notice.tsx";
