import { lazyPart } from "../../ui/lazy-part.tsx";

/** The tab of super users with the payments of the companies. */
export const BillingPanel = lazyPart(
  async () => (await import("./billing-panel.tsx")).BillingPanel,
  "inline",
  "provider",
);
