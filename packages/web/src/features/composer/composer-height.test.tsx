import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../api/session-store.ts";
import { createFakeSocket } from "../../testing/fake-socket.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { composerServer } from "./testing/composer-server.ts";
import { field, renderComposer } from "./testing/render-composer.tsx";

vi.mock("socket.io-client", () => ({ io: () => createFakeSocket() }));

const ROW_PX = 21;

beforeEach(() => {
  startSession(givenToken("t"), givenUser());
  composerServer();
  // The test browser lays nothing out: a text is as high as its rows.
  vi.spyOn(HTMLTextAreaElement.prototype, "scrollHeight", "get").mockImplementation(function rowsPx(
    this: HTMLTextAreaElement,
  ) {
    return this.value.split("\n").length * ROW_PX;
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
