import type { Page } from "@playwright/test";
import { expectNoFindingsInWindows, narrow, wide, windows } from "../support/axe.ts";
import { attach, openOptions } from "../support/conversation.ts";
import * as files from "../support/files.ts";
import { expect, test } from "../support/journey.ts";
import type { Network } from "../support/network.ts";
import { answer, showWaiting, tickets } from "../support/screens.ts";

// Each stands alone, so that the workers share them.
test.describe.configure({ mode: "parallel" });

/** Selects dialogs, menus and panels that cover the page or a part of it. */
const OVER = [
  "[role=dialog]",
  "[role=menu]",
  "[role=listbox]",
  "nav[data-form='over']",
  "aside[aria-label='Dados do contato']",
  "[role=group][aria-label='Editando a mensagem']",
  "[role=group][aria-label='Gravando áudio']",
].join();

test("a conversation and its overlays have no accessibility fault", async ({
  signedIn,
  staff,
  network,
}) => {
  const page = await signedIn(staff.renata);
  const customer = await network.customer("Helena Duarte");
  await sendAllKinds(customer);
  await test.step("the lists", async () => {
    const first = tickets.list(page).getByRole("listitem").first();
    await page.getByRole("button", { name: "Ver todos" }).click();
    await expect(first).toBeVisible();
    await expectNoFindingsInWindows(page, { where: "open tickets" });
    await tickets.tab(page, "Resolvidos").click();
    await expect(first).toBeVisible();
    await expectNoFindingsInWindows(page, { where: "resolved tickets" });
    await tickets.tab(page, "Abertos").click();
    await showWaiting(page);
    await expect(tickets.card(page, customer.name)).toBeVisible();
    await expectNoFindingsInWindows(page, { where: "waiting tickets" });
  });
  const pick = async (): Promise<void> => {
    await tickets.card(page, customer.name).hover();
    await tickets.card(page, customer.name).getByRole("checkbox").check();
  };
  const bar = page.getByRole("toolbar", { name: "Ações para os atendimentos selecionados" });
  for (const action of ["Resolver", "Transferir", "Atribuir", "Adicionar etiqueta"]) {
    await check(page, `many at once: ${action}`, async () => {
      await pick();
      await expect(bar).toBeVisible();
      await expectNoFindingsInWindows(page, { where: "bar", within: "[role=toolbar]" });
      await bar.getByRole("button", { name: action }).click();
      await expect(page.getByRole("dialog")).toBeVisible();
    });
    await expect(async () => {
      await page.keyboard.press("Escape");
      await expect(bar).toHaveCount(0, { timeout: 300 });
    }).toPass();
  }
  await check(page, "Espiar", async () => {
    await page.getByRole("button", { name: `Espiar a conversa de ${customer.name}` }).click();
    const dialog = page.getByRole("dialog", { name: `Conversa de ${customer.name}` });
    await expect(dialog.getByText("Chamada de voz perdida")).toBeVisible();
  });
  await page.getByRole("button", { name: `Aceitar atendimento de ${customer.name}` }).click();
  const composer = tickets.composer(page, customer.name);
  await answer(page, customer.name, "Já vejo *tudo*");
  const answered = tickets.message(page, "Já vejo tudo");
  await expect(answered.getByRole("img", { name: "entregue" })).toBeVisible();

  await test.step("the conversation with every kind of message", async () => {
    await expectNoFindingsInWindows(page, { where: "conversation" });
    await tickets.messages(page).getByRole("article").first().scrollIntoViewIfNeeded();
    await tickets.messages(page).focus();
    await page.keyboard.press("Home");
    await expect(page.getByRole("button", { name: "Abrir: Foto" })).toBeVisible();
    await expectNoFindingsInWindows(page, { where: "conversation, its beginning" });
  });

  await check(page, "viewer", async () => {
    await page.getByRole("button", { name: "Abrir: Foto" }).click();
    await expect(page.getByRole("dialog", { name: "Fotos e vídeos" })).toBeVisible();
  });
  await tickets.messages(page).focus();
  await page.keyboard.press("End");
  await expect(answered).toBeFocused();
  // Opened in each window: a message that is drawn anew takes the focus of its menu along.
  for (const size of windows) {
    await page.setViewportSize(size);
    await check(page, "message menu", () => openOptions(answered), [size]);
    const openReactions = async (): Promise<void> => {
      await openOptions(answered);
      await page.getByRole("menuitem", { name: "Mais reações" }).click();
      await expect(page.getByRole("searchbox", { name: "Buscar emoji" })).toBeFocused();
    };
    await check(page, "more reactions", openReactions, [size]);
  }
  await page.setViewportSize(wide);
  await check(page, "forward", async () => {
    await openOptions(answered);
    await page.getByRole("menuitem", { name: "Encaminhar" }).click();
    await expect(page.getByRole("dialog", { name: "Encaminhar 1 mensagem" })).toBeVisible();
  });
  await test.step("a note for the team, with a mention", async () => {
    await composer.press("Alt+n");
    const note = page.getByRole("textbox", { name: "Nova observação" }).first();
    await note.fill("Confere? @");
    await expect(page.getByRole("option").first()).toBeVisible();
    await expectNoFindingsInWindows(page, { where: "note" });
    await note.press("Escape");
    await note.fill("");
    await page.getByRole("tab", { name: "Responder" }).click();
  });
  await test.step("search in the conversation", async () => {
    await act(page, "Buscar na conversa");
    const field = page.getByRole("textbox", { name: "Buscar na conversa" });
    await field.fill("tudo");
    await expectNoFindingsInWindows(page, { where: "search in the conversation" });
    await field.press("Escape");
  });
  await check(page, "delete a message", async () => {
    await openOptions(answered);
    await page.getByRole("menuitem", { name: "Apagar" }).click();
    await expect(page.getByRole("dialog", { name: /^Apagar esta/ })).toBeVisible();
  });
  await check(page, "edit", async () => {
    await composer.press("ArrowUp");
    await expect(page.getByRole("group", { name: "Editando a mensagem" })).toBeVisible();
  });
  await check(page, "emojis", async () => {
    await page.getByRole("button", { name: "Emojis" }).click();
    await expect(page.getByRole("gridcell").first()).toBeVisible();
  });
  await check(page, "quick replies", async () => {
    await page.getByRole("button", { name: "Respostas rápidas", exact: true }).click();
    await expect(page.getByRole("combobox", { name: "Buscar resposta rápida" })).toBeFocused();
  });
  await check(page, "send menu", () =>
    page.getByRole("button", { name: "Mais opções de envio" }).click(),
  );
  await check(page, "recording", async () => {
    await page.getByRole("button", { name: "Gravar áudio" }).click();
    await expect(page.getByRole("button", { name: "Enviar áudio" })).toBeEnabled();
  });
  await test.step("tray, with a refused file", async () => {
    const huge = Buffer.alloc(17_000_000, 1);
    await attach(page, files.picture("a.png"), files.pdf("b.pdf"));
    await attach(page, { name: "enorme.png", mimeType: "image/png", buffer: huge });
    await expect(page.getByRole("alert").filter({ hasText: "enorme.png" })).toBeVisible();
    await expectNoFindingsInWindows(page, { where: "tray" });
    await page.getByRole("button", { name: "Dispensar" }).click();
    await page.getByRole("button", { name: "Remover a.png" }).click();
    await page.getByRole("button", { name: "Remover b.pdf" }).click();
  });
  await test.step("a message that was not sent", async () => {
    await network.set({ sendMode: "refuse" });
    await answer(page, customer.name, "Só um momento");
    await expect(tickets.message(page, "Só um momento")).toContainText("Não enviada.");
    await expectNoFindingsInWindows(page, { where: "message not sent" });
  });
  await check(page, "actions", async () => {
    await page.getByRole("button", { name: "Mais ações" }).click();
    await expect(page.getByRole("menuitem", { name: "Excluir" })).toBeVisible();
  });
  await check(page, "delete", async () => {
    await page.getByRole("button", { name: "Mais ações" }).click();
    await page.getByRole("menuitem", { name: "Excluir" }).click();
    await expect(page.getByRole("dialog", { name: /^Excluir o/ })).toBeVisible();
  });
  await check(page, "transfer", async () => {
    await page.keyboard.press("Alt+t");
    await expect(page.getByRole("dialog", { name: /^Transferir / })).toBeVisible();
    await page.getByRole("dialog").getByRole("button", { name: "Transferir" }).click();
    await expect(page.getByText("Escolha uma pessoa ou uma fila")).toBeVisible();
  });
  await check(page, "resolve", async () => {
    await page.keyboard.press("Alt+r");
    await expect(page.getByRole("dialog", { name: /^Resolver o/ })).toBeVisible();
  });
  await check(page, "snooze", async () => {
    await act(page, "Adiar");
    await expect(page.getByRole("dialog", { name: /^Adiar o/ })).toBeVisible();
  });
  await check(page, "how tickets are resolved", () =>
    page.getByRole("button", { name: "Motivo e próximo atendimento" }).click(),
  );
  await check(page, "schedule", async () => {
    await page.keyboard.press("Alt+s");
    await expect(page.getByRole("dialog", { name: "Agendar mensagem" })).toBeVisible();
  });
  await check(page, "tags of the ticket", async () => {
    await page.getByRole("button", { name: "Etiqueta", exact: true }).click();
    await expect(page.getByRole("option", { name: "Cliente VIP" })).toBeVisible();
  });
  await check(page, "contact's panel and its form", async () => {
    await page.keyboard.press("Alt+i");
    const drawer = page.getByRole("complementary", { name: "Dados do contato" });
    await drawer.getByRole("textbox", { name: "Nova observação" }).fill("Anotado");
    await drawer.getByRole("button", { name: "Adicionar observação" }).click();
    await expect(drawer.getByRole("button", { name: /^Excluir a obs/ })).toBeVisible();
    await expectNoFindingsInWindows(page, { where: "contact's panel" });
    await drawer.getByRole("button", { name: "Editar", exact: true }).click();
    await drawer.getByRole("button", { name: "Adicionar informação" }).click();
  });
});

