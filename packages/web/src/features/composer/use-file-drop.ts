import type { RefObject } from "react";
import { useEffect, useRef, useState } from "react";

/** Where files hover, in the page's coordinates. */
export type DropZone = Readonly<{ top: number; left: number; width: number; height: number }>;

/**
 * Takes files that are dropped anywhere on the conversation around `ref` (its closest `[data-conversation]`, else its
 * parent). Gives the place to mark while files hover over it. A file dropped beside it does not replace the page.
 */
export function useFileDrop(
  ref: RefObject<HTMLElement | null>,
  onFiles: ((files: readonly File[]) => void) | null,
): DropZone | null {
  const [zone, setZone] = useState<DropZone | null>(null);
  const newest = useRef(onFiles);
  useEffect(() => {
    newest.current = onFiles;
  });

  useEffect(() => {
    const own = ref.current;
    const target = own?.closest<HTMLElement>("[data-conversation]") ?? own?.parentElement;
    if (!target) return undefined;
    // Entering a child comes before leaving its parent, so the difference says whether files are still over it.
    let depth = 0;
    const isOurs = (event: DragEvent): boolean => newest.current !== null && hasFiles(event);

    const onEnter = (event: DragEvent): void => {
      if (!isOurs(event)) return;
      event.preventDefault();
      depth += 1;
      const { top, left, width, height } = target.getBoundingClientRect();
      if (depth === 1) setZone({ top, left, width, height });
    };
    const onLeave = (event: DragEvent): void => {
      if (!isOurs(event)) return;
      depth = Math.max(0, depth - 1);
      if (depth === 0) setZone(null);
    };
    const onDrop = (event: DragEvent): void => {
      depth = 0;
      setZone(null);
      if (!isOurs(event)) return;
      event.preventDefault();
      newest.current?.([...(event.dataTransfer?.files ?? [])]);
    };
    const keepPage = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault();
    };

    target.addEventListener("dragenter", onEnter);
    target.addEventListener("dragleave", onLeave);
    target.addEventListener("drop", onDrop);
    window.addEventListener("dragover", keepPage);
    window.addEventListener("drop", keepPage);
    return () => {
      target.removeEventListener("dragenter", onEnter);
      target.removeEventListener("dragleave", onLeave);
      target.removeEventListener("drop", onDrop);
      window.removeEventListener("dragover", keepPage);
      window.removeEventListener("drop", keepPage);
    };
  }, [ref]);
  return zone;
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

/** The files of a paste. Text copied from a table or a document brings a picture of itself along, which is not meant. */
export function pastedFiles(data: DataTransfer): readonly File[] {
  const isText = data.types.includes("text/plain") && data.types.includes("text/html");
  return isText ? [] : [...data.files];
}
