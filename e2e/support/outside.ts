import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A call as the other side has it. */
export type Received = { path: string; headers: NodeJS.Dict<string | string[]>; body: string };

/**
 * Services outside of the product, over real HTTP: a language model that speaks OpenAI's protocol below `/v1`, a receiver of
 * webhooks at `/hook`, and a Typebot server whose one flow leads to a queue.
 */
export async function startOutside() {
  const received: Received[] = [];
  const hook = { status: 200 };
  const typebot = { queueId: 0 };

  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const answer = (body: unknown, status = 200): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    text(request).then(
      (body) => {
        received.push({ path, headers: request.headers, body });
        if (path === "/v1/models") answer({ data: [{ id: "modelo-a" }] });
        else if (path === "/v1/chat/completions") answer(completion(body));
        else if (path === "/hook") answer({ ok: hook.status < 300 }, hook.status);
        else if (path.endsWith("/startChat")) {
          answer({ sessionId: "s1", messages: [said("Qual é o assunto?")] });
        } else if (path.endsWith("/continueChat")) {
          const command = JSON.stringify({ queueId: typebot.queueId });
          answer({ messages: [said("Vou passar para a equipe."), said(`#${command}`)] });
        } else answer({}, 404);
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    /** The calls of a path, oldest first. */
    calls: (path: string): Received[] => received.filter((one) => one.path.endsWith(path)),
    /** How the receiver of webhooks answers. */
    hook,
    typebot,
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Hands over to a person who asks for one; answers all else. */
function completion(request: string): unknown {
  const { messages } = JSON.parse(request) as { messages: { role: string; content: string }[] };
  const asked = messages.findLast(({ role }) => role === "user")?.content ?? "";
  const handOver = {
    id: "call_1",
    type: "function",
    function: { name: "transferir_para_atendimento", arguments: '{"motivo":"pediu uma pessoa"}' },
  };
  const message = /pessoa/.test(asked)
    ? { role: "assistant", content: "Já chamo alguém.", tool_calls: [handOver] }
    : { role: "assistant", content: "A troca é grátis em até 30 dias." };
  return {
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage: { prompt_tokens: 400, completion_tokens: 86, total_tokens: 486 },
  };
}

function said(words: string): unknown {
  const richText = [{ type: "p", children: [{ text: words }] }];
  return { type: "text", content: { type: "richText", richText } };
}
