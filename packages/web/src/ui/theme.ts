import type { MantineColorsTuple, VariantColorsResolver } from "@mantine/core";
import { createTheme, defaultVariantColorsResolver } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { createElement } from "react";

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

/** The library's greys, used where it knows no role of ours: warm in light, green-black in dark. */
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
  activeClassName: "",
  // The library's transitions read this option; its style sheets read the attribute in index.html.
  respectReducedMotion: true,
  components: {
    Menu: {
      defaultProps: {
        transitionProps: { duration: 120 },
        withinPortal: true,
        // Without it a menu has an empty element that takes focus.
        withInitialFocusPlaceholder: false,
      },
    },
    // Label above, help below, and an error in its place (ui.md, Forms).
    InputWrapper: {
      defaultProps: { inputWrapperOrder: ["label", "input", "description", "error"] },
    },
    NativeSelect: {
      defaultProps: {
        rightSection: createElement(IconChevronDown, {
          size: 15,
          stroke: 1.7,
          "aria-hidden": true,
        }),
      },
    },
    Popover: { defaultProps: { transitionProps: { duration: 120 }, withinPortal: true } },
  },
});
