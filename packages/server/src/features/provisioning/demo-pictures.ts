import sharp from "sharp";

type Colour = readonly [red: number, green: number, blue: number];
/** The colour of a place, both coordinates from 0 to 1. */
type Painting = (x: number, y: number) => Colour;

const DRESS = { width: 900, height: 1200 };
const LABEL = { width: 1000, height: 750 };

/** A long dress on a hanger, in front of a wall. */
export const dressPicture = (): Promise<Uint8Array> => paint(DRESS, dress);

/** The label of a blouse, with its bars. */
export const labelPicture = (): Promise<Uint8Array> => paint(LABEL, label);

async function paint(
  { width, height }: { width: number; height: number },
  colourOf: Painting,
): Promise<Uint8Array> {
  const pixels = Buffer.alloc(width * height * 3);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const colour = colourOf(column / width, row / height);
      pixels.set(colour, (row * width + column) * 3);
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .blur(1.2)
    .jpeg({ quality: 84 })
    .toBuffer();
}

const shade = ([red, green, blue]: Colour, light: number): Colour => [
  Math.min(255, red * light),
  Math.min(255, green * light),
  Math.min(255, blue * light),
];

const wall: Colour = [232, 221, 208];
const floor: Colour = [183, 156, 132];
const wood: Colour = [122, 92, 68];
const cloth: Colour = [47, 143, 107];

function dress(x: number, y: number): Colour {
  const aside = Math.abs(x - 0.5);
  if (Math.abs(y - 0.11) < 0.006 && aside < 0.38) return wood;
  if (aside < 0.006 && y > 0.11 && y < 0.17) return wood;
  if (aside < widthOfDress(y)) {
    const folds = 0.12 * Math.sin((x - 0.5) * (60 - 30 * y));
    const roundness = 1.12 - 0.5 * (aside / widthOfDress(y)) ** 2;
    const belt = Math.abs(y - 0.36) < 0.014 ? 0.72 : 1;
    return shade(cloth, (roundness + (y > 0.38 ? folds : 0)) * belt);
  }
  if (y > 0.92) return shade(floor, 1.05 - 0.2 * aside);
  return shade(wall, 1.06 - 0.16 * y - 0.1 * aside);
}

/** Half of it: shoulders, waist, a skirt that opens. */
function widthOfDress(y: number): number {
  if (y < 0.17 || y > 0.88) return 0;
  if (y < 0.36) return 0.13 - 0.16 * (y - 0.17);
  return 0.1 + 0.3 * (y - 0.36) ** 0.85;
}

const table: Colour = [96, 122, 146];
const paper: Colour = [250, 246, 238];
const ink: Colour = [38, 34, 30];

function label(x: number, y: number): Colour {
  // It lies a little askew.
  const [u, v] = [x + 0.12 * (y - 0.5), y - 0.12 * (x - 0.5)];
  const isPaper = u > 0.22 && u < 0.78 && v > 0.2 && v < 0.8;
  if (!isPaper) return shade(table, 1.08 - 0.25 * y + 0.03 * Math.sin(90 * x + 40 * y));
  if ((u - 0.5) ** 2 + (0.75 * (v - 0.27)) ** 2 < 0.0004) return table;
  if (v > 0.35 && v < 0.4 && u > 0.28 && u < 0.58) return cloth;
  if ((Math.abs(v - 0.45) < 0.012 || Math.abs(v - 0.5) < 0.012) && u > 0.28 && u < 0.52) {
    return shade(paper, 0.7);
  }
  if (v > 0.57 && v < 0.73 && u > 0.28 && u < 0.72) return isBar(u) ? ink : paper;
  return shade(paper, 1.02 - 0.08 * v);
}

const bars = "1011001110100010111001011010011100101110010110";

function isBar(u: number): boolean {
  return bars[Math.floor(((u - 0.28) / 0.44) * bars.length)] === "1";
}
