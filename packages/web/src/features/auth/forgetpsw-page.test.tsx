import { act, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { SeenRequest } from "../../testing/fake-server.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { ForgetpswPage } from "./forgetpsw-page.tsx";
import { LoginPage } from "./login-page.tsx";

const now = new Date("2026-11-26T13:12:00.000Z");
const validUntil = "2026-11-26T13:42:00.000Z";
const email = "marina@aurora.com.br";

type Handlers = Parameters<typeof fakeServer>[0];
const refused = (status: number, code: string, data?: object) => ({
  ...{ status, body: { error: code, code, data } },
});

let requests: SeenRequest[] = [];
function open(more: Handlers = {}, at = "/forgetpsw") {
  requests = fakeServer({
    "POST /api/forgetpassword": () => ({
      body: { message: "E-mail enviado com sucesso", validUntil },
    }),
    "POST /api/resetpasswords": () => ({ body: { message: "Senha redefinida com sucesso" } }),
    ...more,
  }).requests;
  const routes = [
    { path: "/forgetpsw", element: <ForgetpswPage /> },
    { path: "/login", element: <LoginPage /> },
  ];
  return renderRoutes(routes, at);
}

const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
const button = (name: string) => screen.getByRole("button", { name });
const code = () => field("Código de 8 caracteres");
const sent = (call: string) =>
  requests.filter((one) => one.call === `POST /api/${call}`).map(({ body }) => body);

async function askFor(address: string): Promise<void> {
  await userEvent.clear(field("E-mail"));
  await userEvent.type(field("E-mail"), address);
  await userEvent.click(button("Enviar código"));
}

async function fill(
  values: { code?: string; password?: string; repeat?: string } = {},
): Promise<void> {
  const { code: typed = "K7QD2M9X", password = "Girafa-27", repeat = password } = values;
  await userEvent.click(code());
  await userEvent.clear(code());
  await userEvent.paste(typed);
  await userEvent.clear(field("Nova senha"));
  await userEvent.type(field("Nova senha"), password);
  await userEvent.clear(field("Repita a nova senha"));
  await userEvent.type(field("Repita a nova senha"), repeat);
}

const save = () => userEvent.click(button("Salvar nova senha"));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now });
});
afterEach(() => {
  vi.useRealTimers();
});

test("the sign-in page leads here with the e-mail that was typed", async () => {
  open({}, "/login");
  await userEvent.type(screen.getByLabelText("E-mail"), email);
  await userEvent.click(screen.getByRole("link", { name: "Esqueci minha senha" }));
  expect(await screen.findByRole("heading", { name: "Esqueceu a senha?" })).toBeTruthy();
  expect(field("E-mail").value).toBe(email);
});

test("an e-mail is needed, and one that nobody has is told at its field", async () => {
  open({
    "POST /api/forgetpassword": () => ({ body: { status: 404, message: "Email não encontrado" } }),
  });
  await userEvent.click(button("Enviar código"));
  expect(await screen.findByText("Informe o e-mail")).toBeTruthy();
  await askFor("marina@");
  expect(await screen.findByText("E-mail inválido")).toBeTruthy();
  expect(requests).toEqual([]);
  await askFor(` ${email} `);
  expect(await screen.findByText("Email não encontrado")).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(field("E-mail")));
  expect(sent("forgetpassword")).toEqual([{ email, language: "pt" }]);
});

test("a code sets a new password, and the sign-in says so", async () => {
  const { address } = open();
  await askFor(email);
  expect(await screen.findByRole("heading", { name: "Criar nova senha" })).toBeTruthy();
  expect(await screen.findByText("Email enviado com sucesso!")).toBeTruthy();
  expect(address()).toBe(`/forgetpsw?email=${encodeURIComponent(email)}`);
  expect(screen.getByText(/^Enviamos um código, válido até \d\d:42, para/).textContent).toContain(
    email,
  );
  await fill();
  await save();
  expect(await screen.findByText("Senha redefinida com sucesso.")).toBeTruthy();
  expect(address()).toBe("/login");
  expect(field("E-mail").value).toBe(email);
  expect(sent("resetpasswords")).toEqual([{ email, token: "K7QD2M9X", password: "Girafa-27" }]);
});

test("the code is typed or pasted in any way, and when it is whole the focus moves on", async () => {
  open({}, `/forgetpsw?email=${email}`);
  expect(screen.getByText(/^Digite o código que enviamos para/)).toBeTruthy();
  expect(code().autocomplete).toBe("one-time-code");
  await userEvent.type(code(), "k7-q0d");
  expect(code().value).toBe("K7QD");
  expect(document.activeElement).toBe(code());
  await userEvent.clear(code());
  await userEvent.click(code());
  await userEvent.paste(" k7qd-2m9x ");
  expect(code().value).toBe("K7QD2M9X");
  expect(document.activeElement).toBe(field("Nova senha"));
  expect(sent("resetpasswords")).toEqual([]);
});

