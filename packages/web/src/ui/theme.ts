import type {
  CSSVariablesResolver,
  MantineColorScheme,
  MantineColorsTuple,
  VariantColorsResolver,
} from "@mantine/core";
import {
  createTheme,
  defaultVariantColorsResolver,
  localStorageColorSchemeManager,
} from "@mantine/core";

/** The accent's ten steps (ui.md section 1). */
const accent: MantineColorsTuple = [
  "#eef7f3",
  "#d9eee5",
  "#b3dccb",
  "#85c7ae",
  "#52c4a7",
  "#2c9a80",
  "#178069",
  "#0d6b59",
  "#0a5648",
  "#07423a",
];

/** The library's own greys, where it has no role of ours to ask: warm in light, green-black in dark. */
const gray: MantineColorsTuple = [
  "#faf9f7",
  "#f4f2ee",
  "#e8e5df",
  "#dfdbd3",
  "#d6d2c9",
  "#8f8b83",
  "#626b66",
  "#535c58",
  "#363d3a",
  "#1b211f",
];
const dark: MantineColorsTuple = [
  "#e7ebe8",
  "#aab4af",
  "#8c9691",
  "#59645f",
  "#36403b",
  "#232a27",
  "#1a211e",
  "#141917",
  "#101513",
  "#0e1211",
];

const FONTS =
  '"Inter Variable", "Noto Color Emoji", "Apple Color Emoji", "Segoe UI Emoji", system-ui, sans-serif';

/** Filled accent and `bad` buttons take their exact roles; the rest is the library's. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const isAccent = input.color === undefined || input.color === "accent";
  const border = "1px solid transparent";
  if (input.color === "bad") {
    return input.variant === "filled"
      ? { background: "var(--bc-bad)", hover: "var(--bc-bad-h)", color: "var(--bc-on-bad)", border }
      : { background: "transparent", hover: "var(--bc-bad-s)", color: "var(--bc-bad)", border };
  }
  if (isAccent && input.variant === "filled") {
    return {
      background: "var(--bc-acc)",
      hover: "var(--bc-acc-h)",
      color: "var(--bc-on-acc)",
      border,
    };
  }
  if (isAccent && input.variant === "light") {
    return {
      background: "var(--bc-acc-soft)",
      hover: "var(--bc-acc-soft)",
      color: "var(--bc-acc-ink)",
      border,
    };
  }
  return defaultVariantColorsResolver(input);
};

export const theme = createTheme({
  colors: { accent, gray, dark },
  primaryColor: "accent",
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  variantColorResolver,
  black: "#1b211f",
  fontFamily: FONTS,
  headings: { fontFamily: FONTS, fontWeight: "650" },
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "0.9375rem", xl: "1.125rem" },
  lineHeights: { xs: "1.33", sm: "1.38", md: "1.43", lg: "1.33", xl: "1.33" },
  spacing: { xs: "0.5rem", sm: "0.75rem", md: "1rem", lg: "1.25rem", xl: "2rem" },
  radius: { xs: "4px", sm: "6px", md: "8px", lg: "10px", xl: "14px" },
  defaultRadius: "md",
  shadows: {
    xs: "var(--bc-shadow-low)",
    sm: "var(--bc-shadow-low)",
    md: "var(--bc-shadow-high)",
    lg: "var(--bc-shadow-high)",
    xl: "var(--bc-shadow-high)",
  },
  cursorType: "pointer",
  focusRing: "auto",
  respectReducedMotion: true,
  activeClassName: "",
  components: {
    Menu: {
      defaultProps: {
        transitionProps: { duration: 120 },
        withinPortal: true,
        // An empty element that takes focus has no place in a menu.
        withInitialFocusPlaceholder: false,
      },
    },
    Popover: { defaultProps: { transitionProps: { duration: 120 }, withinPortal: true } },
  },
});

/** Names of the library for our roles; equal in both schemes because the roles themselves change. */
const roles = {
  "--mantine-color-body": "var(--bc-surface)",
  "--mantine-color-text": "var(--bc-ink)",
  "--mantine-color-bright": "var(--bc-ink)",
  "--mantine-color-dimmed": "var(--bc-ink2)",
  "--mantine-color-placeholder": "var(--bc-ink3)",
  "--mantine-color-error": "var(--bc-bad)",
  "--mantine-color-success": "var(--bc-ok)",
  "--mantine-color-anchor": "var(--bc-acc-ink)",
  "--mantine-color-default": "var(--bc-surface)",
  "--mantine-color-default-hover": "var(--bc-hover)",
  "--mantine-color-default-color": "var(--bc-ink)",
  "--mantine-color-default-border": "var(--bc-line2)",
  "--mantine-color-disabled": "var(--bc-hover)",
  "--mantine-color-disabled-color": "var(--bc-ink3)",
  "--mantine-color-disabled-border": "var(--bc-line)",
  "--mantine-primary-color-filled": "var(--bc-acc)",
  "--mantine-primary-color-filled-hover": "var(--bc-acc-h)",
  "--mantine-color-accent-filled": "var(--bc-acc)",
  "--mantine-color-accent-filled-hover": "var(--bc-acc-h)",
};

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: roles,
  dark: roles,
});

/** Also read by `index.html`, before any of this is loaded. */
const THEME_STORAGE_KEY = "balcao.theme";
export const DEFAULT_COLOR_SCHEME: MantineColorScheme = "auto";

/** Keeps the choice on this device and follows the other tabs. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: THEME_STORAGE_KEY });
