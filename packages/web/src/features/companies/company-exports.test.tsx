import type { CompanyExport } from "@balcao/contract";
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { fakeServer } from "../../testing/fake-server.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { CompanyExports } from "./company-exports.tsx";

const given = (fields: Partial<CompanyExport>): CompanyExport => ({
  ...{ id: "0198d3a4-0000-7000-8000-000000000001", state: "waiting", progress: 0, bytes: 0 },
  ...{ requesterName: "Bia", isMine: true, createdAt: "2026-11-20T12:00:00.000Z" },
  expiresAt: null,
  ...fields,
});

test("an export is started, shows its progress, and is downloaded by the user who asked for it", async () => {
  let exports: CompanyExport[] = [
    given({
      id: "0198d3a4-0000-7000-8000-000000000002",
      state: "done",
      isMine: false,
      requesterName: "Caio",
    }),
  ];
  const server = fakeServer({
    "GET /api/companies/7/exports": () => ({ body: { exports } }),
    "POST /api/companies/7/exports": () => {
      exports = [given({ state: "running", progress: 40 }), ...exports];
      return { body: exports[0] };
    },
    "GET /api/companies/7/exports/0198d3a4-0000-7000-8000-000000000001/file": () => ({
      status: 404,
      body: { error: "ERR_NO_FILE_FOUND", code: "ERR_NO_FILE_FOUND" },
    }),
  });
  renderOnCache(<CompanyExports company={{ id: 7, name: "Padaria" }} onClose={vi.fn()} />);
  await screen.findByText(/por Caio/);
  expect(screen.queryByRole("button", { name: "Baixar" })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Exportar agora" }));
  await screen.findByRole("progressbar", { name: "Gravando: 40 %" });
  exports = [
    given({ state: "done", progress: 100, bytes: 2e9, expiresAt: "2026-11-21T12:00:00.000Z" }),
  ];
  await userEvent.click(await screen.findByRole("button", { name: "Baixar" }));
  await waitFor(() => expect(screen.getByRole("alert").textContent).toMatch(/Exporte de novo/));
  expect(server.requests.filter(({ call }) => call.startsWith("POST"))).toHaveLength(1);
});
