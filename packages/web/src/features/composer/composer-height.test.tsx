import { userEvent } from "@testing-library/user-event";
import { waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../api/session-store.ts";
import { createFakeSocket } from "../../testing/fake-socket.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { composerServer } from "./testing/composer-server.ts";
import { field, renderComposer } from "./testing/render-composer.tsx";

vi.mock("../../realtime/socket.ts", () => ({ openSocket: () => createFakeSocket() }));

const ROW_PX = 21;
const WIDE = 40;

let charactersPerRow = WIDE;
const observers = new Set<() => void>();

/** Sets the width of the field without a render. */
function resizeTo(characters: number): void {
  charactersPerRow = characters;
  for (const tell of observers) tell();
}

beforeEach(() => {
  startSession(givenToken("t"), givenUser());
  composerServer();
  charactersPerRow = WIDE;
  observers.clear();
  vi.stubGlobal(
    "ResizeObserver",
    class {
      #tell: () => void;
      constructor(tell: () => void) {
        this.#tell = tell;
      }
      observe = () => observers.add(this.#tell);
      unobserve = () => undefined;
      disconnect = () => observers.delete(this.#tell);
    },
  );
  // The test browser has no layout: the height is the number of rows.
  vi.spyOn(HTMLTextAreaElement.prototype, "clientWidth", "get").mockImplementation(
    () => charactersPerRow,
  );
  vi.spyOn(HTMLTextAreaElement.prototype, "scrollHeight", "get").mockImplementation(function rowsPx(
    this: HTMLTextAreaElement,
  ) {
    const rows = this.value.split("\n").map(({ length }) => Math.ceil(length / charactersPerRow));
    return rows.reduce((sum, count) => sum + Math.max(1, count), 0) * ROW_PX;
  });
});

afterEach(() => vi.restoreAllMocks());

test("the field grows with its text up to 5 rows, then it scrolls", async () => {
  renderComposer();
  field().style.lineHeight = `${ROW_PX}px`;
  const seen: string[] = [];
  for (let row = 1; row <= 7; row += 1) {
    await userEvent.type(field(), row === 1 ? "x" : "{Shift>}{Enter}{/Shift}x");
    seen.push(`${Number.parseFloat(field().style.height) / ROW_PX} ${field().style.overflowY}`);
  }
  expect(seen).toEqual([
    ...["1 hidden", "2 hidden", "3 hidden", "4 hidden", "5 hidden"],
    ...["5 auto", "5 auto"],
  ]);
});

test("the height follows when a narrower field wraps the text", async () => {
  renderComposer();
  field().style.lineHeight = `${ROW_PX}px`;
  await userEvent.type(field(), "x".repeat(WIDE));
  expect(field().style.height).toBe(`${ROW_PX}px`);
  resizeTo(WIDE / 4);
  await waitFor(() => expect(field().style.height).toBe(`${4 * ROW_PX}px`));
  resizeTo(WIDE);
  await waitFor(() => expect(field().style.height).toBe(`${ROW_PX}px`));
});
