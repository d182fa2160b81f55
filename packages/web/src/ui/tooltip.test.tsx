import { fireEvent, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { act } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { tip, TooltipHost } from "./tooltip.tsx";

const shown = () => document.querySelector("[role=tooltip]")?.textContent ?? null;
const later = (ms: number): void => act(() => void vi.advanceTimersByTime(ms));

beforeEach(() => {
  vi.useFakeTimers();
  rerender = render(page(true)).rerender;
});

let rerender: (page: ReactNode) => void;

const page = (withTransfer: boolean): ReactNode => (
  <>
    <TooltipHost />
    <button {...tip("Resolve", { keys: "Alt R" })}>
      <svg aria-label="sign" />
    </button>
    {withTransfer ? <button {...tip("Transfer")}>transfer</button> : null}
    <p>words</p>
  </>
);

afterEach(() => vi.useRealTimers());

const over = (element: Element, pointerType = "mouse") =>
  fireEvent.pointerOver(element, { pointerType });
const resolve = () => screen.getByLabelText("sign").closest("button") ?? document.body;
const transfer = () => screen.getByText("transfer");

describe("under the pointer", () => {
  test("it shows after a moment, with its keys, also over what is inside", () => {
    over(screen.getByLabelText("sign"));
    later(399);
    expect(shown()).toBeNull();
    later(1);
    expect(shown()).toBe("ResolveAlt R");
  });

  test("it goes with the pointer, and the next one has its own moment", () => {
    over(resolve());
    later(400);
    over(transfer());
    expect(shown()).toBeNull();
    later(400);
    expect(shown()).toBe("Transfer");
    over(screen.getByText("words"));
    expect(shown()).toBeNull();
  });

  test("pressing ends it until the pointer has been elsewhere", () => {
    over(resolve());
    later(400);
    fireEvent.pointerDown(resolve());
    expect(shown()).toBeNull();
    over(resolve());
    later(1_000);
    expect(shown()).toBeNull();
    over(screen.getByText("words"));
    over(resolve());
    later(400);
    expect(shown()).toBe("ResolveAlt R");
  });

  test("it does not cover what the button has opened, nor come for a button that has gone", () => {
    over(resolve());
    resolve().setAttribute("aria-expanded", "true");
    later(400);
    expect(shown()).toBeNull();
    over(transfer());
    rerender(page(false));
    later(400);
    expect(shown()).toBeNull();
  });

  test("a finger gets none", () => {
    over(resolve(), "touch");
    later(1_000);
    expect(shown()).toBeNull();
  });
});

test("the keyboard's focus shows it at once, and takes it away", () => {
  // Only a real browser knows whether the keyboard moved the focus.
  vi.spyOn(resolve(), "matches").mockReturnValue(true);
  act(() => resolve().focus());
  later(0);
  expect(shown()).toBe("ResolveAlt R");
  act(() => resolve().blur());
  expect(shown()).toBeNull();
});

test("a screen reader, which has the name already, hears nothing of it", () => {
  over(resolve());
  later(400);
  expect(document.querySelector("[role=tooltip]")?.getAttribute("aria-hidden")).toBe("true");
});
