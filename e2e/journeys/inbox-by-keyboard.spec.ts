import type { Locator, Page } from "@playwright/test";
import * as files from "../support/files.ts";
import { expect, test } from "../support/journey.ts";
import { tickets } from "../support/screens.ts";

test("the whole inbox works by keyboard, and the focus is never lost", async ({
  signedIn,
  staff,
  network,
}) => {
  const page = await signedIn(staff.marina);
  const customer = await network.customer("Otávio Ramos");
  await customer.sendsFile(files.picture("pedido.png"), { as: "image", caption: "Meu pedido" });
  await customer.writes("Chegou errado");
  const composer = tickets.composer(page, customer.name);
  const articles = tickets.messages(page).getByRole("article");
  const { keyboard } = page;
  // Waited for only when the key was pressed, it could come too early.
  page.on("filechooser", (chooser) => void chooser.setFiles(files.pdf("etiqueta.pdf")));

  await test.step("accept a waiting ticket", async () => {
    await keyboard.press("Alt+2");
    const accept = page.getByRole("button", { name: `Aceitar atendimento de ${customer.name}` });
    // Those who wait longer stand above otherwise.
    await page.getByRole("button", { name: "Ordem da lista: Maior espera" }).focus();
    await keyboard.press("Enter");
    await expect(accept).toBeVisible();
    await keyboard.press("Alt+ArrowDown");
    await expect(accept).toBeFocused();
    await keyboard.press("Alt+a");
    await expect(composer).toBeFocused();
  });

  await test.step("look at the photo large, and come back to the message", async () => {
    const photo = page.getByRole("button", { name: "Abrir: Foto" });
    await expect(photo).toBeVisible();
    await stepBackTo(page, tickets.messages(page));
    await keyboard.press("Home");
    await expect(articles.first()).toBeFocused();
    await keyboard.press("Tab");
    await expect(photo).toBeFocused();
    await keyboard.press("Enter");
    await expect(page.getByRole("dialog", { name: "Fotos e vídeos" })).toBeVisible();
    await keyboard.press("Escape");
    await expect(photo).toBeFocused();
  });

  await test.step("react to a message and answer it", async () => {
    await keyboard.press("Shift+Tab");
    await keyboard.press("End");
    const last = articles.last();
    await expect(last).toBeFocused();
    await keyboard.press("m");
    await expect(page.getByRole("menuitem", { name: "Reagir com 👍" })).toBeFocused();
    await keyboard.press("ArrowDown");
    await expect(page.getByRole("menuitem", { name: "Reagir com ❤️" })).toBeFocused();
    await keyboard.press("Enter");
    await expect(last.getByRole("group", { name: "Reações" })).toContainText("❤️");
    await expect(last).toBeFocused();
    await keyboard.press("r");
    await expect(composer).toBeFocused();
    await expect(page.getByRole("group", { name: /^Respondendo a/ })).toBeVisible();
    await keyboard.type("Vamos trocar");
    await keyboard.press("Enter");
    const answer = tickets.message(page, "Vamos trocar");
    await expect(answer).toContainText("Chegou errado");
    await expect(answer.getByRole("img", { name: "entregue" })).toBeVisible();
    await expect(composer).toBeFocused();
  });

  await test.step("edit the last message, with the arrow up", async () => {
    await keyboard.press("ArrowUp");
    await expect(composer).toHaveValue("Vamos trocar");
    await keyboard.press("End");
    await keyboard.type(" hoje");
    await keyboard.press("Enter");
    await expect(tickets.message(page, "Vamos trocar hoje")).toContainText("editada");
    await expect(composer).toBeFocused();
  });

  await test.step("an emoji, and a file", async () => {
    await tabTo(page, page.getByRole("button", { name: "Emojis" }));
    await keyboard.press("Enter");
    await expect(page.getByRole("searchbox", { name: "Buscar emoji" })).toBeFocused();
    await keyboard.type("girassol");
    // Results come a moment after the text, and the key takes the first one shown.
    await expect(page.getByRole("gridcell")).toHaveCount(1);
    await keyboard.press("Enter");
    await expect(composer).toHaveValue("🌻");
    await expect(composer).toBeFocused();
    await tabTo(page, page.getByRole("button", { name: "Anexar arquivos" }));
    await keyboard.press("Enter");
    await expect(page.getByRole("list", { name: "Arquivos para enviar" })).toContainText(
      "etiqueta",
    );
    await expect(composer).toBeFocused();
    await keyboard.press("Enter");
    await expect(page.getByRole("link", { name: "Baixar etiqueta.pdf" })).toBeVisible();
  });

  await test.step("tag it, and note something in the contact's panel", async () => {
    const strip = page.getByRole("group", { name: "Etiquetas do atendimento" });
    const add = strip.getByRole("button", { name: "Etiqueta", exact: true });
    await add.focus();
    await keyboard.press("Enter");
    await expect(page.getByRole("textbox", { name: "Buscar ou criar etiqueta" })).toBeFocused();
    await keyboard.type("Troca");
    await expect(page.getByRole("option", { name: "Troca" })).toBeVisible();
    await keyboard.press("ArrowDown");
    await keyboard.press("Enter");
    await expect(strip.getByRole("button", { name: "Remover a etiqueta Troca" })).toBeVisible();
    await keyboard.press("Escape");
    await expect(add).toBeFocused();

    await keyboard.press("Alt+i");
    const drawer = page.getByRole("complementary", { name: "Dados do contato" });
    await expect(drawer.getByRole("button", { name: "Fechar os dados do contato" })).toBeFocused();
    await tabTo(page, drawer.getByRole("textbox", { name: "Nova observação" }));
    await keyboard.type("Troca combinada");
    await keyboard.press("Control+Enter");
    await expect(tickets.messages(page).getByRole("note")).toContainText("Troca combinada");
    await keyboard.press("Escape");
    await expect(drawer).toHaveCount(0);
    await expect(add).toBeFocused();
  });

  await test.step("delete a message, after the question", async () => {
    await tabTo(page, tickets.messages(page));
    await keyboard.press("End");
    await expect(articles.last()).toBeFocused();
    await keyboard.press("m");
    await expect(page.getByRole("menuitem", { name: "Reagir com 👍" })).toBeFocused();
    await keyboard.press("End");
    await expect(page.getByRole("menuitem", { name: "Apagar" })).toBeFocused();
    await keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Apagar esta mensagem?" });
    await expect(dialog.getByRole("button", { name: "Apagar" })).toBeFocused();
    await keyboard.press("Enter");
    await expect(tickets.messages(page).getByText("Mensagem apagada")).toBeVisible();
    await expectFocusSomewhere(page);
  });

  await test.step("search the history and open what was found", async () => {
    await keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Buscar e executar" });
    await expect(palette.getByRole("combobox")).toBeFocused();
    await keyboard.type("chegou errado");
    await expect(palette.getByRole("option").filter({ hasText: customer.name })).toBeVisible();
    await keyboard.press("Escape");
    await expect(palette).toHaveCount(0);
    await expectFocusSomewhere(page);

    await page.getByRole("tab", { selected: true }).first().focus();
    await keyboard.press("End");
    await expect(page.getByRole("textbox", { name: "Buscar nos atendimentos" })).toBeFocused();
    await keyboard.type(`vamos trocar`);
    await expect(tickets.card(page, customer.name).locator("mark")).toHaveText(/^vamos trocar$/i);
    await keyboard.press("ArrowDown");
    await expect(tickets.card(page, customer.name).getByRole("link")).toBeFocused();
    await keyboard.press("Enter");
    await expect(tickets.message(page, "Vamos trocar hoje")).toBeInViewport();
  });

  await test.step("hand it over and take it back", async () => {
    await keyboard.press("Alt+t");
    const dialog = page.getByRole("dialog", {
      name: `Transferir ${customer.name}`,
    });
    await expect(dialog).toBeVisible();
    await expect(dialog.getByRole("combobox", { name: "Pessoa ou fila" })).toBeFocused();
    const queues = dialog.getByRole("listbox", { name: /^Filas/ });
    await expect(queues.getByRole("option", { name: /^Suporte/ })).toBeVisible();
    await keyboard.type("Supor");
    await expect(dialog.locator('li[aria-selected="true"]')).toHaveText(/^Suporte/);
    await keyboard.press("Enter");
    await expect(page).toHaveURL("/tickets");
    await expectFocusSomewhere(page);
    await keyboard.press("Alt+2");
    const accept = page.getByRole("button", { name: `Aceitar atendimento de ${customer.name}` });
    await expect(accept).toBeVisible();
    await accept.focus();
    await keyboard.press("Enter");
    await expect(composer).toBeFocused();
  });

  await test.step("schedule, leave it, and resolve", async () => {
    await keyboard.press("Alt+s");
    const dialog = page.getByRole("dialog", { name: "Agendar mensagem" });
    await expect(dialog.getByRole("textbox", { name: "Mensagem" })).toBeFocused();
    await keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    await expect(composer).toBeFocused();
    await keyboard.press("Alt+r");
    await expect(page.getByRole("dialog").getByRole("button", { name: "Resolver" })).toBeFocused();
    await keyboard.press("Enter");
    await expect(page).toHaveURL("/tickets");
    await expectFocusSomewhere(page);
  });

  await test.step("menus and popovers give the focus back", async () => {
    for (const name of ["Volume das notificações", /não lidas$/, "Filtrar", /^Conta de/]) {
      const opener = page.getByRole("button", { name }).first();
      await opener.focus();
      await keyboard.press("Enter");
      await expect(opener).toHaveAttribute("aria-expanded", "true");
      await expect(opener).not.toBeFocused();
      await keyboard.press("Escape");
      await expect(opener).toHaveAttribute("aria-expanded", "false");
      await expect(opener).toBeFocused();
    }
  });
});

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, element: Locator, key: "Tab" | "Shift+Tab" = "Tab") {
  for (let presses = 0; presses < 40; presses += 1) {
    if (await element.evaluate((node) => node === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  await expect(element).toBeFocused();
}

function stepBackTo(page: Page, element: Locator): Promise<void> {
  return tabTo(page, element, "Shift+Tab");
}

/** On an element that one can go on from, which is not the page itself. */
async function expectFocusSomewhere(page: Page): Promise<void> {
  await expect(page.locator(":focus")).toHaveCount(1);
}