test("sign-in, the lists' dialogs, the shell and the other pages have none either", async ({
  browserOf,
  signedIn,
  staff,
  network,
}) => {
  await test.step("sign-in", async () => {
    const visitor = await browserOf();
    await visitor.goto("/login");
    await visitor.getByRole("button", { name: "Entrar" }).click();
    await expect(visitor.getByText("Informe o e-mail")).toBeVisible();
    await expectNoFindingsInWindows(visitor, { where: "sign-in" });
  });
  const page = await signedIn(staff.renata);
  const customer = await network.customer("Otávio Ramos");
  await customer.writes("Para achar depois");
  await check(page, "filters", async () => {
    await page.getByRole("button", { name: "Filtrar" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Não lidas" }).click();
    await expect(page.getByRole("button", { name: "Remover o filtro Não lidas" })).toBeVisible();
    await page.getByRole("menuitem", { name: "Fila" }).click();
    await expect(page.getByRole("menuitemcheckbox", { name: "Vendas" })).toBeVisible();
  });
  await check(page, "a view", async () => {
    await page.getByRole("button", { name: "Salvar os filtros como visão" }).click();
    const dialog = page.getByRole("dialog", { name: "Salvar visão" });
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(dialog.getByText("Informe o nome")).toBeVisible();
  });
  await page.getByRole("button", { name: "Remover o filtro Não lidas" }).click();
  await check(page, "new ticket", async () => {
    await page.getByRole("button", { name: "Novo atendimento" }).first().click();
    const contact = page.getByRole("combobox", { name: "Contato" });
    await contact.fill("Zacarias");
    await page.getByRole("option", { name: /^Criar contato/ }).click();
    await page.getByRole("button", { name: "Salvar e abrir atendimento" }).click();
    await expect(page.getByText("Informe ao menos 8 dígitos")).toBeVisible();
  });
  await test.step("search and its filters", async () => {
    await tickets.searchTab(page).click();
    await page.getByRole("textbox", { name: "Buscar nos atendimentos" }).fill("achar depois");
    await expect(tickets.card(page, customer.name).locator("mark")).toBeVisible();
    await expectNoFindingsInWindows(page, { where: "search" });
  });
  await check(page, "palette", async () => {
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("combobox", { name: "Buscar e executar" })).toBeFocused();
    await page.keyboard.type("achar depois");
    await expect(page.getByRole("option").filter({ hasText: customer.name })).toBeVisible();
  });
  await check(page, "shortcuts", async () => {
    await tickets.searchTab(page).focus();
    await page.keyboard.press("?");
    await expect(page.getByRole("dialog", { name: "Atalhos do teclado" })).toBeVisible();
  });
  // These menus exist in one of the windows only.
  for (const name of ["Volume das notificações", /não lidas/, /^Conta de/]) {
    const open = async (): Promise<void> => {
      const opener = page.getByRole("button", { name }).first();
      await opener.click();
      await expect(opener).toHaveAttribute("aria-expanded", "true");
    };
    await check(page, String(name), open, [wide]);
  }
  await page.setViewportSize(narrow);
  const openMenu = async (): Promise<void> => {
    await page.getByRole("button", { name: "Abrir menu" }).click();
    await expect(page.getByRole("navigation", { name: "Menu principal" })).toBeVisible();
  };
  await check(page, "menu of the page", openMenu, [narrow]);
  await page.setViewportSize(wide);
  for (const [path, heading] of [
    ["/quick-messages", /^Respostas rápidas/],
    ["/tags", /^Etiquetas/],
  ] as const) {
    await test.step(path, async () => {
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
      await expect(page.getByRole("button", { name: "Adicionar" }).first()).toBeVisible();
      await expectNoFindingsInWindows(page, { where: path });
      await check(page, `${path}, dialog`, async () => {
        await page.getByRole("button", { name: "Adicionar" }).first().click();
        await page.getByRole("dialog").getByRole("button", { name: "Salvar" }).click();
        await expect(page.getByText("Obrigatório")).toBeVisible();
      });
    });
  }
  await test.step("contacts", async () => {
    await page.goto("/contacts");
    await expect(page.getByRole("rowheader").first()).toBeVisible();
    await expectNoFindingsInWindows(page, { where: "contacts" });
    await check(page, "filters of the contacts", async () => {
      await page.getByRole("button", { name: "Filtro", exact: true }).click();
      await page.getByRole("menuitemcheckbox", { name: "Sem nome" }).click();
      await page.getByRole("menuitem", { name: "Último contato" }).click();
      await page.getByRole("menuitemradio", { name: "nos últimos 90 dias" }).click();
    });
    await check(page, "selected contacts", async () => {
      await page.goto("/contacts");
      await page
        .getByRole("checkbox", { name: /^Selecionar / })
        .last()
        .check();
      await page.getByRole("button", { name: "Adicionar a uma lista" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Salvar" }).click();
      await expect(page.getByText("Use de 2 a 50 caracteres")).toBeVisible();
    });
    await check(page, "actions of a contact", async () => {
      await page.goto("/contacts");
      await page
        .getByRole("button", { name: /^Ações de / })
        .first()
        .click();
      await expect(page.getByRole("menuitem", { name: "Excluir" })).toBeVisible();
    });
    await check(page, "a contact", async () => {
      await page.getByRole("button", { name: "Adicionar" }).first().click();
      await page.getByRole("button", { name: "Adicionar informação" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Salvar" }).click();
      await expect(page.getByText("Use de 2 a 50 caracteres")).toBeVisible();
    });
  });
  await test.step("scheduled messages", async () => {
    const customer = await network.customer("Bianca Moreira");
    await customer.writes("Bom dia");
    const { contactId } = await customer.ticket();
    const sendAt = new Date(Date.now() + 86_400_000).toISOString();
    const inFiveDays = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
    const body = { body: "Seu pedido chegou", contactId, sendAt };
    await network.api("POST /schedules", {
      body: { ...body, repeat: { every: "day", until: inFiveDays } },
    });
    const entry = page.getByRole("button").filter({ hasText: customer.name }).first();
    for (const view of ["month", "week", "day", "agenda"]) {
      await page.goto(`/schedules?view=${view}&date=${sendAt.slice(0, 10)}`);
      await expect(entry).toBeVisible();
      await expectNoFindingsInWindows(page, { where: `schedules, ${view}` });
    }
    await check(page, "the card of a message", async () => {
      await entry.click();
      await expect(page.getByRole("dialog", { name: /^Mensagem para/ })).toBeVisible();
    });
    await check(page, "a message that repeats", async () => {
      await page.goto(`/schedules?view=agenda&date=${sendAt.slice(0, 10)}`);
      await entry.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").getByText("Esta e as próximas").click();
      await page.getByLabel("Repetir").selectOption("Toda semana");
    });
    await check(page, "the filters of the calendar", async () => {
      await page.goto("/schedules");
      await page.getByRole("button", { name: "Contato: todos" }).click();
      await expect(page.getByRole("combobox", { name: "Contato" })).toBeVisible();
    });
  });
  await test.step("one contact", async () => {
    await page.goto("/contacts");
    await page.getByRole("rowheader").getByRole("link").first().click();
    await expect(page.getByRole("region", { name: "Histórico do contato" })).toBeVisible();
    await expectNoFindingsInWindows(page, { where: "one contact" });
    await check(page, "merging a contact", async () => {
      await page.getByRole("button", { name: /^Ações de / }).click();
      await page.getByRole("menuitem", { name: "Unir com outro" }).click();
      const other = page.getByRole("combobox", { name: "Outro contato" });
      await other.fill("a");
      await page.getByRole("option").first().click();
      await page.getByRole("button", { name: "Continuar" }).click();
      await expect(page.getByText("Vem dos dois, sem perder nada")).toBeVisible();
    });
  });
  await test.step("people of a list", async () => {
    const name = `Lista de ${String(Date.now())}`;
    const dialog = page.getByRole("dialog");
    await page.goto("/contact-lists?new=");
    await dialog.getByRole("textbox", { name: "Nome" }).fill(name);
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await page.getByRole("link", { name }).click();
    await page.getByRole("button", { name: "Adicionar" }).first().click();
    await dialog.getByRole("textbox", { name: "Nome" }).fill("Cecília Barros");
    await dialog.getByRole("textbox", { name: "Número" }).fill("19 3255-0000");
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(page.getByRole("rowheader", { name: "Cecília Barros" })).toBeVisible();
    await expectNoFindingsInWindows(page, { where: "people of a list" });
    await check(page, "a campaign", async () => {
      await page.goto("/campaigns/new");
      await dialog.getByRole("textbox", { name: "Nome" }).fill(name);
      await dialog.getByRole("combobox", { name: "Lista de contatos" }).selectOption(name);
      await dialog.getByRole("switch", { name: "Pedir confirmação antes" }).click();
      await dialog.getByRole("textbox", { name: "Mensagem 1" }).fill("Olá {nome} {falta}");
      await dialog.getByRole("button", { name: "Salvar" }).click();
      await expect(page).toHaveURL(/\/campaigns\/\d+$/);
      await expect(dialog.getByText("{falta} não existe.")).toBeVisible();
    });
    await expect(page.getByRole("row").filter({ hasText: name })).toBeVisible();
    await expectNoFindingsInWindows(page, { where: "campaigns" });
    const { records } = await network.api("GET /campaigns", { query: { searchParam: name } });
    const campaignId = records[0]?.id;
    await page.goto(`/campaign/${campaignId}/report`);
    await expect(page.getByRole("region", { name: "Pessoas da campanha" })).toBeVisible();
    await expectNoFindingsInWindows(page, { where: "report of a campaign" });
    await page.goto("/campaigns-config");
    await expect(page.getByRole("combobox", { name: "Entre mensagens" })).toBeVisible();
    await expectNoFindingsInWindows(page, { where: "settings of campaigns" });
  });
  await test.step("macros", async () => {
    await page.goto("/quick-messages");
    await page.getByRole("button", { name: "Macros" }).click();
    await expect(page.getByRole("heading", { level: 1, name: /^Macros/ })).toBeVisible();
    await expectNoFindingsInWindows(page, { where: "macros" });
    await check(page, "a macro", async () => {
      await page.getByRole("button", { name: "Adicionar" }).first().click();
      await page.getByRole("dialog").getByRole("button", { name: "Salvar" }).click();
      await expect(page.getByText("Escolha ao menos um passo")).toBeVisible();
    });
  });
  await test.step("simulator", async () => {
    await page.goto(`/simulator?phone=${customer.phone}`);
    await expect(page.getByRole("log").getByText("Para achar depois")).toBeVisible();
    await expectNoFindingsInWindows(page, { where: "simulator" });
    await check(page, "what a customer can send", async () => {
      await page.getByRole("button", { name: "Enviar outra coisa" }).click();
      await expect(page.getByRole("menuitem", { name: "Enquete" })).toBeVisible();
    });
    await check(page, "poll", async () => {
      await page.getByRole("button", { name: "Enviar outra coisa" }).click();
      await page.getByRole("menuitem", { name: "Enquete" }).click();
      await expect(page.getByRole("dialog", { name: "Enquete" })).toBeVisible();
    });
    await page.goto("/simulator");
    await check(page, "new customer", async () => {
      await page.getByRole("button", { name: "Novo cliente" }).click();
      await page.getByRole("button", { name: "Criar cliente" }).click();
      await expect(page.getByText("Informe o nome")).toBeVisible();
    });
  });
});

/** Presses a button of the conversation's head, where that is narrow by its menu. */
async function act(page: Page, name: string): Promise<void> {
  const button = page.getByRole("button", { name, exact: true });
  if (await button.isVisible()) return button.click();
  await page.getByRole("button", { name: "Mais ações" }).click();
  await page.getByRole("menuitem", { name }).click();
}

/**
 * Opens something over the page, looks at it in the windows, and closes it with Escape; twice where a list is open in it.
 */
async function check(
  page: Page,
  where: string,
  open: () => Promise<unknown>,
  sizes = windows,
): Promise<void> {
  await test.step(where, async () => {
    await open();
    const over = page.locator(OVER).filter({ visible: true });
    await expect(over).not.toHaveCount(0);
    await expectNoFindingsInWindows(page, { where, within: OVER }, sizes);
    await expect(async () => {
      await page.keyboard.press("Escape");
      await expect(over).toHaveCount(0, { timeout: 300 });
    }).toPass({ timeout: 60_000 });
  });
}

async function sendAllKinds(customer: Awaited<ReturnType<Network["customer"]>>): Promise<void> {
  await customer.sendsFile(files.picture("foto.png"), { as: "image", caption: "A foto" });
  const asked = await customer.sends({ body: "Segue o link: https://exemplo.com.br *urgente*" });
  await customer.sends({ body: "E então?", quotedId: asked.id });
  await customer.reacts(asked, "🙏");
  await customer.sendsFile(files.tone("voz.wav", 2), { as: "voice", durationMs: "2000" });
  await customer.sendsFile(files.pdf("nota.pdf"), { as: "document" });
  await customer.sends({
    content: { kind: "location", latitude: -8.06, longitude: -34.87, name: "Marco Zero" },
  });
  await customer.sends({
    content: { kind: "contacts", contacts: [{ name: "Paulo", phones: ["+55 81 98811-2233"] }] },
  });
  await customer.sends({ content: { kind: "poll", question: "Quando?", options: ["Já", "Logo"] } });
  await customer.sends({ content: { kind: "view-once" } });
  await customer.sends({
    body: "Vi o anúncio",
    content: { kind: "ad", title: "Promoção", body: "20%", sourceUrl: "https://exemplo.com.br" },
  });
  await customer.deletes(await customer.sends({ body: "Apaga isto" }));
  await customer.calls();
}
