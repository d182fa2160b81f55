import { defaultCampaignSettings } from "@balcao/contract";
import { cleanup, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { CampaignsConfigPage } from "./campaigns-config-page.tsx";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const at = "2026-11-19T17:20:00.000Z";
const plan = {
  ...{ id: 1, name: "Plano", users: 1, connections: 1, queues: 1, value: 1 },
  ...{ useCampaigns: true, useKanban: false, useOpenAi: false, useIntegrations: false },
  ...{ useSchedules: false, useInternalChat: false, useExternalApi: false },
  ...{ createdAt: at, updatedAt: at },
};

function open() {
  const stored = { ...defaultCampaignSettings, variables: [{ key: "cupom", value: "AURORA30" }] };
  const rows = Object.entries(stored).map(([key, value], id) => ({
    ...{ id, key, companyId: 3 },
    value: JSON.stringify(value),
  }));
  const server = fakeServer({
    "GET /api/campaign-settings": () => ({ body: rows }),
    "POST /api/campaign-settings": () => ({ body: rows }),
    "GET /api/campaign-lines": () => ({ body: [] }),
    "GET /api/contacts": () => ({ body: { contacts: [], count: 0, hasMore: false } }),
    "GET /api/companies/listPlan/3": () => ({ body: { id: 3, plan } }),
  });
  startSession(givenToken("t", 3_600), givenUser());
  const opened = renderRoutes(
    [
      { path: "campaigns-config", element: <CampaignsConfigPage /> },
      { path: "campaigns", element: <p>Lista</p> },
    ],
    "/campaigns-config",
  );
  const writes = () => server.requests.filter(({ call }) => !call.startsWith("GET"));
  return { ...server, ...opened, writes };
}

afterEach(() => {
  cleanup();
  endSession("logout");
});

test("the sentence follows the intervals, and only what changed is saved", async () => {
  const { writes } = open();
  const between = await screen.findByLabelText("Entre mensagens");
  expect(screen.getByText(/as 20 primeiras em 7 min, depois cerca de 60 por hora/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Salvar" })).toBeNull();
  await userEvent.selectOptions(between, "0");
  expect(screen.getByText(/no máximo 1 por segundo/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Salvar" }));
  await waitFor(() =>
    expect(writes()).toMatchObject([
      { call: "POST /api/campaign-settings", body: { settings: { messageInterval: 0 } } },
    ]),
  );
  // The reply is taken, so that it does not come into the next test.
  await waitFor(() => expect(screen.queryByRole("button", { name: "Salvar" })).toBeNull());
});

test("a link asks before changes are lost", async () => {
  const { address, writes } = open();
  await userEvent.selectOptions(await screen.findByLabelText("Entre mensagens"), "5");
  await userEvent.click(await screen.findByRole("link", { name: "Campanhas" }));
  expect(await screen.findByText("Descartar as alterações?")).toBeTruthy();
  expect(address()).toBe("/campaigns-config");
  await userEvent.click(screen.getAllByRole("button", { name: "Descartar" }).at(-1)!);
  await waitFor(() => expect(address()).toBe("/campaigns"));
  expect(writes()).toEqual([]);
});

test("a shortcut that exists is refused at its field, and words of leaving have letters", async () => {
  open();
  await userEvent.type(await screen.findByLabelText("Atalho"), "cupom");
  expect(await screen.findByText("Já existe {cupom}")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Palavra" }));
  await userEvent.type(screen.getByLabelText("Nova palavra"), "1{Enter}");
  expect(await screen.findByText("De 2 a 20 letras")).toBeTruthy();
  await userEvent.clear(screen.getByLabelText("Nova palavra"));
  await userEvent.type(screen.getByLabelText("Nova palavra"), "chega{Enter}");
  expect(await screen.findByText("CHEGA")).toBeTruthy();
});
