import type { CompanyId, ConnectionId } from "@balcao/contract";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";

type Change = { companyId: CompanyId; connectionId: ConnectionId; phone: string | null };

const GATHER_MS = 50;

/** Tells the simulator pages of a company what changed; many changes of a chat in a moment are one. */
export class Changes {
  readonly #realtime: Realtime;
  readonly #gathered = new Map<string, Change>();
  #timer: NodeJS.Timeout | undefined;

  constructor(realtime: Realtime) {
    this.#realtime = realtime;
  }

  /** `phone` null: the line itself. */
  notice(companyId: CompanyId, connectionId: ConnectionId, phone: string | null): void {
    this.#gathered.set(`${connectionId}:${phone ?? ""}`, { companyId, connectionId, phone });
    this.#timer ??= setTimeout(() => this.#publish(), GATHER_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#gathered.clear();
  }

  #publish(): void {
    this.#timer = undefined;
    const changes = [...this.#gathered.values()];
    this.#gathered.clear();
    for (const { companyId, connectionId, phone } of changes) {
      const audience = [rooms.admins(companyId)];
      this.#realtime.publish(companyId, "simulator", { connectionId, phone }, audience);
    }
  }
}
