import type { figures as pt } from "../pt/figures.ts";
import type { SameShape } from "../same-shape.ts";

export const figures: SameShape<typeof pt> = {};
