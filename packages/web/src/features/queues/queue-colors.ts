/** Ten hues in five steps from light to dark: the palette of queues (spec 9). */
const queueHues = {
  red: ["#ffaba3", "#fd736d", "#da534f", "#b63132", "#940015"],
  orange: ["#fdb081", "#ed8641", "#ca6719", "#a14f09", "#783905"],
  yellow: ["#eabe4a", "#c99e1e", "#a58108", "#826404", "#604a02"],
  lime: ["#b4d35c", "#95b338", "#789301", "#5d7303", "#445503"],
  green: ["#77de96", "#56bd78", "#329d5a", "#067e3f", "#015d2d"],
  teal: ["#6fd9d0", "#4cb9b0", "#229991", "#027972", "#0a5954"],
  blue: ["#95cafc", "#55abf7", "#328bd6", "#006cb4", "#055085"],
  purple: ["#c8b7ff", "#ad8dfd", "#8f6edb", "#7250ba", "#563199"],
  pink: ["#ffa3cf", "#f072b3", "#cd5394", "#ab3276", "#8a085a"],
  grey: ["#c0c6c2", "#a0a6a3", "#828884", "#656a67", "#494e4b"],
} as const;

export const colorSteps = ["lightest", "light", "middle", "dark", "darkest"] as const;

export type PaletteColor = {
  hex: string;
  hue: keyof typeof queueHues;
  step: (typeof colorSteps)[number];
};

/** The palette in its order: hue by hue, each from light to dark. */
export const palette: readonly PaletteColor[] = (
  Object.keys(queueHues) as (keyof typeof queueHues)[]
) // the table's own keys
  .flatMap((hue) =>
    colorSteps.map((step, index) => ({ hue, step, hex: queueHues[hue][index] ?? "" })),
  );

const COLOR = /^#([\da-f]{3}|[\da-f]{6})$/i;

export function isColor(text: string): boolean {
  return COLOR.test(text.trim());
}

/** One way of writing for each colour: `#ABC` is `#aabbcc`. */
export function normalColor(text: string): string {
  const hex = text.trim().toLowerCase();
  const short = /^#([\da-f])([\da-f])([\da-f])$/.exec(hex);
  if (!short) return hex;
  return `#${short
    .slice(1)
    .map((digit) => digit + digit)
    .join("")}`;
}

/** The first middle tone that no queue has; any when all are taken. */
export function freeColor(taken: readonly string[]): string {
  const used = new Set(taken.map(normalColor));
  const middles = palette.filter(({ step }) => step === "middle");
  const free = [...middles, ...palette].find(({ hex }) => !used.has(hex));
  return (free ?? middles[0])?.hex ?? "";
}
