import type { ReactNode } from "react";
import { Suspense, useEffect } from "react";
import { LazyScheduleDialog } from "../schedules/index.ts";

type Props = {
  contact: { id: number; name: string };
  /** What was being written. */
  text: string;
  onClose: () => void;
};

/** The dialog that sends something later, while mounted. */
export function ScheduleHost({ contact, text, onClose }: Props): ReactNode {
  useFocusLoan();
  return (
    <Suspense fallback={null}>
      <LazyScheduleDialog contact={contact} initialText={text} onClose={onClose} />
    </Suspense>
  );
}

/** Whoever has the focus when this is mounted gets it back afterwards: the dialog goes before it could do so itself. */
function useFocusLoan(): void {
  useEffect(() => {
    const lender = lenderOf(document.activeElement);
    return () => {
      if (lender?.isConnected) lender.focus({ preventScroll: true });
    };
  }, []);
}

/** The entry of a menu goes with its menu; the menu's button stays. */
function lenderOf(element: Element | null): HTMLElement | null {
  const menu = element?.closest('[role="menu"]');
  const lender = menu
    ? document.querySelector(`#${CSS.escape(menu.getAttribute("aria-labelledby") ?? "")}`)
    : element;
  return lender instanceof HTMLElement ? lender : null;
}
