export { useFreeTextWindow } from "./free-text-window.ts";
export { LazyTemplateDialog, LazyWindowChip } from "./lazy.ts";
