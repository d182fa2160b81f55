import { first } from "./first.ts";
import { pages } from "./pages.ts";

/** Every text of the product in Portuguese: the default, the fallback, and the shape of the others. */
export const pt = { ...first, ...pages } as const;
