import { cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, test } from "vitest";
import { renderScreen } from "../testing/render.tsx";
import { ThemeToggle } from "./theme-toggle.tsx";

const shownScheme = (): string | null =>
  document.documentElement.getAttribute("data-mantine-color-scheme");

test("the default is light unless the system or the user chooses dark", () => {
  renderScreen(<ThemeToggle />);
  expect(shownScheme()).toBe("light");
});

test("a chosen theme is shown at once and kept for the next visit", async () => {
  renderScreen(<ThemeToggle />);
  await userEvent.click(screen.getByRole("button", { name: "Usar tema escuro" }));
  expect(shownScheme()).toBe("dark");
  expect(localStorage.getItem("balcao.theme")).toBe("dark");

  cleanup();
  renderScreen(<ThemeToggle />);
  expect(shownScheme()).toBe("dark");
  await userEvent.click(screen.getByRole("button", { name: "Usar tema claro" }));
  expect(shownScheme()).toBe("light");
});