test("what is missing is said at the fields, and nothing is sent", async () => {
  open({}, `/forgetpsw?email=${email}`);
  await fill({ code: "K7QD", password: "girafa27", repeat: "girafa28" });
  await save();
  expect(await screen.findByText("Digite os 8 caracteres do código")).toBeTruthy();
  expect(screen.getByText(/^Sua senha precisa ter no mínimo 8 caracteres/)).toBeTruthy();
  expect(screen.getByText("As senhas não correspondem")).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(code()));
  expect(code().getAttribute("aria-invalid")).toBe("true");
  const description = document.getElementById(code().getAttribute("aria-describedby") ?? "");
  expect(description?.textContent).toBe("Digite os 8 caracteres do código");
  expect(requests).toEqual([]);
});

test("the parts of a password are ticked, and the repetition is checked when its field is left", async () => {
  open({}, `/forgetpsw?email=${email}`);
  const parts = () =>
    [...document.querySelectorAll("[data-met]")].map(
      (part) => `${part.textContent} ${part.getAttribute("data-met")}`,
    );
  await userEvent.type(field("Nova senha"), "girafa2");
  expect(parts()).toEqual([
    "8 caracteresfalta false",
    "letra maiúsculafalta false",
    "letra minúsculacumprido true",
    "númerocumprido true",
  ]);
  await userEvent.type(field("Repita a nova senha"), "girafa3");
  expect(screen.queryByText("As senhas não correspondem")).toBeNull();
  await userEvent.tab();
  expect(await screen.findByText("As senhas não correspondem")).toBeTruthy();
  await userEvent.type(field("Repita a nova senha"), "x");
  expect(screen.queryByText("As senhas não correspondem")).toBeNull();
});

test("a wrong code says how many tries are left, and one that is over can be replaced", async () => {
  const answers = [
    refused(404, "ERR_RESET_CODE_WRONG", { triesLeft: 3 }),
    refused(404, "ERR_RESET_CODE_WRONG", { triesLeft: 1 }),
    refused(404, "ERR_RESET_CODE_OVER"),
  ];
  open(
    { "POST /api/resetpasswords": () => answers.shift() ?? { body: { message: "ok" } } },
    `/forgetpsw?email=${email}`,
  );
  await fill();
  await save();
  expect(await screen.findByText("Código incorreto. Restam 3 tentativas.")).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(code()));
  await fill({ code: "AAAAAAAA" });
  expect(screen.queryByText(/Código incorreto/)).toBeNull();
  await save();
  expect(await screen.findByText("Código incorreto. Resta 1 tentativa.")).toBeTruthy();
  await save();
  expect(await screen.findByText(/Este código não vale mais\./)).toBeTruthy();
  await userEvent.click(button("Enviar outro"));
  await waitFor(() => expect(sent("forgetpassword")).toEqual([{ email, language: "pt" }]));
  await waitFor(() => expect(code().value).toBe(""));
  expect(screen.queryByText(/Este código não vale mais/)).toBeNull();
  expect(field("Nova senha").value).toBe("Girafa-27");
  await fill();
  await save();
  expect(await screen.findByText("Senha redefinida com sucesso.")).toBeTruthy();
});

test("a password that the server refuses is told at its field", async () => {
  open(
    { "POST /api/resetpasswords": () => refused(400, "ERR_PASSWORD_EASY") },
    `/forgetpsw?email=${email}`,
  );
  await fill({ password: "Senha@123" });
  await save();
  expect(await screen.findByText("Esta senha é fácil de adivinhar. Escolha outra.")).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(field("Nova senha")));
});

test("another code can be asked for after a minute, and too many are refused with the wait", async () => {
  let count = 0;
  open({
    "POST /api/forgetpassword": () => {
      count += 1;
      return count < 2
        ? { body: { message: "ok", validUntil } }
        : refused(429, "ERR_TOO_MANY_REQUESTS", { retryAfterSeconds: 3_540 });
    },
  });
  await askFor(email);
  expect(await screen.findByText(/^Reenviar em (1:00|0:59)$/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Reenviar" })).toBeNull();
  act(() => void vi.setSystemTime(now.getTime() + 61_000));
  await userEvent.click(await screen.findByRole("button", { name: "Reenviar" }));
  expect((await screen.findByRole("alert")).textContent).toBe(
    "Muitas tentativas. Tente de novo em 59 minutos.",
  );
});

test("another e-mail is chosen in the first step, and the arrow leads to the sign-in", async () => {
  const { address } = open({}, `/forgetpsw?email=${email}`);
  await userEvent.click(screen.getByRole("link", { name: "Usar outro e-mail" }));
  await waitFor(() => expect(address()).toBe("/forgetpsw"));
  expect(field("E-mail").value).toBe(email);
  await userEvent.click(screen.getByRole("link", { name: "Voltar para a entrada" }));
  await waitFor(() => expect(address()).toBe("/login"));
});
