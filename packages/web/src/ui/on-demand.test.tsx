import { act, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ComponentType, ReactNode } from "react";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { renderScreen } from "../testing/render.tsx";
import { lazyPart } from "./lazy-part.tsx";
import { OnDemand } from "./on-demand.tsx";

function Menu(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button onClick={() => setOpen(!isOpen)}>Language</button>
      {isOpen ? <p>Português</p> : null}
    </>
  );
}

/** A menu whose code arrives when the test releases it. */
function open(): { load: () => Promise<ComponentType>; come: () => void } {
  let come = (): void => undefined;
  const arrival = new Promise<ComponentType>((resolve) => (come = () => resolve(Menu)));
  const load = vi.fn(() => arrival);
  const Part = lazyPart(load);
  renderScreen(
    <OnDemand part={Part} standIn={<button>Language</button>}>
      <Part />
    </OnDemand>,
  );
  return { load, come };
}

const button = () => screen.getByRole("button", { name: "Language" });

test("the code is not fetched without pointer or focus", () => {
  const { load } = open();
  expect(button()).toBeTruthy();
  expect(load).not.toHaveBeenCalled();
});

test("the code is fetched when the pointer or the focus reaches the button", async () => {
  const { load } = open();
  await userEvent.hover(button());
  expect(load).toHaveBeenCalled();
});

test("a press before the code arrives opens the menu once it is loaded, and only once", async () => {
  const { come } = open();
  await userEvent.click(button());
  await userEvent.click(button());
  expect(screen.queryByText("Português")).toBeNull();
  expect(button()).toBeTruthy();
  come();
  expect(await screen.findByText("Português")).toBeTruthy();
  expect(button()).toBeTruthy();
  await userEvent.click(button());
  await waitFor(() => expect(screen.queryByText("Português")).toBeNull());
});

test("the real button takes the keyboard focus", async () => {
  const { come } = open();
  act(() => button().focus());
  await userEvent.keyboard("{Enter}");
  come();
  expect(await screen.findByText("Português")).toBeTruthy();
  expect(document.activeElement).toBe(button());
});
