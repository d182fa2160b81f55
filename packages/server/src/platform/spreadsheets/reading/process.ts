import type { SheetAnswer } from "./answers.ts";
import { sheetAnswers } from "./answers.ts";
import type { SheetLimits } from "./rows.ts";

// A process of its own, which reads one file and ends (docs/imports.md says why it is no thread).

/** What the process is asked: a file, and after each page the next one. */
export type SheetWish = { path: string; limits: SheetLimits } | { next: true };

let answers: AsyncGenerator<SheetAnswer, void> | undefined;

async function answer(wish: SheetWish): Promise<void> {
  if ("path" in wish) answers = sheetAnswers(wish.path, wish.limits);
  const next = await answers?.next();
  if (next && !next.done) process.send?.(next.value);
}

process.on("message", (wish: SheetWish) => void answer(wish));
// The product has ended; nobody asks for the rest.
process.on("disconnect", () => process.exit(0));
