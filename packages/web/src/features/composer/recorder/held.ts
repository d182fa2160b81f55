import { createStore } from "../../../store/index.ts";

/** What a finger that holds the microphone does: holds, and how far it has slid; or how it ended. */
export type Held = {
  phase: "held" | "released" | "locked" | "dropped";
  slidPx: number;
  liftedPx: number;
};

/** Null while no recording was begun by holding. */
export const held = createStore<Held | null>(null);
