import { act, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { renderScreen } from "../testing/render.tsx";
import { offerUndo, undoOffer, UndoPlace } from "./undo.tsx";

const undo = vi.fn<() => Promise<void>>();

beforeEach(() => {
  undo.mockReset().mockResolvedValue();
});
afterEach(() => {
  vi.useRealTimers();
  undoOffer.set(null);
});

/** The page with a change that can be undone, and its clock. */
async function show(name = "Ana") {
  renderScreen(
    <main tabIndex={-1}>
      <input aria-label="Nota" />
      <UndoPlace />
    </main>,
  );
  act(() => offerUndo({ kind: "resolved", name, undo }));
  const first = await screen.findByRole("button", { name: "Desfazer" });
  // From now on the code is here: the second offer has the test's clock.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  act(() => undoOffer.set({ kind: "resolved", name, undo, id: -1 }));
  return { first, pass: (ms: number) => act(async () => vi.advanceTimersByTimeAsync(ms)) };
}

const button = () => screen.queryByRole("button", { name: "Desfazer" });

test("stands for six seconds, also under the pointer, and is announced", async () => {
  const { pass } = await show();
  const said = screen.getByText(/^Atendimento de Ana/);
  expect(said.getAttribute("role")).toBe("status");
  expect(said.textContent).toBe("Atendimento de Ana resolvido. Alt Z desfaz.");
  await userEvent.hover(said);
  await pass(5_900);
  expect(button()?.textContent).toBe("Desfazer1");
  await pass(200);
  expect(button()).toBeNull();
  expect(undo).not.toHaveBeenCalled();
});

test("when its time is over the focus goes to the page", async () => {
  const { pass } = await show();
  button()?.focus();
  await pass(6_000);
  expect(document.activeElement).toBe(screen.getByRole("main"));
});

test.each([
  ["Alt Z", "{Alt>}z{/Alt}", true, 1],
  ["Alt Z while a text is edited", "{Alt>}z{/Alt}", false, 1],
  ["Ctrl Z", "{Control>}z{/Control}", true, 1],
  ["⌘ Z", "{Meta>}z{/Meta}", true, 1],
  ["Ctrl Z in a text, which has an undo of its own", "{Control>}z{/Control}", false, 0],
  ["Ctrl Shift Z", "{Control>}{Shift>}z{/Shift}{/Control}", true, 0],
])("%s", async (_keys, keys, isOutside, times) => {
  await show();
  if (!isOutside) screen.getByLabelText("Nota").focus();
  await userEvent.keyboard(keys);
  expect(undo).toHaveBeenCalledTimes(times);
});
