import type { CSSProperties, ReactNode } from "react";
import classes from "./app-avatar.module.css";

type Props = {
  name: string;
  /** Decides the hue, which is the same on every screen. */
  id: number | string;
  /** Diameter in px; default 42. */
  size?: number;
};

/** First letters of the first two words, as they are written. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/).slice(0, 2);
  return words.map((word) => Array.from(word)[0] ?? "").join("");
}

/** The golden angle: repeated turns leave the largest gaps between neighbouring hues. */
const GOLDEN_ANGLE_DEGREES = 137.508;

/** A hue in degrees: the same for the same id, and far apart for ids that follow each other. */
export function hueOf(id: number | string): number {
  const turns = typeof id === "number" ? id : hashOf(id) % 100_000;
  return Math.round(turns * GOLDEN_ANGLE_DEGREES) % 360;
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 2_166_136_261;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619);
  return hash >>> 0;
}

/** The initials of a person without a photo. Decorative: the name always stands beside it. */
export function AppAvatar({ name, id, size = 42 }: Props): ReactNode {
  const style: CSSProperties & Record<`--${string}`, string | number> = {
    "--size": `${size}px`,
    "--hue": hueOf(id),
  };
  return (
    <span className={classes["avatar"]} style={style} aria-hidden="true">
      {initials(name)}
    </span>
  );
}
