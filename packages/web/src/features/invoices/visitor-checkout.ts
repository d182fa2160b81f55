import { lazyPart } from "../../ui/lazy-part.tsx";

/** Pays the subscription of a company that cannot sign in any more. Apart from the index, which the shell needs at once. */
export const VisitorCheckout = lazyPart(
  async () => (await import("./checkout.tsx")).VisitorCheckout,
  "over",
  "provider",
);
