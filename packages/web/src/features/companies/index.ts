import { lazyPart } from "../../ui/lazy-part.tsx";

/** The tab of super users that looks after the companies. */
export const CompaniesPanel = lazyPart(
  async () => (await import("./companies-panel.tsx")).CompaniesPanel,
  "inline",
  "provider",
);
