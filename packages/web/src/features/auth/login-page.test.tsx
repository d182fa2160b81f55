import { statSync } from "node:fs";
import { join } from "node:path";
import { act, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { currentSession, endSession, startSession } from "../../api/session-store.ts";
import type { SeenRequest } from "../../testing/fake-server.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenUser } from "../../testing/given.ts";
import { renderRoutes } from "../../testing/render.tsx";
import {
  ENDED,
  givenCharge,
  givenPaid,
  givenSubscription,
  NOW,
} from "../invoices/testing/given-subscription.ts";
import { LoginPage } from "./login-page.tsx";

beforeEach(() => {
  fakeServer({});
});
afterEach(() => {
  endSession("logout");
  vi.useRealTimers();
});

const open = () => renderRoutes([{ path: "/login", element: <LoginPage /> }], "/login");

const sent = (requests: readonly SeenRequest[]) =>
  requests.filter(({ call }) => call === "POST /api/auth/login");
const email = (): HTMLElement => screen.getByLabelText("E-mail");
const password = (): HTMLElement => screen.getByLabelText("Senha");
const submit = (): HTMLElement => screen.getByRole("button", { name: "Entrar" });

async function signInWith(address: string, secret: string): Promise<void> {
  await userEvent.type(email(), address);
  await userEvent.type(password(), secret);
  await userEvent.click(submit());
}

describe("the way to the sign-up", () => {
  const setting = (key: string, value: string) => ({
    [`GET /api/settings/${key}`]: () => ({ body: { key, value } }),
  });

  test("is shown once the page has shown, when the provider's settings say so", async () => {
    fakeServer({
      ...setting("allowregister", "enabled"),
      ...setting("viewregister", "enabled"),
    });
    open();
    expect(submit()).toBeTruthy();
    const link = await screen.findByRole("link", { name: "Criar conta grátis" });
    expect(link.getAttribute("href")).toBe("/signup");
  });

  test.each(["allowregister", "viewregister"])("is not shown without %s", async (key) => {
    const { requests } = fakeServer({
      ...setting("allowregister", "enabled"),
      ...setting("viewregister", "enabled"),
      ...setting(key, "disabled"),
    });
    open();
    await waitFor(() => expect(requests).toHaveLength(2));
    const link = screen.findByText("Criar conta grátis", {}, { timeout: 200 });
    await expect(link).rejects.toThrow();
  });
});

test("the brand of the host gives the name, its owner and the picture", async () => {
  const facts = { product: "Conecta", owner: "Conecta Sul", picture: "/public/brand/ab.png" };
  Object.assign(document.documentElement.dataset, facts);
  onTestFinished(() => {
    for (const fact of Object.keys(facts)) delete document.documentElement.dataset[fact];
  });
  fakeServer({
    "GET /api/settings/allowregister": () => ({ body: { key: "allowregister", value: "enabled" } }),
    "GET /api/settings/viewregister": () => ({ body: { key: "viewregister", value: "enabled" } }),
  });
  open();
  const side = document.querySelector("aside");
  expect(screen.getByRole("banner").textContent).toContain("Conecta");
  expect(screen.getByRole("contentinfo").textContent).toBe("Oferecido por Conecta Sul");
  expect(document.title).toBe("Entrar · Conecta");
  expect(side?.querySelector("img")?.getAttribute("src")).toBe("/public/brand/ab.png");
  expect(side?.textContent).toBe("");
  expect(await screen.findByText(/Sua empresa ainda não usa o Conecta\?/)).toBeTruthy();
  expect(document.body.textContent).not.toContain("Balcão");
});

test("the right password starts the session with the address trimmed", async () => {
  const { requests } = fakeServer({
    "POST /api/auth/login": () => ({ body: { token: "t1", user: givenUser() } }),
  });
  open();
  await signInWith(" marina@aurora.com.br ", "segredo");
  await waitFor(() => expect(currentSession()?.token).toBe("t1"));
  expect(sent(requests).map(({ body }) => body)).toEqual([
    { email: "marina@aurora.com.br", password: "segredo" },
  ]);
  expect(await screen.findByText("Login efetuado com sucesso!")).toBeTruthy();
});

describe("a form that is not complete", () => {
  test("is not sent, says what is missing, and has the focus on the first wrong field", async () => {
    const { requests } = fakeServer({});
    open();
    await userEvent.type(password(), "segredo");
    await userEvent.click(submit());
    expect(await screen.findByText("Informe o e-mail")).toBeTruthy();
    expect(document.activeElement).toBe(email());
    expect(email().getAttribute("aria-invalid")).toBe("true");
    expect(sent(requests)).toEqual([]);
  });

  test("with both fields empty names both and focuses the first", async () => {
    open();
    await userEvent.click(submit());
    expect(await screen.findByText("Informe a senha")).toBeTruthy();
    expect(document.activeElement).toBe(email());
  });

  test("is validated on submit, and then on every change", async () => {
    open();
    await userEvent.type(email(), "marina@");
    await userEvent.tab();
    expect(screen.queryByText("E-mail inválido")).toBeNull();
    await userEvent.click(submit());
    expect(await screen.findByText("E-mail inválido")).toBeTruthy();
    await userEvent.type(email(), "aurora.com.br");
    await waitFor(() => expect(screen.queryByText("E-mail inválido")).toBeNull());
  });
});

describe("a refused sign-in", () => {
  test("for a wrong password shows the error, empties the password and focuses it", async () => {
    fakeServer({
      "POST /api/auth/login": () => ({
        status: 401,
        body: { error: "ERR_INVALID_CREDENTIALS", code: "ERR_INVALID_CREDENTIALS" },
      }),
    });
    open();
    await signInWith("marina@aurora.com.br", "errada");
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toBe("E-mail ou senha incorretos.");
    await waitFor(() => expect(document.activeElement).toBe(password()));
    expect(screen.getByDisplayValue("marina@aurora.com.br")).toBe(email());
    expect(screen.queryByDisplayValue("errada")).toBeNull();
    expect(currentSession()).toBeNull();
  });

  test("for an expired company shows the text of the specification", async () => {
    const sentence =
      "Opss! Sua assinatura venceu 10/11/2026. Entre em contato com o Suporte para mais informações!";
    fakeServer({
      "POST /api/auth/login": () => ({
        status: 400,
        body: {
          error: sentence,
          code: "ERR_SUBSCRIPTION_EXPIRED",
          data: { date: "10/11/2026" },
        },
      }),
    });
    open();
    await signInWith("marina@aurora.com.br", "segredo");
    expect((await screen.findByRole("alert")).textContent).toBe(sentence);
    expect(screen.queryByRole("button", { name: "Pagar agora" })).toBeNull();
  });

  test("an admin of an expired company pays at the sign-in, which then goes on", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true, now: NOW });
    let subscription = givenSubscription({ charge: givenCharge() });
    const { requests } = fakeServer({
      "POST /api/auth/login": () =>
        subscription.company.dueDate === ENDED
          ? {
              status: 401,
              body: {
                ...{ error: "Opss!", code: "ERR_SUBSCRIPTION_EXPIRED" },
                data: { date: "18/11/2026", payToken: "pay-1" },
              },
            }
          : { body: { token: "t1", user: givenUser() } },
      "GET /api/subscription": () => ({ body: subscription }),
      "GET /api/plans/list": () => ({ body: [] }),
    });
    open();
    await signInWith("marina@aurora.com.br", "segredo");
    await userEvent.click(await screen.findByRole("button", { name: "Pagar agora" }));
    expect(await screen.findByText("Aguardando o pagamento")).toBeTruthy();
    const asked = requests.find(({ call }) => call === "GET /api/subscription");
    expect(asked?.authorization).toBe("Bearer pay-1");
    expect(currentSession()).toBeNull();
    subscription = givenPaid();
    await act(() => vi.advanceTimersByTimeAsync(6_000));
    expect(await screen.findByText("Pagamento confirmado.")).toBeTruthy();
    await act(() => vi.advanceTimersByTimeAsync(4_000));
    await waitFor(() => expect(currentSession()?.token).toBe("t1"));
  });

  test("without a network shows the error and keeps the input", async () => {
    fakeServer({ "POST /api/auth/login": () => "unreachable" });
    open();
    await signInWith("marina@aurora.com.br", "segredo");
    expect((await screen.findByRole("alert")).textContent).toMatch(/^Sem resposta do servidor/);
    expect(screen.getByDisplayValue("segredo")).toBe(password());
  });
});

