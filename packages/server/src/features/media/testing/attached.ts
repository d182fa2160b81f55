import type { QuickMessage } from "@balcao/contract";
import type { TestApp } from "../../../testing/app.ts";
import type { GivenUser } from "../../../testing/given.ts";

/** A file of the user's company, attached to a quick message of the user: its signed path and its key. */
export async function attached(
  app: TestApp,
  user: GivenUser,
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
): Promise<{ id: number; path: string; key: string }> {
  const api = app.as(user);
  const { body } = await api.post<QuickMessage>("/quick-messages", { shortcode: name });
  const form = new FormData();
  form.append("file", new Blob([content]), name);
  const reply = await fetch(`${app.url}/api/quick-messages/${body.id}/media-upload`, {
    method: "POST",
    headers: { authorization: `Bearer ${user.token}` },
    body: form,
  });
  if (reply.status !== 200) throw new Error(await reply.text());
  const { mediaPath } = (await api.get<QuickMessage>(`/quick-messages/${body.id}`)).body;
  if (mediaPath === null) throw new Error("nothing is attached");
  return { id: body.id, path: mediaPath, key: /([^/]+)\?/.exec(mediaPath)?.[1] ?? "" };
}
