import type { IconProps } from "@tabler/icons-react";
import { createElement, forwardRef } from "react";

/** An outline icon of the library as one path. The build puts it in the place of the library's own (`vite.config.ts`). */
export function shortIcon(path: string) {
  return forwardRef<SVGSVGElement, IconProps>(function ShortIcon(props, ref) {
    const { size = 24, stroke = 2, color = "currentColor", children, ...rest } = props;
    const box = { ref, viewBox: "0 0 24 24", width: size, height: size, fill: "none" };
    const line = {
      ...{ stroke: color, strokeWidth: stroke },
      ...({ strokeLinecap: "round", strokeLinejoin: "round" } as const),
    };
    return createElement(
      "svg",
      { ...box, ...line, ...rest },
      createElement("path", { d: path }),
      children,
    );
  });
}
