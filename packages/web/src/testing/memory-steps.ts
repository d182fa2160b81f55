import type { Location, Steps } from "../router/index.tsx";
import { createStore } from "../store/index.ts";

/** A history in memory for tests. */
export function memorySteps(at: string | { pathname: string; state: unknown }): Steps {
  let key = 0;
  const locationOf = (to: string, state: unknown): Location => {
    const { pathname, search } = new URL(to, "http://localhost");
    key += 1;
    return { pathname, search, state, key: String(key) };
  };
  const start = typeof at === "string" ? locationOf(at, null) : locationOf(at.pathname, at.state);
  const location = createStore(start);
  const before: Location[] = [];
  const replace = (to: string, state: unknown): void => location.set(locationOf(to, state));
  return {
    current: location.get,
    push(to, state) {
      before.push(location.get());
      replace(to, state);
    },
    replace,
    back() {
      const { pathname, search, state } = before.pop() ?? start;
      replace(pathname + search, state);
    },
    listen: location.subscribe,
  };
}
