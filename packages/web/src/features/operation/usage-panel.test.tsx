import { endpoints } from "@balcao/contract";
import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, test } from "vitest";
import { fakeServer } from "../../testing/fake-server.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { UsagePanel } from "./usage-panel.tsx";

const company = (
  companyId: number,
  name: string,
  figures: { databaseMs: number; calls: number },
) => ({
  ...{ companyId, name, refused: 0, searches: 0, waitedMs: 0, inbound: 0, outbound: 0 },
  ...{ mediaBytes: 0, ...figures },
});

test("the companies stand by database time, can be ordered, and lead to their sheets; what waits is said", async () => {
  const body = endpoints["GET /operation/usage"].reply.parse({
    companies: [
      company(2, "Loja", { databaseMs: 7_500, calls: 10 }),
      company(3, "Oficina", { databaseMs: 2_500, calls: 90 }),
    ],
    totalDatabaseMs: 10_000,
    waiting: [{ companyId: 2, name: "Loja", running: 2, waiting: 40, oldestMs: 1_200 }],
  });
  const { requests } = fakeServer({ "GET /api/operation/usage": () => ({ body }) });
  renderRoutes([{ path: "*", element: <UsagePanel /> }], "/operation?tab=usage");
  const table = await screen.findByRole("table");
  const names = () => screen.getAllByRole("link").map(({ textContent }) => textContent);
  expect(names()).toEqual(["Loja", "Oficina"]);
  expect(screen.getByText(/7,5 s · 75 %/)).toBeTruthy();
  expect(screen.getByText(/40 à espera, 2 em andamento, a mais antiga há 1,2 s/)).toBeTruthy();
  const [link] = screen.getAllByRole("link");
  expect(link?.getAttribute("href")).toBe("/settings?tab=companies&edit=2");
  await userEvent.click(screen.getByRole("button", { name: /Chamadas/ }));
  await userEvent.click(screen.getByRole("button", { name: /Chamadas/ }));
  expect(table.isConnected && names()[0]).toBe("Oficina");
  await userEvent.click(screen.getByRole("radio", { name: "Último dia" }));
  await expect.poll(() => requests.at(-1)?.call).toContain("span=day");
});
