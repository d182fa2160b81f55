import { lazyPart } from "../../ui/lazy-part.tsx";

/** Lists who did what in the company. */
export const AuditPanel = lazyPart(
  async () => (await import("./audit-panel.tsx")).AuditPanel,
  "inline",
  "trust",
);
