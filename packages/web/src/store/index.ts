import { useSyncExternalStore } from "react";

/** A value that lives outside the components and can be followed by them. */
export type Store<T> = Readonly<{
  get: () => T;
  /** Replaces the value. Subscribers are called unless it is the same one. */
  set: (next: T) => void;
  /** Calls `listener` after each change. Returns the function that stops it. */
  subscribe: (listener: () => void) => () => void;
}>;

/** For state that several screens share and the server does not know. Server data belongs in the query cache. */
export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The value of the store, or the part that `select` takes; renders again when that changes. */
export function useStore<T>(store: Store<T>): T;
export function useStore<T, Part>(store: Store<T>, select: (value: T) => Part): Part;
export function useStore<T>(store: Store<T>, select?: (value: T) => unknown): unknown {
  return useSyncExternalStore(store.subscribe, () => (select ? select(store.get()) : store.get()));
}
