export { prefetchQuickMessages, quickMessageList } from "./api.ts";
