import type { teamwork as pt } from "../pt/teamwork.ts";
import type { SameShape } from "../same-shape.ts";

export const teamwork: SameShape<typeof pt> = {};
