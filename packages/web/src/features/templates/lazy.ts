import { lazy } from "react";

// Only conversations over the official API ever show them.
export const LazyTemplateDialog = lazy(async () => ({
  default: (await import("./template-dialog.tsx")).TemplateDialog,
}));
export const LazyWindowChip = lazy(async () => ({
  default: (await import("./window-chip.tsx")).WindowChip,
}));
