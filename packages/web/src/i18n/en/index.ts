import type { SameShape } from "../same-shape.ts";
import type { pt } from "../pt/index.ts";
import { auth } from "./auth.ts";
import { common } from "./common.ts";
import { errors } from "./errors.ts";
import { messages } from "./messages.ts";
import { shell } from "./shell.ts";
import { simulator } from "./simulator.ts";
import { tickets } from "./tickets.ts";

export const en: SameShape<typeof pt> = {
  auth,
  common,
  errors,
  messages,
  shell,
  simulator,
  tickets,
};
