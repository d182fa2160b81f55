import { lazyPart } from "../../ui/lazy-part.tsx";

export { usePlans } from "./api.ts";

/** The tab of super users that keeps the plans. */
export const PlansPanel = lazyPart(
  async () => (await import("./plans-panel.tsx")).PlansPanel,
  "inline",
  "provider",
);
