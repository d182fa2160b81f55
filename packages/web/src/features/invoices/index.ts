import { lazyPart } from "../../ui/lazy-part.tsx";

export { SubscriptionNotice } from "./subscription-notice.tsx";
export { VisitorCheckout } from "./visitor-checkout.ts";

/** Stands in the place of every page for those who cannot pay, when the subscription has ended. */
export const AskAdmin = lazyPart(
  async () => (await import("./subscription-strip.tsx")).AskAdmin,
  "page",
  "provider",
);
