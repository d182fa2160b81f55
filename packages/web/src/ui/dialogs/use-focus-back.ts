import { useEffect, useRef } from "react";

/**
 * Returns the focus to the opener of a dialog that is unmounted while open; the library does this only for a dialog that is
 * closed first. When the opener no longer exists, the page's content gets the focus.
 */
export function useFocusBack(opened: boolean): void {
  const isOpen = useRef(opened);
  useEffect(() => {
    isOpen.current = opened;
  });
  useEffect(() => {
    const opener = document.activeElement;
    return () => {
      const isLost = document.activeElement === null || document.activeElement === document.body;
      if (!isOpen.current || !isLost) return;
      const target = opener?.isConnected === true ? opener : document.querySelector("main");
      if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    };
  }, []);
}
