export {
  batchPerFrame,
  expectLiveChannel,
  onceLive,
  sendLive,
  useCompanyEvent,
  useLiveConnection,
  useLiveStatus,
  useRoom,
} from "./live.ts";
export { LiveNotice } from "./live-notice.tsx";
