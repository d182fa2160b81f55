import type { Page } from "@playwright/test";
import { expectNoFindingsInWindows } from "../support/axe.ts";
import { picture } from "../support/files.ts";
import { anotherWindow, expect, test } from "../support/journey.ts";
import { newMark } from "../support/mark.ts";

// A file of a forbidden type is refused with 415.
test.use({ expectedErrors: /status of 415/ });

test("a list of files is made with its files, changed, and seen in another window", async ({
  signedIn,
  staff,
}) => {
  const mark = newMark();
  const list = `Catálogo ${mark}`;
  const admin = await signedIn(staff.renata);
  const other = await anotherWindow(admin);
  const dialog = admin.getByRole("dialog");
  const names = dialog.getByRole("textbox", { name: /^Legenda de / });

  await test.step("files are chosen together, have captions and an order", async () => {
    await other.goto(`/files?search=${mark}`);
    await admin.goto("/contact-lists");
    await admin
      .getByRole("navigation", { name: "Campanhas" })
      .getByRole("link", { name: "Listas de arquivos" })
      .click();
    await admin.getByRole("button", { name: "Adicionar" }).first().click();
    await dialog.getByRole("textbox", { name: "Nome" }).fill(list);
    await dialog.getByRole("textbox", { name: "Mensagem" }).fill("Coleção de verão");
    await dialog
      .getByLabel("Adicionar arquivos")
      .first()
      .setInputFiles([
        picture("vestido.png"),
        picture("saia.png", [200, 80, 90]),
        { name: "precos.csv", mimeType: "text/csv", buffer: Buffer.from("peça;preço\nsaia;90\n") },
      ]);
    await names.nth(2).fill("Tabela de preços");
    const up = dialog.getByRole("button", { name: "Mover precos.csv para cima" });
    await up.focus();
    await admin.keyboard.press("Enter");
    await admin.keyboard.press("Enter");
    await expect(dialog.getByRole("button", { name: "Mover precos.csv para baixo" })).toBeFocused();
    await expectNoFindingsInWindows(admin, { where: "a list of files" });
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(admin.getByText("Lista salva")).toBeVisible();
  });

  await test.step("another window shows it at once, with its files in their order", async () => {
    await expect(row(other, list)).toContainText("3 arquivos");
    await other.getByRole("button", { name: `Editar ${list}` }).click();
    const shown = other.getByRole("dialog").getByRole("textbox", { name: /^Legenda de / });
    await expect(shown).toHaveCount(3);
    await expect(shown.first()).toHaveAccessibleName("Legenda de precos.csv");
    await expect(shown.first()).toHaveValue("Tabela de preços");
    await other.getByRole("button", { name: "Cancelar" }).click();
  });

  await test.step("a refused file is named, and the list is kept", async () => {
    await admin.getByRole("button", { name: `Editar ${list}` }).click();
    await dialog
      .getByLabel("Trocar saia.png")
      .first()
      .setInputFiles({ name: "saia.exe", mimeType: "image/png", buffer: Buffer.from("MZ") });
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(dialog.getByRole("alert")).toContainText(
      "saia.exe: Este tipo de arquivo não é permitido.",
    );
    await dialog.getByRole("button", { name: "Remover saia.exe" }).click();
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(dialog).toHaveCount(0);
    await expect(row(other, list)).toContainText("2 arquivos");
  });

  await test.step("it is deleted with its files", async () => {
    await expectNoFindingsInWindows(admin, { where: "lists of files" });
    await admin.getByRole("button", { name: `Excluir ${list}` }).click();
    await dialog.getByRole("button", { name: "Excluir" }).click();
    await expect(row(other, list)).toHaveCount(0);
    const agent = await signedIn(staff.marina);
    await agent.goto("/files");
    await expect(agent).toHaveURL(/\/tickets/);
  });
});

const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
