import { lazyPart } from "../../ui/lazy-part.tsx";

/** The mark of the menu entry while an import of the user runs. */
export const ImportMark = lazyPart(
  async () => (await import("./import-mark.tsx")).ImportMark,
  "over",
  "first",
);
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
