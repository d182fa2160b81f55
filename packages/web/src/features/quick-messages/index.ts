export { QuickMessagesPage } from "./quick-messages-page.tsx";
