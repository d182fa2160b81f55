export { openPalette } from "./palette-host.tsx";
export { PaletteHost } from "./palette-host.tsx";
