import { lazyPart } from "../../ui/lazy-part.tsx";

// Only conversations over the official API ever show them.
export const LazyTemplateDialog = lazyPart(
  async () => (await import("./template-dialog.tsx")).TemplateDialog,
  "over",
);
export const LazyWindowChip = lazyPart(async () => (await import("./window-chip.tsx")).WindowChip);
