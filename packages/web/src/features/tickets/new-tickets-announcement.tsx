import type { Ticket } from "@balcao/contract";
import type { ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";

/** News come at most this often (ui.md section 5). */
const QUIET_MS = 5_000;

/** Says to screen readers how many tickets began to wait; nothing for the eye, which sees the list. */
export function NewTicketsAnnouncement({
  tickets,
}: {
  tickets: readonly Ticket[] | undefined;
}): ReactNode {
  const { t } = useTranslation();
  const known = useRef<ReadonlySet<number> | null>(null);
  const waiting = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [count, setCount] = useState(0);

  useEffect(() => {
    function speak(): void {
      setCount(waiting.current);
      waiting.current = 0;
      timer.current = setTimeout(() => {
        timer.current = undefined;
        if (waiting.current > 0) speak();
        else setCount(0);
      }, QUIET_MS);
    }

    if (tickets === undefined) return;
    const before = known.current;
    known.current = new Set(tickets.map((ticket) => ticket.id));
    if (before === null) return;
    // Those above the first known one are new; the ones below it were loaded by scrolling.
    const firstKnown = tickets.findIndex((ticket) => before.has(ticket.id));
    if (firstKnown !== -1) waiting.current += firstKnown;
    else if (before.size === 0) waiting.current += tickets.length;
    if (waiting.current > 0 && timer.current === undefined) speak();
  }, [tickets]);
  useEffect(() => () => clearTimeout(timer.current), []);

  return (
    <p className="bc-hidden-text" aria-live="polite">
      {count > 0 ? t("tickets.newWaiting", { count }) : ""}
    </p>
  );
}
