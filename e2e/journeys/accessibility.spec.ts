import { expectNoSeriousFindings } from "../support/axe.ts";
import { expect, test } from "../support/journey.ts";
import { answer, tickets } from "../support/screens.ts";

const windows = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

for (const viewport of windows) {
  for (const colorScheme of ["light", "dark"] as const) {
    test(`nothing serious stands in anybody's way at ${viewport.width} px, ${colorScheme}`, async ({
      browserOf,
      signedIn,
      staff,
      network,
    }) => {
      const options = { viewport, colorScheme };

      await test.step("sign-in", async () => {
        const visitor = await browserOf(options);
        await visitor.goto("/login");
        await visitor.getByRole("button", { name: "Entrar" }).click();
        await expect(visitor.getByText("Informe o e-mail")).toBeVisible();
        await expectNoSeriousFindings(visitor);
      });

      const agent = await signedIn(staff.marina, options);
      const customer = await network.customer("Helena Duarte");
      await customer.writes("Segue o link: https://exemplo.com.br *urgente*");

      await test.step("lists", async () => {
        await expect(tickets.list(agent).getByRole("listitem").first()).toBeVisible();
        await expectNoSeriousFindings(agent);
        await tickets.chip(agent, "Aguardando").click();
        await expect(tickets.card(agent, customer.name)).toBeVisible();
        await expectNoSeriousFindings(agent);
        await tickets.tab(agent, "Resolvidos").click();
        await expect(tickets.list(agent).getByRole("listitem").first()).toBeVisible();
        await expectNoSeriousFindings(agent);
      });

      await test.step("conversation, with a message that was not sent", async () => {
        await tickets.tab(agent, "Abertos").click();
        await tickets.chip(agent, "Aguardando").click();
        await agent
          .getByRole("button", { name: `Aceitar atendimento de ${customer.name}` })
          .click();
        await answer(agent, customer.name, "Já vejo");
        await expect(
          tickets.message(agent, "Já vejo").getByRole("img", { name: "entregue" }),
        ).toBeVisible();
        await network.set({ sendMode: "refuse" });
        await answer(agent, customer.name, "Só um momento");
        await expect(tickets.message(agent, "Só um momento")).toContainText("Não enviada.");
        await expectNoSeriousFindings(agent);
      });

      await test.step("the question before resolving", async () => {
        await agent.keyboard.press("Alt+r");
        await expect(agent.getByRole("dialog")).toBeVisible();
        await expectNoSeriousFindings(agent);
      });

      await test.step("simulator and its dialog", async () => {
        const admin = await signedIn(staff.renata, options);
        await admin.goto(`/simulator?phone=${customer.phone}`);
        await expect(admin.getByRole("log").getByText("Já vejo")).toBeVisible();
        await expectNoSeriousFindings(admin);
        await admin.goto("/simulator");
        await admin.getByRole("button", { name: "Novo cliente" }).click();
        await admin.getByRole("button", { name: "Criar cliente" }).click();
        await expect(admin.getByText("Informe o nome")).toBeVisible();
        await expectNoSeriousFindings(admin);
      });
    });
  }
}
