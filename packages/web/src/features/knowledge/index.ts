import { lazyPart } from "../../ui/lazy-part.tsx";

/** The knowledge base as a page, fetched when it is first shown. */
export const KnowledgePage = lazyPart(
  async () => (await import("./knowledge-page.tsx")).KnowledgePage,
  "page",
  "provider",
);
