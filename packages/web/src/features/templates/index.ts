export { useFreeTextWindow } from "./use-free-text-window.ts";
export { LazyTemplateDialog, LazyWindowChip } from "./lazy.ts";
