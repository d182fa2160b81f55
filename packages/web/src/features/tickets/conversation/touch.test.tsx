import { fireEvent, render } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { TouchGestures } from "./touch.tsx";

const at = (x: number, y: number, more = {}) => ({
  ...{ pointerType: "touch", isPrimary: true, pointerId: 1, clientX: x, clientY: y, ...more },
});

function setUp() {
  const onStep = vi.fn<(by: 1 | -1) => void>();
  const shown = render(
    <>
      <TouchGestures onStep={onStep} />
      <section data-conversation="">
        <p>Bom dia</p>
        <form>Mensagem</form>
      </section>
      <p>Lista</p>
    </>,
  );
  const pane = shown.container.querySelector<HTMLElement>("section")!;
  const swipe = (from: Element, ...points: ReturnType<typeof at>[]) => {
    const [first, ...rest] = points;
    fireEvent.pointerDown(from, first);
    for (const point of rest) fireEvent.pointerMove(from, point);
    fireEvent.pointerUp(from, points.at(-1));
  };
  return { onStep, swipe, pane, message: shown.getByText("Bom dia"), shown };
}

test("a swipe to the left opens the next ticket, to the right the one before, and the pane follows the finger", () => {
  const { onStep, swipe, message, pane } = setUp();
  swipe(message, at(300, 400), at(270, 402), at(200, 405));
  expect(onStep.mock.calls).toEqual([[1]]);
  swipe(message, at(100, 400), at(150, 402), at(190, 405));
  expect(onStep.mock.calls).toEqual([[1], [-1]]);
  fireEvent.pointerDown(message, at(300, 400));
  fireEvent.pointerMove(message, at(200, 400));
  expect(pane.style.translate).toBe("-35px");
  fireEvent.pointerCancel(message, at(200, 400));
  expect(pane.style.translate).toBe("");
  expect(onStep).toHaveBeenCalledTimes(2);
});

test.each([
  ["is short", [at(300, 400), at(270, 400), at(240, 400)]],
  ["scrolls", [at(300, 400), at(260, 330), at(180, 200)]],
  ["begins at the edge of the screen", [at(10, 400), at(90, 400), at(190, 400)]],
  ["is of a mouse", [at(300, 400, { pointerType: "mouse" }), at(100, 400)]],
  ["is of a second finger", [at(300, 400, { isPrimary: false }), at(100, 400)]],
])("a movement that %s changes nothing", (_, points) => {
  const { onStep, swipe, message, pane } = setUp();
  swipe(message, ...points);
  expect(onStep).not.toHaveBeenCalled();
  expect(pane.style.translate).toBe("");
});

test("the composer, other parts of the page, and text that is being chosen keep their gestures", () => {
  const { onStep, swipe, message, shown } = setUp();
  for (const place of ["Mensagem", "Lista"]) {
    swipe(shown.getByText(place), at(300, 400), at(200, 400), at(150, 400));
  }
  document.getSelection()?.selectAllChildren(message);
  swipe(message, at(300, 400), at(200, 400), at(150, 400));
  document.getSelection()?.removeAllRanges();
  expect(onStep).not.toHaveBeenCalled();
});

test("a keyboard that lies over the page makes its frame as high as what is seen", () => {
  const seen = Object.assign(new EventTarget(), { height: 768, scale: 1 });
  vi.stubGlobal("visualViewport", seen);
  vi.stubGlobal("scrollTo", vi.fn());
  const { shown } = setUp();
  const height = () => document.documentElement.style.getPropertyValue("--bc-seen-height");
  const becomes = (px: number, scale = 1) => {
    Object.assign(seen, { height: px, scale });
    seen.dispatchEvent(new Event("resize"));
  };
  becomes(window.innerHeight - 300);
  expect(height()).toBe(`${window.innerHeight - 300}px`);
  becomes(window.innerHeight - 60);
  expect(height()).toBe("");
  // Zoomed in by two fingers.
  becomes(window.innerHeight - 300, 2);
  expect(height()).toBe("");
  becomes(window.innerHeight - 300);
  shown.unmount();
  expect(height()).toBe("");
  vi.unstubAllGlobals();
});
