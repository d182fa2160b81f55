/** `logoDark`: on dark ground, where a brand has another one for it. */
export const brandImageKinds = ["logo", "logoDark", "picture", "favicon"] as const;
export type BrandImageKind = (typeof brandImageKinds)[number];

/** The product's own name, for installations and hosts without a brand. */
export const PRODUCT_NAME = "Balcão";

/** Types of images, found by their content. None of them can hold scripts. */
export const brandImageTypes = ["image/png", "image/jpeg", "image/webp"] as const;

/** The largest file of each image. */
export const brandImageBytes: Readonly<Record<BrandImageKind, number>> = {
  logo: 262_144,
  logoDark: 262_144,
  picture: 1_048_576,
  favicon: 65_536,
};

export const colorSchemes = ["light", "dark"] as const;
export type ColorScheme = (typeof colorSchemes)[number];

/** The accent of the product without a brand. */
export const PRODUCT_COLOR = "#0d6b59";

/** The roles of ui.md section 1 that have the accent's hue, as the product has them without a brand. */
const own = {
  light: {
    acc: PRODUCT_COLOR,
    "acc-h": "#0a5648",
    "acc-ink": "#0b5c4c",
    "on-acc": "#ffffff",
    "acc-soft": "#e2f1ec",
    sel: "#eaf4f0",
    out: "#d9eee5",
  },
  dark: {
    acc: "#52c4a7",
    "acc-h": "#6dd3b9",
    "acc-ink": "#7ad8bf",
    "on-acc": "#05241c",
    "acc-soft": "#16332b",
    sel: "#17302a",
    out: "#174238",
  },
} as const;

export type BrandRole = keyof (typeof own)["light"];
export type BrandShades = Readonly<Record<ColorScheme, Readonly<Record<BrandRole, string>>>>;

/** The product's own colours. */
export const productShades: BrandShades = own;

/** The roles without the accent's hue that meet it: as grounds, and as texts on its soft grounds. */
export const neutralShades = {
  light: {
    grounds: {
      app: "#f5f4f1",
      surface: "#ffffff",
      surface2: "#faf9f7",
      canvas: "#f3f1ec",
      hover: "#f4f2ee",
    },
    texts: {
      ink: "#1b211f",
      ink2: "#535c58",
      ink3: "#626b66",
      ok: "#1c7340",
      warn: "#8a5200",
      bad: "#ad3328",
      info: "#2a5ca8",
      read: "#1a6fc0",
    },
  },
  dark: {
    grounds: {
      app: "#0e1211",
      surface: "#141917",
      surface2: "#191f1d",
      canvas: "#0d1110",
      hover: "#1a211e",
    },
    texts: {
      ink: "#e7ebe8",
      ink2: "#aab4af",
      ink3: "#8c9691",
      ok: "#74cf97",
      warn: "#e8b565",
      bad: "#f0958b",
      info: "#8db8f2",
      read: "#6db4f2",
    },
  },
} as const satisfies Record<ColorScheme, Record<"grounds" | "texts", Record<string, string>>>;

/** Contrast of text with its ground (WCAG 2.2, 1.4.3). */
export const TEXT_CONTRAST = 4.5;

const softRoles = ["acc-soft", "sel", "out"] as const;

/**
 * The accent's roles in the hue of a brand's colour (`#rrggbb`), for both schemes. Lightness changes as far as contrast asks
 * for it, so any colour can be chosen: every text has at least 4.5:1, or as much as in the product's own colours.
 */
export function brandShades(color: string): BrandShades {
  return { light: shadesOf("light", color), dark: shadesOf("dark", color) };
}

