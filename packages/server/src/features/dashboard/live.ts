import type { CompanyId } from "@balcao/contract";
import type { DomainEvents } from "../../platform/events.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";

/** The event is sent at most once in this time for each company and process. */
const EVERY_MS = 2_000;

/**
 * Tells viewers of the dashboard that "now" has changed: at once, and once more after the last change. The event has no figures, because each
 * screen has its own filter; a company where nothing happens sends nothing.
 */
export function createFiguresNews({
  domainEvents,
  realtime,
}: {
  domainEvents: DomainEvents;
  realtime: Realtime;
}): { close(): void } {
  const pauses = new Map<CompanyId, { timer: ReturnType<typeof setTimeout>; isChanged: boolean }>();

  function tell(companyId: CompanyId): void {
    realtime.publish(companyId, "figures", { action: "update" }, [
      rooms.holders(companyId, "dashboard:view"),
    ]);
    const timer = setTimeout(() => {
      const isChanged = pauses.get(companyId)?.isChanged === true;
      pauses.delete(companyId);
      if (isChanged) tell(companyId);
    }, EVERY_MS);
    timer.unref();
    pauses.set(companyId, { timer, isChanged: false });
  }

  function changed({ companyId }: { companyId: CompanyId }): void {
    const pause = pauses.get(companyId);
    if (pause) pause.isChanged = true;
    else tell(companyId);
  }

  domainEvents.afterCommit("ticket.changed", changed);
  domainEvents.afterCommit("ticket.updated", changed);
  domainEvents.afterCommit("ticket.removed", changed);
  domainEvents.afterCommit("message.stored", (ctx, { isHistory }) => {
    if (!isHistory) changed(ctx);
  });
  return {
    close() {
      for (const { timer } of pauses.values()) clearTimeout(timer);
      pauses.clear();
    },
  };
}
