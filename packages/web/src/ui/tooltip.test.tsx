import { fireEvent, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { act } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { tip } from "./tooltip.tsx";
import { TooltipHost } from "./tooltip-host.tsx";

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
  test("it shows after a delay, with its keys, also over child elements", () => {
    over(screen.getByLabelText("sign"));
    later(399);
    expect(shown()).toBeNull();
    later(1);
    expect(shown()).toBe("ResolveAlt R");
  });

  test("it hides when the pointer leaves, and the next one has its own delay", () => {
    over(resolve());
    later(400);
    over(transfer());
    expect(shown()).toBeNull();
    later(400);
    expect(shown()).toBe("Transfer");
    over(screen.getByText("words"));
    expect(shown()).toBeNull();
  });

  test("a press hides it until the pointer leaves and returns", () => {
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

  test("it does not show over an opened menu, nor for a removed button", () => {
    over(resolve());
    resolve().setAttribute("aria-expanded", "true");
    later(400);
    expect(shown()).toBeNull();
    over(transfer());
    rerender(page(false));
    later(400);
    expect(shown()).toBeNull();
  });

  test("touch shows no tooltip", () => {
    over(resolve(), "touch");
    later(1_000);
    expect(shown()).toBeNull();
  });
});

test("keyboard focus shows it at once, and blur hides it", () => {
  // Only a real browser knows whether the keyboard moved the focus.
  vi.spyOn(resolve(), "matches").mockReturnValue(true);
  act(() => resolve().focus());
  later(0);
  expect(shown()).toBe("ResolveAlt R");
  act(() => resolve().blur());
  expect(shown()).toBeNull();
});

test("it is hidden from screen readers", () => {
  over(resolve());
  later(400);
  expect(document.querySelector("[role=tooltip]")?.getAttribute("aria-hidden")).toBe("true");
});
