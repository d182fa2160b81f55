import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, test } from "vitest";
import { fakeServer } from "../../testing/fake-server.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { OperationPage } from "./operation-page.tsx";

test("the open tab stands in the address, and a broken reading says so with a way to try again", async () => {
  fakeServer({
    "GET /api/operation/now": () => ({ status: 503, body: { error: "ERR_UNAVAILABLE" } }),
    "GET /api/operation/backups": () => ({ status: 503, body: { error: "ERR_UNAVAILABLE" } }),
  });
  renderRoutes([{ path: "*", element: <OperationPage /> }], "/operation?tab=unknown");
  expect((await screen.findByRole("tab", { name: "Agora" })).getAttribute("aria-selected")).toBe(
    "true",
  );
  expect(await screen.findByRole("button", { name: "Tentar de novo" })).toBeTruthy();
  const [, second = expect.unreachable()] = screen.getAllByRole("tab");
  await userEvent.click(second);
  expect(second.getAttribute("aria-selected")).toBe("true");
});
