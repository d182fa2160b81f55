export { openPalette } from "./opening.ts";
export { PaletteHost } from "./palette-host.tsx";
