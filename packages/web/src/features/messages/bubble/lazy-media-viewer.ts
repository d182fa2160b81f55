import { lazyPart } from "../../../ui/lazy-part.tsx";

/** The viewer of pictures and films; it is fetched when it is first shown. */
export const LazyMediaViewer = lazyPart(
  async () => (await import("./media-viewer.tsx")).MediaViewer,
  "over",
);
