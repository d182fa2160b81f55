import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ComponentType, ReactNode } from "react";
import { Suspense } from "react";
import { expect, test, vi } from "vitest";
import { PageBoundary } from "../app/page-states.tsx";
import { allowReportedErrors, renderRoutes } from "../testing/render.tsx";
import { lazyPart } from "./lazy-part.tsx";

const Picker = (): ReactNode => <p>the emojis</p>;
const missing = new TypeError("Failed to fetch");

allowReportedErrors();

function open(load: () => Promise<ComponentType<object>>): void {
  const Part = lazyPart(load);
  const element = (
    <PageBoundary>
      <input aria-label="a draft" />
      <Suspense fallback="loading">
        <Part />
      </Suspense>
    </PageBoundary>
  );
  renderRoutes([{ path: "/", element }], "/");
}

test("a failed import is retried once", async () => {
  const load = vi.fn(async () => Picker).mockRejectedValueOnce(missing);
  open(load);
  expect(await screen.findByText("the emojis")).toBeTruthy();
  expect(load).toHaveBeenCalledTimes(2);
});

test("a missing part shows its own error with a retry; the rest of the page stays", async () => {
  let isAway = true;
  open(async () => {
    if (isAway) throw missing;
    return Picker;
  });
  const draft = screen.getByLabelText<HTMLInputElement>("a draft");
  await userEvent.type(draft, "half a sentence");
  await userEvent.click(await screen.findByRole("button", { name: "Tentar de novo" }));
  const again = await screen.findByRole("button", { name: "Tentar de novo" });
  isAway = false;
  await userEvent.click(again);
  expect(await screen.findByText("the emojis")).toBeTruthy();
  expect(screen.getByLabelText("a draft")).toBe(draft);
  expect(draft.value).toBe("half a sentence");
});

test("an error inside a loaded part goes to the page's boundary", async () => {
  open(async () => () => {
    throw new Error("broken");
  });
  expect(await screen.findByText("Algo deu errado nesta página")).toBeTruthy();
});
