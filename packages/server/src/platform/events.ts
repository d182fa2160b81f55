import type { Ctx } from "./context.ts";
import type { Tx } from "./db/database.ts";

/**
 * The domain events by name, with their payloads. A feature declares its own beside the code that publishes them:
 * `declare module "../../platform/events.ts" { interface EventPayloads { "tag.removed": { tagId: TagId } } }`.
 */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- filled by the features
export interface EventPayloads {}

export type EventName = keyof EventPayloads;

export type DomainEvents = {
  /**
   * Subscribes inside the publisher's transaction. Subscribers run one after the other, in the order in which `app.ts`
   * creates their features; one that throws rolls the transaction back.
   */
  on<Name extends EventName>(
    name: Name,
    react: (ctx: Ctx, tx: Tx, payload: EventPayloads[Name]) => Promise<void>,
  ): void;
  /** Subscribes after the commit: live events, wake-ups. An error is logged and harms nobody else (`tx.onCommit`). */
  afterCommit<Name extends EventName>(
    name: Name,
    react: (ctx: Ctx, payload: EventPayloads[Name]) => void,
  ): void;
  /** Resolves when the subscribers inside the transaction are done. */
  publish<Name extends EventName>(
    tx: Tx,
    ctx: Ctx,
    name: Name,
    payload: EventPayloads[Name],
  ): Promise<void>;
};

/** The subscribers of one application: features meet here without knowing each other. */
export function createDomainEvents(): DomainEvents {
  const subscribers = new Map<EventName, ((ctx: Ctx, tx: Tx, payload: never) => Promise<void>)[]>();
  const on: DomainEvents["on"] = (name, react) => {
    subscribers.set(name, [...(subscribers.get(name) ?? []), react]);
  };
  return {
    on,
    afterCommit: (name, react) =>
      on(name, async (ctx, tx, payload) => tx.onCommit(() => react(ctx, payload))),
    async publish(tx, ctx, name, payload) {
      // `on` has stored only subscribers of this name's payload under the name.
      for (const react of subscribers.get(name) ?? []) await react(ctx, tx, payload as never);
    },
  };
}