function shadesOf(scheme: ColorScheme, color: string): BrandShades[ColorScheme] {
  const brand = toOklch(color);
  const isLight = scheme === "light";
  const standard = own[scheme];
  const { texts } = neutralShades[scheme];
  const grounds = Object.values(neutralShades[scheme].grounds);
  /** How much more colour the brand has than the product. */
  const vividness = brand.chroma / toOklch(PRODUCT_COLOR).chroma;
  const tinted = (role: BrandRole, lightness?: number): Oklch => {
    const { lightness: usual, chroma } = toOklch(standard[role]);
    const part = Math.min(vividness, softRoles.some((soft) => soft === role) ? 1.25 : 2.5);
    return { lightness: lightness ?? usual, chroma: chroma * part, hue: brand.hue };
  };
  // Towards the ground's end of the scale for grounds, towards the other one for texts.
  const away = isLight ? -STEP : STEP;

  const soft = (role: (typeof softRoles)[number]): string =>
    fit(tinted(role), -away, (ground) =>
      Object.values(texts).every(
        (text) => contrast(text, ground) >= Math.min(TEXT_CONTRAST, contrast(text, standard[role])),
      ),
    );
  const [accSoft, sel, out] = [soft("acc-soft"), soft("sel"), soft("out")];
  const allGrounds = [...grounds, accSoft, sel, out];
  const isReadable = (text: string): boolean =>
    allGrounds.every((ground) => contrast(text, ground) >= TEXT_CONTRAST);

  // The brand's own colour where it can be read; never lighter in the dark than that asks for.
  const wish = isLight
    ? brand
    : tinted("acc", Math.max(toOklch(standard.acc).lightness, brand.lightness));
  const acc = fit(wish, away, (text) => isReadable(text) && (!isLight || isOnWhite(text)));
  const onAcc = isLight ? standard["on-acc"] : fit(tinted("on-acc"), -STEP, isOn(acc));
  const { lightness } = toOklch(acc);
  // Almost black cannot become darker, nor almost white lighter.
  const isAtEnd = isLight ? lightness < 0.25 : lightness > 0.93;
  const hover = fit(
    { ...toOklch(acc), lightness: lightness + (isAtEnd ? -1 : 1) * (isLight ? -0.07 : 0.05) },
    away,
    isOn(onAcc),
  );
  const inkWish = tinted("acc-ink", lightness + (isLight ? -0.05 : 0.06));
  return {
    acc,
    "acc-h": hover,
    "acc-ink": fit(inkWish, away, isReadable),
    "on-acc": onAcc,
    "acc-soft": accSoft,
    sel,
    out,
  };
}

const isOn =
  (ground: string) =>
  (text: string): boolean =>
    contrast(text, ground) >= TEXT_CONTRAST;
const isOnWhite = isOn("#ffffff");

/** Coordinates of the colour space OKLCH: lightness and chroma as eyes see them, hue in radians. */
type Oklch = { lightness: number; chroma: number; hue: number };

const STEP = 0.01;

/** The first shade that passes, lighter or darker in steps; at the end of the scale black or white. */
function fit(from: Oklch, step: number, passes: (hex: string) => boolean): string {
  for (let { lightness } = from; lightness > 0 && lightness < 1; lightness += step) {
    const hex = toHex({ ...from, lightness });
    if (passes(hex)) return hex;
  }
  return step < 0 ? "#000000" : "#ffffff";
}

/** The contrast of two colours, 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminance(hex: string): number {
  const [red, green, blue] = linearParts(hex);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

type Triple = readonly [number, number, number];

function linearParts(hex: string): Triple {
  const part = (at: number): number => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
}

// Björn Ottosson's matrices of OKLab, as CSS Color 4 has them.
function toOklch(hex: string): Oklch {
  const [r, g, b] = linearParts(hex);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const green = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const blue = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return {
    lightness: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    chroma: Math.hypot(green, blue),
    hue: Math.atan2(blue, green),
  };
}

/** With less chroma where a screen cannot show it. */
function toHex({ lightness, chroma, hue }: Oklch): string {
  let part = chroma;
  let parts = toLinear(lightness, part, hue);
  while (part > 0 && !parts.every((value) => value > -0.0005 && value < 1.0005)) {
    part = Math.max(0, part - 0.004);
    parts = toLinear(lightness, part, hue);
  }
  return `#${parts.map(toHexPart).join("")}`;
}

function toLinear(lightness: number, chroma: number, hue: number): Triple {
  const [green, blue] = [chroma * Math.cos(hue), chroma * Math.sin(hue)];
  const l = (lightness + 0.3963377774 * green + 0.2158037573 * blue) ** 3;
  const m = (lightness - 0.1055613458 * green - 0.0638541728 * blue) ** 3;
  const s = (lightness - 0.0894841775 * green - 1.291485548 * blue) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function toHexPart(linear: number): string {
  const value = Math.min(1, Math.max(0, linear));
  const part = value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
  return Math.round(part * 255)
    .toString(16)
    .padStart(2, "0");
}
