import type { Backup, BackupList } from "@balcao/contract";
import { endpoints } from "@balcao/contract";
import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, test } from "vitest";
import { fakeServer } from "../../testing/fake-server.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { BackupsPanel } from "./backups-panel.tsx";

const given = (fields: Partial<Backup> = {}): Backup => ({
  ...{ id: 1, state: "whole", origin: "schedule", place: "/mnt/copies", name: "balcao-1.tar" },
  ...{ startedAt: "2026-11-26T06:30:00.000Z", endedAt: "2026-11-26T06:30:42.000Z" },
  ...{ isEncrypted: true, bytes: 2_097_152, rows: 1_200, files: 3, missingFiles: 0 },
  ...{ verifiedAt: null, removedAt: null, error: null, ...fields },
});

const schedule = {
  ...{ place: "/mnt/copies", nextAt: "2026-11-28T06:30:00.000Z", keep: 14 },
  ...{ isEncrypted: true, isVerified: false },
};

function open(list: BackupList, isStarted = true): string[] {
  const calls: string[] = [];
  fakeServer({
    "GET /api/operation/backups": () => ({
      body: endpoints["GET /operation/backups"].reply.parse(list),
    }),
    "POST /api/operation/backups": () => {
      calls.push("POST");
      return { body: { isStarted } };
    },
  });
  renderRoutes([{ path: "*", element: <BackupsPanel /> }], "/operation?tab=backups");
  return calls;
}

test("an installation that makes no backups says how to configure them, and has no button", async () => {
  open({ schedule: null, backups: [] });
  expect(await screen.findByText(/BALCAO_BACKUP_TO/)).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
});

test("the list says what each backup holds and what became of it", async () => {
  const error = "the disk is full";
  open({
    schedule,
    backups: [
      given({ id: 2, state: "failed", name: null, error }),
      given({ missingFiles: 2, verifiedAt: "2026-11-26T06:31:00.000Z" }),
    ],
  });
  const [failed, whole] = await screen.findAllByRole("listitem");
  expect(failed?.textContent).toContain(error);
  expect(whole?.textContent).toContain("2 MB · 1.200 linhas · 3 arquivos · 42 s");
  expect(whole?.textContent).toContain("/mnt/copies/balcao-1.tar");
  for (const word of ["Completa", "Conferida", "Cifrada", "2 arquivos não estavam mais lá."])
    expect(whole?.textContent).toContain(word);
});

test("a backup is begun by a press; while one is being made the button waits", async () => {
  const calls = open({ schedule, backups: [given()] }, false);
  await userEvent.click(await screen.findByRole("button", { name: "Fazer agora" }));
  expect(await screen.findByText("Uma cópia já está sendo feita.")).toBeTruthy();
  expect(calls).toEqual(["POST"]);
});

test("a running backup disables the button", async () => {
  open({ schedule, backups: [given({ state: "running", endedAt: null, name: null })] });
  const button = await screen.findByRole("button", { name: "Fazendo…" });
  expect(button.hasAttribute("disabled")).toBe(true);
  expect(screen.getByText("Não há nenhuma cópia completa.")).toBeTruthy();
});
