import { endpoints, securityChecks } from "@balcao/contract";
import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, test } from "vitest";
import { fakeServer } from "../../testing/fake-server.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { wholeCatalogue } from "../../i18n/index.ts";
import { SecurityPanel } from "./security-panel.tsx";

const one = (check: string, state: string, finding: string, more = {}) => ({
  ...{ check, state, finding, count: 0, subjects: [], ...more },
});

test("what must be done comes first with its reason, what is in order last, and it can be checked again", async () => {
  const report = (checks: unknown[]) =>
    endpoints["GET /operation/security"].reply.parse({ at: "2026-12-01T12:00:00.000Z", checks });
  const bodies = [
    report([
      one("tls", "good", "tlsOn", { subjects: ["https://inbox.example"] }),
      one("superUsers", "look", "superMany", { count: 4 }),
      one("secondFactor", "act", "factorMissing", { count: 2, subjects: ["ana@x", "rui@x"] }),
    ]),
    report([one("tls", "good", "tlsOn")]),
  ];
  const { requests } = fakeServer({
    "GET /api/operation/security": () => ({ body: bodies[Math.min(requests.length, 2) - 1] }),
  });
  renderRoutes([{ path: "*", element: <SecurityPanel /> }], "/operation?tab=security");
  const groups = await screen.findAllByRole("region");
  expect(
    groups.map((group) => within(group).getByRole("heading", { level: 2 }).textContent),
  ).toEqual(["Resolver agora 1", "Vale olhar 1", "Em ordem 1"]);
  const [act, , good] = groups;
  expect(act?.textContent).toContain("Superusuários sem segundo fator: 2 (ana@x, rui@x)");
  expect(act?.textContent).toContain("Por que importa");
  expect(good?.textContent).not.toContain("Por que importa");
  expect(screen.getByRole("link").getAttribute("href")).toBe("/third-party.txt");
  await userEvent.click(screen.getByRole("button", { name: "Verificar de novo" }));
  expect(await screen.findByText(/Todas as verificações estão em ordem/)).toBeTruthy();
});

test("every check and every finding of the contract has its texts, and no others", async () => {
  const { selfCheck } = (await wholeCatalogue("pt")) as {
    selfCheck: { check: object; found: object };
  };
  expect(Object.keys(selfCheck.check)).toEqual(Object.keys(securityChecks));
  expect(Object.keys(selfCheck.found)).toEqual(
    Object.values(securityChecks).flatMap((of) => Object.keys(of)),
  );
});
