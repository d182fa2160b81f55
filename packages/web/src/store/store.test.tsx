import { act, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, test, vi } from "vitest";
import {
  createSessionStore,
  endSession,
  renewSession,
  startSession,
} from "../api/session-store.ts";
import { givenUser } from "../testing/given.ts";
import { createStore, useStore } from "./index.ts";

afterEach(() => endSession("logout"));

test("subscribers are called after a change, not for the same value and not after they unsubscribed", () => {
  const store = createStore(1);
  const listener = vi.fn<() => void>();
  const stop = store.subscribe(listener);
  store.set(2);
  store.set(2);
  expect([store.get(), listener.mock.calls.length]).toEqual([2, 1]);
  stop();
  store.set(3);
  expect(listener).toHaveBeenCalledTimes(1);
});

test("a component shows the selected part, and renders only when that part changes", () => {
  const store = createStore({ name: "Ana", count: 1 });
  const rendered = vi.fn<() => void>();
  function Name(): ReactNode {
    rendered();
    return useStore(store, ({ name }) => name);
  }
  render(<Name />);
  act(() => store.set({ name: "Ana", count: 2 }));
  expect(rendered).toHaveBeenCalledTimes(1);
  act(() => store.set({ name: "Bia", count: 2 }));
  expect(screen.getByText("Bia")).toBeTruthy();
});

test("the store of a session keeps its value while the token is renewed, and loses it with the next sign-in", () => {
  startSession("a", givenUser());
  const dropped = vi.fn<(value: string) => void>();
  const store = createSessionStore<string>("", dropped);
  store.set("mine");
  renewSession("a2", givenUser());
  expect(store.get()).toBe("mine");
  startSession("b", givenUser());
  expect([store.get(), dropped.mock.calls]).toEqual(["", [["mine"]]]);
});
