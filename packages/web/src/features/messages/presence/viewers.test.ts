import { expect, test } from "vitest";
import { createViewers } from "./viewers.tsx";

type ViewersEvent = Parameters<ReturnType<typeof createViewers>["note"]>[0];

function event(user: string, state: ViewersEvent["state"], windowId = user): ViewersEvent {
  const ids: Record<string, number> = { Ana: 1, Bruno: 2 };
  const json: unknown = { ticketId: 1, user: { id: ids[user], name: user }, windowId, state };
  return json as ViewersEvent;
}

const shown = (viewers: ReturnType<typeof createViewers>, ticketId = 1): string[] =>
  viewers.of(ticketId).map((one) => `${one.user.name} ${one.state}`);

test("colleagues are sorted by name, with their activity", () => {
  const viewers = createViewers();
  expect(viewers.note(event("Bruno", "typing"), 0)).toBe(true);
  expect(viewers.note(event("Ana", "viewing"), 0)).toBe(true);
  expect(shown(viewers)).toEqual(["Ana viewing", "Bruno typing"]);
  expect(shown(viewers, 2)).toEqual([]);
});

test("a heartbeat without a change keeps the same list", () => {
  const viewers = createViewers();
  viewers.note(event("Ana", "viewing"), 0);
  const before = viewers.of(1);
  expect(viewers.note(event("Ana", "viewing"), 20_000)).toBe(false);
  expect(viewers.of(1)).toBe(before);
});

test("the busier one of two windows of a user counts, and a closed window removes only itself", () => {
  const viewers = createViewers();
  viewers.note(event("Ana", "viewing", "a"), 0);
  viewers.note(event("Ana", "typing", "b"), 0);
  expect(shown(viewers)).toEqual(["Ana typing"]);
  viewers.note(event("Ana", "left", "b"), 0);
  expect(shown(viewers)).toEqual(["Ana viewing"]);
  viewers.note(event("Ana", "left", "a"), 0);
  expect(shown(viewers)).toEqual([]);
});

test("a silent window is dropped after 45 s, not sooner", () => {
  const viewers = createViewers();
  viewers.note(event("Ana", "viewing"), 1_000);
  viewers.note(event("Bruno", "viewing"), 21_000);
  expect(viewers.forget(45_999)).toBe(46_000);
  expect(shown(viewers)).toEqual(["Ana viewing", "Bruno viewing"]);
  expect(viewers.forget(46_000)).toBe(66_000);
  expect(shown(viewers)).toEqual(["Bruno viewing"]);
  expect(viewers.forget(66_000)).toBeNull();
});

test("a window that opens another ticket leaves this one", () => {
  const viewers = createViewers();
  viewers.note(event("Ana", "viewing"), 0);
  expect(
    viewers.note({ ...event("Ana", "viewing"), ticketId: 2 as ViewersEvent["ticketId"] }, 0),
  ).toBe(true);
  expect(shown(viewers)).toEqual([]);
  expect(shown(viewers, 2)).toEqual(["Ana viewing"]);
});
