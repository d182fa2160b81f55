import { useEffect, useState } from "react";

/** Whether a key or the pointer was used since this was mounted: a screen that only shows need not ask for what helps to work. */
export function useIsTouched(): boolean {
  const [isTouched, setIsTouched] = useState(false);
  useEffect(() => {
    const touch = (): void => setIsTouched(true);
    const options = { capture: true, once: true };
    document.addEventListener("keydown", touch, options);
    document.addEventListener("pointerdown", touch, options);
    return () => {
      document.removeEventListener("keydown", touch, options);
      document.removeEventListener("pointerdown", touch, options);
    };
  }, []);
  return isTouched;
}
