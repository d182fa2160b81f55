export { openPalette, PaletteHost } from "./palette-host.tsx";
