import type { RefObject } from "react";
import { useEffect, useRef } from "react";

/** The value of the last render, for handlers that shall stay the same while it changes. */
export function useNewest<T>(value: T): RefObject<T> {
  const newest = useRef(value);
  useEffect(() => {
    newest.current = value;
  });
  return newest;
}
