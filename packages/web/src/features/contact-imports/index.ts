import { lazyPart } from "../../ui/lazy-part.tsx";

export { ImportMark } from "./import-mark.tsx";
/** The import of a spreadsheet as a page. */
export const LazyImportWizard = lazyPart(
  async () => (await import("./import-wizard.tsx")).ImportWizard,
  "inline",
  "rare",
);
/** Follows the imports of the user on every page. */
export const ImportNews = lazyPart(
  async () => (await import("./import-news.tsx")).ImportNews,
  "over",
  "first",
);
