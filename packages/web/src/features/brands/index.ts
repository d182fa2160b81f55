import { lazyPart } from "../../ui/lazy-part.tsx";

/** The tab of super users with the names and looks of the installation. */
export const BrandsPanel = lazyPart(
  async () => (await import("./brands-panel.tsx")).BrandsPanel,
  "inline",
  "provider",
);
