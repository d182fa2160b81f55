import type { DocumentLimits } from "./document.ts";
import { readText } from "./document.ts";

// A process of its own, which reads one document and ends.

export type DocumentWish = { path: string; limits: DocumentLimits };

process.on("message", ({ path, limits }: DocumentWish) => {
  void readText(path, limits).then((answer) => process.send?.(answer));
});
// The product has ended; nobody asks for the rest.
process.on("disconnect", () => process.exit(0));
