import { lazyPart } from "../../ui/lazy-part.tsx";

export const LazyAddToListDialog = lazyPart(
  async () => (await import("./add-to-list-dialog.tsx")).AddToListDialog,
  "over",
  "rare",
);