describe("a sign-in that needs more than the password", () => {
  const refused = (code: string, data: object) => () => ({
    status: 401,
    body: { error: code, code, data },
  });

  test("asks for the code of the app, or for a recovery code, and can be left", async () => {
    const { requests } = fakeServer({
      "POST /api/auth/login": refused("ERR_SECOND_FACTOR", { challenge: "c1" }),
      "POST /api/auth/second-factor": ({ body }) =>
        JSON.stringify(body).includes("222222")
          ? { body: { token: "t1", user: givenUser() } }
          : { status: 400, body: { error: "ERR_FACTOR_WRONG", code: "ERR_FACTOR_WRONG" } },
    });
    open();
    await signInWith("marina@aurora.com.br", "segredo");
    const code = await screen.findByLabelText("Código de 6 dígitos");
    expect(document.activeElement).toBe(code);
    await userEvent.type(code, "111111{Enter}");
    expect(await screen.findByText("Código incorreto ou já usado.")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: /Perdi o celular/ }));
    expect(screen.getByLabelText("Código de recuperação")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Usar o código do aplicativo" }));
    await userEvent.click(screen.getByLabelText("Confiar neste navegador por 30 dias"));
    await userEvent.type(screen.getByLabelText("Código de 6 dígitos"), "222222{Enter}");
    await waitFor(() => expect(currentSession()?.token).toBe("t1"));
    const answers = requests.filter(({ call }) => call === "POST /api/auth/second-factor");
    expect(answers.at(-1)?.body).toEqual({ challenge: "c1", code: "222222", trustBrowser: true });
  });

  test("has a user set the app up where the company demands it, and shows the recovery codes first", async () => {
    const { requests } = fakeServer({
      "POST /api/auth/login": refused("ERR_FACTOR_SETUP", { setUpToken: "set-1" }),
      "POST /api/auth/factor": () => ({ body: { secret: "ABCDEFGH", uri: "otpauth://totp/x" } }),
      "POST /api/auth/factor/confirm": () => ({
        body: { recoveryCodes: ["AAAA-BBBB"], session: { token: "t1", user: givenUser() } },
      }),
    });
    open();
    await signInWith("marina@aurora.com.br", "segredo");
    expect(await screen.findByText("ABCD EFGH")).toBeTruthy();
    await userEvent.type(screen.getByLabelText(/Código de 6 dígitos/), "123456{Enter}");
    expect(await screen.findByText("AAAA-BBBB")).toBeTruthy();
    expect(currentSession()).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Continuar" }));
    await waitFor(() => expect(currentSession()?.token).toBe("t1"));
    const asked = requests.find(({ call }) => call === "POST /api/auth/factor");
    expect(asked?.authorization).toBe("Bearer set-1");
  });
});

