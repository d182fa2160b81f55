import { expectNoFindings, expectNoFindingsInWindows } from "../support/axe.ts";
import { expect, signIn, test } from "../support/journey.ts";
import { newMark } from "../support/mark.ts";

// The calls that an expired company's open page no longer makes were on their way; its sign-in is refused.
test.use({ expectedErrors: /status of 40[013]/ });

const dayOf = (days: number): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone: "America/Sao_Paulo" }).format(
    Date.now() + days * 86_400_000,
  );

test("a trial ends, the admin pays at the simulated bank, and the company works again without a reload", async ({
  product,
  browserOf,
  signedIn,
}) => {
  const mark = newMark();
  const [plan, company] = [`Equipe ${mark}`, `Boutique ${mark}`];
  const owner = { email: `renata-${mark}@boutique.example`, password: "girafa-lilás-27" };
  const provider = await signedIn(product.accounts.super);
  const admin = await browserOf();
  const form = provider.getByRole("dialog");
  const checkout = admin.getByRole("dialog", { name: "Pagar a assinatura" });
  const gate = admin.getByText("Até o pagamento, só o Financeiro abre.");

  async function due(days: number): Promise<void> {
    await provider.goto("/settings?tab=companies");
    await provider.getByRole("button", { name: company, exact: true }).click();
    await form.getByLabel("Vencimento", { exact: true }).fill(dayOf(days));
    await form.getByRole("button", { name: "Salvar" }).click();
    await expect(form).toHaveCount(0);
  }

  await test.step("a company has a plan and its admin", async () => {
    await provider.goto("/settings?tab=plans");
    await provider.getByRole("button", { name: "Novo plano" }).click();
    await form.getByRole("textbox", { name: "Nome" }).fill(plan);
    await form.getByLabel("Usuários").fill("10");
    await form.getByLabel("Conexões").fill("3");
    await form.getByLabel("Filas").fill("10");
    await form.getByLabel("Valor").fill("199,90");
    await form.getByRole("button", { name: "Salvar" }).click();
    await expect(form).toHaveCount(0);
    await admin.goto("/signup");
    await admin.getByLabel("Nome da empresa").fill(company);
    await admin.getByLabel("E-mail").fill(owner.email);
    await admin.getByLabel("Telefone com DDD").fill("11984562210");
    await admin.getByLabel("Senha", { exact: true }).fill(owner.password);
    await admin.getByRole("radio", { name: plan }).check();
    await admin.keyboard.press("Enter");
    await expect(admin).toHaveURL("/login");
    await signIn(admin, owner);
    await expect(admin.getByText(company).first()).toBeVisible();
  });

  await test.step("the first page has the first steps, which tick themselves", async () => {
    const steps = admin.getByRole("region", { name: "Primeiros passos" });
    await expect(admin).toHaveURL("/tickets");
    await expect(steps).toContainText("0 de 5");
    await expectNoFindings(admin, { where: "the first steps" });
    await steps.getByRole("button", { name: "Definir" }).click();
    await steps.getByRole("button", { name: "Usar este horário" }).click();
    await expect(steps).toContainText("1 de 5");
    await admin.setViewportSize({ width: 390, height: 844 });
    await admin.getByRole("button", { name: "Ver primeiros passos" }).click();
    await expectNoFindings(admin, { where: "the first steps at 390 px" });
    await admin.setViewportSize({ width: 1440, height: 900 });
    await admin.getByRole("link", { name: "Criar fila" }).click();
    await admin.getByRole("dialog").getByLabel("Nome").fill("Vendas");
    await admin.getByRole("dialog").getByRole("button", { name: "Salvar" }).click();
    await admin.getByRole("link", { name: "Atendimentos" }).click();
    await expect(steps).toContainText("2 de 5");
    await steps.getByRole("button", { name: "Esconder a lista" }).click();
    await expect(steps).toHaveCount(0);
  });

  await test.step("its invoice is open before it is due", async () => {
    await admin.goto("/financeiro");
    await expect(admin.getByRole("row").filter({ hasText: `Plano ${plan}` })).toContainText(
      /R\$\s*199,90.*Em Aberto/,
    );
    await expectNoFindingsInWindows(admin, { where: "the invoices" });
    await admin.goto("/tickets");
  });

  await test.step("the trial ends, and the open page leads to the invoices", async () => {
    await due(-1);
    await admin.reload();
    await expect(admin).toHaveURL(/\/financeiro/);
    await expect(gate).toBeVisible();
    await admin.goto("/contacts");
    await expect(admin).toHaveURL(/\/financeiro/);
    await expectNoFindingsInWindows(admin, { where: "the gate" });
  });

  await test.step("the checkout asks who pays, and shows the PIX", async () => {
    await admin.getByRole("button", { name: "PAGAR" }).first().click();
    await expect(checkout).toBeVisible();
    await expectNoFindings(admin, { where: "the plans of the checkout" });
    await checkout.getByRole("button", { name: new RegExp(`Plano ${plan}`) }).click();
    await checkout.getByRole("button", { name: "Preencher os dados" }).click();
    await checkout.getByLabel("Nome completo").fill("Renata Azevedo");
    await checkout.getByLabel("Endereço").fill("Rua das Flores, 12");
    await checkout.getByLabel("Cidade").fill("Recife");
    await checkout.getByLabel("CEP").fill("50030-230");
    await checkout.getByLabel("País").selectOption({ label: "Brasil" });
    await expectNoFindings(admin, { where: "the payer of the checkout" });
    await checkout.getByRole("button", { name: "Continuar" }).click();
    await checkout.getByRole("button", { name: /Gerar PIX de R\$\s*199,90/ }).click();
    await expect(checkout.getByText("Aguardando o pagamento")).toBeVisible();
    await expectNoFindingsInWindows(admin, { where: "the PIX" });
  });

  await test.step("the provider pays it at the simulated bank, and the open page works again", async () => {
    await provider.goto("/settings?tab=billing");
    await expectNoFindings(provider, { where: "the payments" });
    await provider.getByRole("button", { name: `Pagar a cobrança de ${company}` }).click();
    await form.getByRole("button", { name: "Pagar" }).click();
    await expect(checkout.getByText("Pagamento confirmado.")).toBeVisible();
    await expect(admin).toHaveURL(/\/tickets/);
    await expect(gate).toHaveCount(0);
    await admin.getByRole("link", { name: "Contatos" }).click();
    await expect(admin.getByRole("heading", { name: "Contatos" })).toBeVisible();
    await provider.getByRole("tab", { name: "Empresas" }).click();
    await expect(provider.getByRole("row").filter({ hasText: company })).toContainText(
      /em (2[89]|3[01]) dias/,
    );
  });
});
