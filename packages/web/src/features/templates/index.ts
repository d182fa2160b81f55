import { lazyPart } from "../../ui/lazy-part.tsx";

export { useFreeTextWindow } from "./free-text-window.ts";

// Only conversations over the official API show these parts.
export const LazyTemplateDialog = lazyPart(
  async () => (await import("./template-dialog.tsx")).TemplateDialog,
  "over",
);
export const LazyWindowChip = lazyPart(async () => (await import("./window-chip.tsx")).WindowChip);
