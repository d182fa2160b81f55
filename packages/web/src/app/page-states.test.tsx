import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { allowReportedErrors, renderRoutes } from "../testing/render.tsx";
import { PageBoundary } from "./page-states.tsx";

const missingCode = new TypeError("Failed to fetch dynamically imported module: /assets/page.js");

allowReportedErrors();

function openPageThatFails(error: Error): void {
  const Page = (): never => {
    throw error;
  };
  renderRoutes(
    [
      {
        path: "/tags",
        element: (
          <PageBoundary>
            <Page />
          </PageBoundary>
        ),
      },
    ],
    "/tags",
  );
}

test("code that is missing while offline is not reported as a new version", async () => {
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  openPageThatFails(missingCode);
  expect(await screen.findByText("Esta página não pôde ser carregada")).toBeTruthy();
});

test("code that is missing while online is reported as a new version", async () => {
  openPageThatFails(missingCode);
  expect(await screen.findByText("Nova versão disponível")).toBeTruthy();
});

test("any other failure is shown and reported", async () => {
  const failure = new Error("broken");
  openPageThatFails(failure);
  expect(await screen.findByText("Algo deu errado nesta página")).toBeTruthy();
  expect(reportError).toHaveBeenCalledWith(failure);
});
