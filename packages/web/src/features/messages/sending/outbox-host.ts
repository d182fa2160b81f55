import { lazyPart } from "../../../ui/lazy-part.tsx";

/** Sends what waits in the queues of all tickets. Mounted once, in the shell; the first page needs none of its code. */
export const OutboxKeeper = lazyPart(
  async () => (await import("./sending.ts")).OutboxKeeper,
  "over",
  "first",
);

/** How many messages of the user have not left this browser. Rejects when its code cannot be loaded. */
export async function countUnsent(): Promise<number> {
  return (await import("./sending.ts")).unsentCount();
}
