import type { ReactNode } from "react";
import { AfterShown } from "./after-shown.tsx";
import { lazyPart } from "./lazy-part.tsx";

type Side = "top" | "right";

/** Attributes that give an element a tooltip; `TooltipHost` shows it. */
export function tip(
  text: string,
  { keys, side }: { keys?: string | undefined; side?: Side } = {},
): Record<`data-tip${string}`, string | undefined> {
  return { "data-tip": text, "data-tip-keys": keys, "data-tip-side": side };
}

const Host = lazyPart(
  async () => (await import("./tooltip-host.tsx")).TooltipHost,
  "over",
  "first",
);

/** Shows tooltips, once the first page has shown. Rendered once, in `main.tsx`. */
export function TooltipHost(): ReactNode {
  return (
    <AfterShown>
      <Host />
    </AfterShown>
  );
}
