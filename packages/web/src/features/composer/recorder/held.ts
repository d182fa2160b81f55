import { createStore } from "../../../store/index.ts";

/** A recording that was begun by holding the microphone: its phase, and how far the finger has moved to the left and up. */
export type Held = {
  phase: "held" | "released" | "locked" | "dropped";
  slidPx: number;
  liftedPx: number;
};

/** Null while no recording was begun by holding. */
export const held = createStore<Held | null>(null);
