import { lazyPart } from "../../ui/lazy-part.tsx";

/** The tab of super users with the e-mails that go out. */
export const MailsPanel = lazyPart(
  async () => (await import("./mails-panel.tsx")).MailsPanel,
  "inline",
  "provider",
);
