import { expect, test } from "vitest";
import { shortcutOf } from "./shortcuts.ts";

const none = { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false };

function meaning(event: Partial<typeof none> & { code: string }): string | null {
  const calls: string[] = [];
  shortcutOf({ ...none, ...event })?.({
    onTab: (tab) => calls.push(`tab ${tab}`),
    onStep: (by) => calls.push(`step ${by}`),
    onAccept: () => calls.push("accept"),
    onResolve: () => calls.push("resolve"),
    onTransfer: () => calls.push("transfer"),
    onContact: () => calls.push("contact"),
    onSchedule: () => calls.push("schedule"),
  });
  return calls[0] ?? null;
}

test.each([
  ["ArrowDown", "step 1"],
  ["ArrowUp", "step -1"],
  ["Digit1", "tab open"],
  ["Digit2", "tab pending"],
  ["Numpad3", "tab closed"],
  ["KeyA", "accept"],
  ["KeyR", "resolve"],
  ["KeyT", "transfer"],
  ["KeyI", "contact"],
  ["KeyS", "schedule"],
  ["KeyD", null],
  ["ArrowLeft", null],
])("Alt and %s: %s", (code, expected) => {
  expect(meaning({ altKey: true, code })).toBe(expected);
});

test("only Alt alone is a shortcut, not AltGr or keys of the browser", () => {
  expect(meaning({ code: "KeyA" })).toBeNull();
  expect(meaning({ altKey: true, ctrlKey: true, code: "KeyA" })).toBeNull();
  expect(meaning({ altKey: true, metaKey: true, code: "ArrowUp" })).toBeNull();
  expect(meaning({ altKey: true, shiftKey: true, code: "Digit1" })).toBeNull();
});
