import { limits } from "@balcao/contract/limits";
import { useMediaQuery } from "@mantine/hooks";
import { useRef, useState } from "react";

/** Also kept out of the clean-up at sign-out: it is a choice of the device. */
const STORAGE_KEY = "balcao.drawer";

/**
 * `open` and `rail` take room beside the page, `over` lies on it, `hidden` is away (ui.md section 2).
 */
type DrawerForm = "open" | "rail" | "over" | "hidden";

export type DrawerState = {
  form: DrawerForm;
  /** Whether a 60 px rail keeps its room while the drawer lies over the page. */
  hasRail: boolean;
  toggle: () => void;
  close: () => void;
};

/** How the drawer stands at this width, with the choice for wide screens kept on this device. */
export function useDrawerState(): DrawerState {
  const isWide = useMediaQuery(`(min-width: ${limits.drawerOpenAbovePx + 1}px)`, true, {
    getInitialValueInEffect: false,
  });
  const isNarrow = useMediaQuery(`(max-width: ${limits.drawerOverlayBelowPx - 1}px)`, false, {
    getInitialValueInEffect: false,
  });
  const [isCollapsed, setCollapsed] = useState(() => localStorage.getItem(STORAGE_KEY) === "rail");
  const [isOver, setOver] = useState(false);
  const opener = useRef<Element | null>(null);

  function formNow(): DrawerForm {
    if (isWide) return isCollapsed ? "rail" : "open";
    if (isOver) return "over";
    return isNarrow ? "hidden" : "rail";
  }

  return {
    form: formNow(),
    hasRail: !isWide && !isNarrow,
    toggle() {
      if (!isWide) {
        opener.current = document.activeElement;
        setOver(!isOver);
        return;
      }
      localStorage.setItem(STORAGE_KEY, isCollapsed ? "open" : "rail");
      setCollapsed(!isCollapsed);
    },
    close() {
      if (!isOver) return;
      setOver(false);
      // After the page below takes focus again.
      requestAnimationFrame(() => {
        if (opener.current instanceof HTMLElement) opener.current.focus();
      });
    },
  };
}
