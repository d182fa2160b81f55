import { auth } from "./auth.ts";
import { common } from "./common.ts";
import { errors } from "./errors.ts";
import { messages } from "./messages.ts";
import { shell } from "./shell.ts";
import { simulator } from "./simulator.ts";
import { tickets } from "./tickets.ts";

/** Every text of the product in Portuguese: the default, the fallback, and the shape of the others. */
export const pt = { auth, common, errors, messages, shell, simulator, tickets } as const;
