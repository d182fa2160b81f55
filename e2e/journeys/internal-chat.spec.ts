import type { Page } from "@playwright/test";
import { expectNoFindingsInWindows, windows } from "../support/axe.ts";
import { expect, test } from "../support/journey.ts";
import { newMark } from "../support/mark.ts";

const field = (page: Page, title: string) =>
  page.getByRole("textbox", { name: `Mensagem para ${title}` });
const messages = (page: Page) => page.getByRole("log");
const row = (page: Page, title: string) => page.getByRole("link", { name: new RegExp(title) });

test("three people chat: a group, files, a mention, a removed member, and all by keyboard", async ({
  signedIn,
  staff,
}) => {
  const title = `Grade ${newMark()}`;
  const renata = await signedIn(staff.renata);
  const marina = await signedIn(staff.marina);
  const caio = await signedIn(staff.caio);

  await test.step("the owner opens a group by keyboard alone", async () => {
    await renata.getByRole("link", { name: /^Chat interno/ }).click();
    await renata.getByRole("button", { name: "Novo", exact: true }).focus();
    await renata.keyboard.press("Enter");
    const dialog = renata.getByRole("dialog");
    for (const person of ["marina", "caio"]) {
      await dialog.getByRole("searchbox", { name: "Pessoas" }).fill(person);
      // Enter takes the only person that is shown: nobody before the people are read.
      await expect(dialog.getByRole("checkbox")).toHaveCount(1);
      await renata.keyboard.press("Enter");
    }
    await dialog.getByRole("textbox", { name: "Título" }).fill(title);
    await renata.keyboard.press("Enter");
    await expect(renata.getByRole("heading", { name: title })).toBeVisible();
    await expect(field(renata, title)).toBeFocused();
  });

  await test.step("a message is on the others' screens, in the popover and in the list", async () => {
    await renata.keyboard.type("Bom dia");
    await renata.keyboard.press("Enter");
    await expect(messages(renata).getByText("Bom dia")).toBeVisible();
    await marina.getByRole("button", { name: /^Chat interno, \d+ conversa/ }).click();
    await marina
      .getByRole("dialog")
      .getByRole("link", { name: new RegExp(title) })
      .click();
    await expect(messages(marina).getByText("Bom dia")).toBeVisible();
    await expect(renata.getByRole("button", { name: /^Lida por Marina/ })).toBeVisible();
  });

  await test.step("a file and a mention arrive", async () => {
    await marina.getByRole("button", { name: "Anexar" }).waitFor();
    const chooser = marina.waitForEvent("filechooser");
    await marina.getByRole("button", { name: "Anexar" }).click();
    const file = {
      name: "grade.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("loja;P\nCentro;3\n"),
    };
    await (await chooser).setFiles(file);
    await field(marina, title).fill("Chegou a grade ");
    await field(marina, title).press("End");
    await marina.keyboard.type("@cai");
    await expect(marina.getByRole("option", { name: /Caio/ })).toBeVisible();
    await marina.keyboard.press("Enter");
    await marina.keyboard.press("Enter");
    await expect(messages(renata).getByText("grade.csv")).toBeVisible();
    await caio.goto("/chats");
    await row(caio, title).click();
    await expect(messages(caio).locator("mark")).toContainText("@Caio");
  });

  await test.step("the last own message is edited with the arrow up", async () => {
    await field(renata, title).focus();
    await renata.keyboard.press("ArrowUp");
    await expect(field(renata, title)).toHaveValue("Bom dia");
    await field(renata, title).fill("Bom dia a todos");
    await renata.keyboard.press("Enter");
    await expect(messages(caio).getByText("Bom dia a todos")).toBeVisible();
  });

  await test.step("nothing stands in the way of anybody, in both themes and all widths", async () => {
    await expectNoFindingsInWindows(renata, { where: "chats" }, [
      ...windows,
      { width: 2560, height: 1440 },
    ]);
  });

  await test.step("a removed member is led away and hears nothing more", async () => {
    await renata.getByRole("button", { name: "Editar chat" }).click();
    const dialog = renata.getByRole("dialog");
    await dialog.getByRole("checkbox", { name: /Caio/ }).uncheck();
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(caio.getByText("Você não participa mais deste chat")).toBeVisible();
    await expect(caio).toHaveURL(/\/chats$/);
    await field(renata, title).fill("Só nós duas");
    await renata.keyboard.press("Enter");
    await expect(messages(marina).getByText("Só nós duas")).toBeVisible();
    await expect(row(caio, title)).toHaveCount(0);
  });

  await test.step("others leave, the owner deletes by a question that names the chat", async () => {
    await expect(marina.getByRole("button", { name: "Sair do grupo" })).toBeVisible();
    await renata.getByRole("button", { name: `Excluir ${title}` }).click();
    const question = renata.getByRole("dialog");
    await expect(question).toContainText("As mensagens somem para os 2 membros.");
    await question.getByRole("button", { name: "Excluir", exact: true }).click();
    await expect(marina.getByText("Você não participa mais deste chat")).toBeVisible();
  });
});
