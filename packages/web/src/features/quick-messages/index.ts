export { countUse, foldersOf, prefetchQuickMessages, quickMessageList } from "./api.ts";