test("the button is busy until the reply and sends once", async () => {
  const { requests } = fakeServer({ "POST /api/auth/login": () => "never" });
  open();
  await signInWith("marina@aurora.com.br", "segredo");
  await waitFor(() => expect(submit().hasAttribute("data-loading")).toBe(true));
  await userEvent.click(submit());
  expect(sent(requests)).toHaveLength(1);
});

test("the password can be shown and hidden again", async () => {
  open();
  expect(password().getAttribute("type")).toBe("password");
  await userEvent.click(screen.getByRole("button", { name: "Mostrar senha" }));
  expect(password().getAttribute("type")).toBe("text");
  await userEvent.click(screen.getByRole("button", { name: "Esconder senha" }));
  expect(password().getAttribute("type")).toBe("password");
});

test("a session that ended by a sign-in elsewhere is explained", () => {
  startSession("t", givenUser());
  endSession("elsewhere");
  open();
  expect(screen.getByText("Sua conta foi acessada em outro computador.")).toBeTruthy();
});

test("the first visit shows no explanation", () => {
  open();
  expect(screen.queryByText(/outro computador|sessão terminou/)).toBeNull();
});

test.each(["light", "dark"])("the %s picture of the product has less than 90 kB", (theme) => {
  const { size } = statSync(join(import.meta.dirname, `product-${theme}.webp`));
  expect(size).toBeGreaterThan(10_000);
  expect(size).toBeLessThan(90_000);
});
