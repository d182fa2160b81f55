import type { MouseEvent, ReactNode } from "react";
import { Suspense, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { LazyPart } from "./lazy-part.tsx";
import classes from "./on-demand.module.css";

type Props = {
  /** The part in `children`; its code is fetched when the pointer or the focus reaches the stand-in. */
  part: Pick<LazyPart<never>, "preload">;
  /** Looks like the real part and has buttons of the same names, without actions. */
  standIn: ReactNode;
  children: ReactNode;
};

/**
 * Buttons that open something: they render with the page, and the code of what they open is fetched on a press. The press is
 * then repeated on the real button of the same name, which also takes the focus.
 */
export function OnDemand({ part, standIn, children }: Props): ReactNode {
  const root = useRef<HTMLSpanElement>(null);
  const [pressed, setPressed] = useState<string | null>(null);
  const [hasCome, setHasCome] = useState(false);

  function press(event: MouseEvent): void {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (button && !button.disabled && !hasCome) setPressed(nameOf(button));
  }

  /** While both are rendered, the real one comes last. */
  function real(): HTMLButtonElement | undefined {
    const buttons = [...(root.current?.querySelectorAll("button") ?? [])];
    return buttons.findLast((button) => nameOf(button) === pressed);
  }

  function takeOver(): void {
    if (root.current?.contains(document.activeElement)) real()?.focus();
    setHasCome(true);
  }

  return (
    <span
      ref={root}
      className={classes["onDemand"]}
      onPointerOver={part.preload}
      onFocus={part.preload}
      onClick={press}
    >
      {hasCome ? null : standIn}
      {pressed === null ? null : (
        <Suspense fallback={null}>
          {children}
          <Come onCome={takeOver} onSettled={() => real()?.click()} />
        </Suspense>
      )}
    </span>
  );
}

/** Reports that the part is rendered, in the same frame, and again after its effects. */
function Come({ onCome, onSettled }: { onCome: () => void; onSettled: () => void }): null {
  const first = useRef({ onCome, onSettled });
  useLayoutEffect(() => first.current.onCome(), []);
  useEffect(() => first.current.onSettled(), []);
  return null;
}

function nameOf(button: HTMLButtonElement): string {
  return button.getAttribute("aria-label") ?? button.textContent;
}
