import type { Mail, ReplyOf } from "@balcao/contract";
import { mail } from "@balcao/contract";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Suspense } from "react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { Router } from "../../router/index.tsx";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { memorySteps } from "../../testing/memory-steps.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { MailsPanel } from "./index.ts";

const given = (id: number, fields: Partial<Mail> = {}): Mail =>
  mail.parse({
    ...{ id, company: { id: 7, name: "Aurora" }, kind: "password-reset", name: "Marina" },
    ...{ address: "marina@aurora.com.br", subject: `Redefinição de senha ${id}` },
    ...{ text: "Olá, Marina.\n\nK7QD-2M9X", state: "sent", tries: 1, fault: null, maySend: false },
    ...{ sentAt: "2026-11-26T12:00:05.000Z", createdAt: "2026-11-26T12:00:00.000Z", ...fields },
  });

const server = { host: "mail.conecta.example", from: "Conecta Sul <no-reply@conecta.example>" };
const totals = { all: 12, waiting: 1, held: 2, sent: 8, failed: 1 };

function open(
  rows: Mail[],
  outbox: ReplyOf<"GET /mails">["server"] = server,
  more: Parameters<typeof fakeServer>[0] = {},
) {
  const { requests } = fakeServer({
    "GET /api/mails": () => ({
      body: { mails: rows, count: rows.length, hasMore: false, totals, server: outbox },
    }),
    ...more,
  });
  const steps = memorySteps("/settings?tab=mails");
  renderOnCache(
    <Router steps={steps}>
      <Suspense fallback={null}>
        <MailsPanel />
      </Suspense>
    </Router>,
  );
  return { requests, address: () => steps.current().search };
}

beforeEach(() => startSession(givenToken("t", 3_600), givenUser({ super: true })));
afterEach(() => {
  cleanup();
  endSession("logout");
});

test("the list says where e-mails go and what became of each", async () => {
  open([
    given(1),
    given(2, { state: "failed", tries: 6, fault: "451 come again later", maySend: true }),
    given(3, { state: "waiting", tries: 2, fault: "away" }),
  ]);
  const [, sent, failed, waiting] = await screen.findAllByRole("row");
  expect(sent?.textContent).toMatch(/senha 1Marina <marina@aurora\.com\.br>Aurora.*Enviado/);
  expect(sent?.textContent).not.toMatch(/tentativa/);
  expect(failed?.textContent).toMatch(/Não enviado 6 tentativas451 come again later/);
  expect(waiting?.textContent).toMatch(/Na fila 2 tentativas/);
  expect(
    screen.getByText(
      "Servidor mail.conecta.example, remetente Conecta Sul <no-reply@conecta.example>",
    ),
  ).toBeTruthy();
  expect(screen.getByRole("button", { name: /^Não enviados 1$/ })).toBeTruthy();
});

test("search and state stand in the address and are asked of the server", async () => {
  const { requests, address } = open([given(1)]);
  await userEvent.click(await screen.findByRole("button", { name: /^Guardados/ }));
  await userEvent.type(screen.getByRole("searchbox"), "marina");
  await waitFor(() => expect(address()).toBe("?tab=mails&search=marina&filter=held"));
  await waitFor(() =>
    expect(requests.at(-1)?.call).toBe("GET /api/mails?searchParam=marina&pageNumber=1&state=held"),
  );
});

test("without a mail server a notice says that e-mails are held, and nothing can be sent", async () => {
  open([given(1, { state: "held", tries: 0, sentAt: null, maySend: true })], null);
  expect(await screen.findByText("Nenhum servidor de e-mail está configurado.")).toBeTruthy();
  expect(screen.getByText(/SMTP_URL e MAIL_FROM/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Enviar teste" })).toBeNull();
  expect(screen.queryByRole("button", { name: /Enviar de novo/ })).toBeNull();
});

test("an e-mail is read at the side, and sent again", async () => {
  const failed = given(2, { state: "failed", fault: "550 no such mailbox", maySend: true });
  const { requests } = open([given(1), failed], server, {
    "POST /api/mails/2/send": () => ({ body: given(2, { state: "waiting", tries: 0 }) }),
  });
  await userEvent.click(await screen.findByRole("button", { name: "Redefinição de senha 1" }));
  const first = within(await screen.findByRole("dialog", { name: "Redefinição de senha 1" }));
  expect(first.getByRole("region", { name: "Texto" }).textContent).toBe(
    "Olá, Marina.\n\nK7QD-2M9X",
  );
  expect(first.queryByRole("button", { name: "Enviar de novo" })).toBeNull();
  await userEvent.click(first.getAllByRole("button", { name: "Fechar" })[0]!);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await userEvent.click(screen.getByRole("button", { name: "Redefinição de senha 2" }));
  const second = within(await screen.findByRole("dialog", { name: "Redefinição de senha 2" }));
  expect(second.getByText("550 no such mailbox")).toBeTruthy();
  await userEvent.click(second.getByRole("button", { name: "Enviar de novo" }));
  expect(await screen.findByText("O e-mail está na fila.")).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(requests.filter(({ call }) => call === "POST /api/mails/2/send")).toHaveLength(1);
});

test("one that is over is refused with its reason", async () => {
  open([given(2, { state: "held", maySend: true })], server, {
    "POST /api/mails/2/send": () => ({
      status: 400,
      body: { error: "ERR_MAIL_OVER", code: "ERR_MAIL_OVER" },
    }),
  });
  await userEvent.click(await screen.findByRole("button", { name: /^Enviar de novo/ }));
  expect(await screen.findByText("O código deste e-mail não vale mais. Peça outro.")).toBeTruthy();
});

test("a test shows what the mail server said", async () => {
  const answers = [
    { mail: given(9, { kind: "test" }), answer: "250 2.0.0 queued" },
    { mail: given(9, { kind: "test", state: "failed" }), answer: "535 wrong password" },
  ];
  const { requests } = open([], server, {
    "POST /api/mails/test": () => ({ body: answers.shift() }),
  });
  const test = await screen.findByRole("button", { name: "Enviar teste" });
  await userEvent.click(test);
  expect(
    await screen.findByText("O servidor aceitou o teste para marina@aurora.com.br:"),
  ).toBeTruthy();
  expect(screen.getByText(/250 2\.0\.0 queued/)).toBeTruthy();
  await userEvent.click(test);
  expect(
    await screen.findByText("O servidor não aceitou o teste para marina@aurora.com.br:"),
  ).toBeTruthy();
  expect(screen.getByText(/535 wrong password/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Fechar" }));
  await waitFor(() => expect(screen.queryByText(/535 wrong password/)).toBeNull());
  expect(requests.find(({ call }) => call === "POST /api/mails/test")?.body).toEqual({
    language: "pt",
  });
});
