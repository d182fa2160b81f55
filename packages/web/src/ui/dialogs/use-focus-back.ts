import { useEffect, useRef } from "react";

/**
 * Gives the focus back to the opener of a dialog that is taken away while it is open, which the library does only for one
 * that is closed first. Where the opener has gone with what was done, the page's content takes it.
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
