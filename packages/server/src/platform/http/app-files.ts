import { createHash } from "node:crypto";
import { PRODUCT_COLOR, PRODUCT_NAME } from "@balcao/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { toIcon } from "../media/pictures.ts";
import type { LookOfHost } from "./page.ts";

/** The sizes that phones and computers ask for; 180 is that of iPhones. */
const SIZES = [180, 192, 512] as const;
/** Any file: the composer says what it refuses. */
const SHARED_TYPES = ["image/*", "video/*", "audio/*", "text/*", "application/*"];
/** Icons of brands that were drawn last. */
const KEPT_MAX = 24;

/** A file whose address changes with its content, for everybody. */
export type HashedFile = { mime: string; content: Buffer };

type AppFilesDeps = {
  lookOf: LookOfHost;
  /** An image of a brand by the last part of its address. */
  findImage: (name: string) => Promise<HashedFile | null>;
};

/**
 * Serves the files that make the page an app of the phone: its manifest and icons, in the name, colour and logo of the host's brand. The page asks
 * for them once it is idle.
 */
export function serveAppFiles(app: FastifyInstance, { lookOf, findImage }: AppFilesDeps): void {
  const drawn = new Map<string, Promise<Buffer>>();

  function draw(address: string, image: HashedFile, px: number): Promise<Buffer> {
    const name = `${address} ${px}`;
    const known = drawn.get(name);
    if (known) return known;
    const work = toIcon(image.content, px);
    drawn.set(name, work);
    const [oldest] = drawn.keys();
    if (drawn.size > KEPT_MAX && oldest !== undefined) drawn.delete(oldest);
    return work;
  }

  app.get<{ Querystring: Record<string, unknown> }>(
    "/manifest.webmanifest",
    { schema: { hide: true } },
    async ({ hostname, query }, reply) => {
      const look = await lookOf(hostname);
      const { lang } = query;
      const language = lang === "en" || lang === "es" ? lang : "pt";
      const name = look?.name ?? PRODUCT_NAME;
      const manifest = manifestOf({ name, color: look?.color ?? PRODUCT_COLOR, language });
      return reply
        .header("cache-control", "no-cache")
        .type("application/manifest+json")
        .send(JSON.stringify(manifest));
    },
  );

  // The worker takes what is shared; where it is gone, the page says that it was not received.
  app.post("/share", {
    schema: { hide: true },
    onRequest: async (_request, reply) => reply.redirect("/tickets?shared", 303),
    handler: async (_request, reply) => reply,
  });

  for (const px of SIZES) {
    const file = `/app-icon-${px}.png`;
    const serve = async (request: FastifyRequest, reply: FastifyReply) => {
      const address = (await lookOf(request.hostname))?.icon ?? null;
      const image = address === null ? null : await findImage(address.split("/").at(-1) ?? "");
      reply.header("cache-control", "no-cache");
      if (address === null || image === null) return reply.sendFile(`app-icon-${px}.png`);
      const etag = `"${createHash("sha256").update(`${address} ${px}`).digest("hex").slice(0, 24)}"`;
      reply.header("etag", etag);
      if (request.headers["if-none-match"] === etag) return reply.status(304).send();
      const icon = await draw(address, image, px).catch(() => null);
      // A drawing that no program reads: the product's own.
      if (icon === null) return reply.removeHeader("etag").sendFile(`app-icon-${px}.png`);
      return reply.type("image/png").send(icon);
    };
    app.get(file, { schema: { hide: true } }, serve);
  }
}

const words = {
  pt: { lang: "pt-BR", inbox: "Atendimentos", team: "Chat interno" },
  en: { lang: "en-GB", inbox: "Conversations", team: "Internal chat" },
  es: { lang: "es", inbox: "Conversaciones", team: "Chat interno" },
};

type ManifestOf = { name: string; color: string; language: keyof typeof words };

function manifestOf({ name, color, language }: ManifestOf): object {
  const { lang, inbox, team } = words[language];
  const icons = [192, 512].map((px) => ({
    ...{ src: `/app-icon-${px}.png`, sizes: `${px}x${px}`, type: "image/png" },
  }));
  return {
    ...{ id: "/", name, short_name: name.slice(0, 12).trim(), lang, dir: "ltr" },
    ...{ start_url: "/tickets", scope: "/", display: "standalone", orientation: "any" },
    ...{ theme_color: color, background_color: "#f5f4f1" },
    categories: ["business", "productivity"],
    // The drawing keeps clear of the rim, so that it may be cut to any form.
    icons: icons.flatMap((icon) => [icon, { ...icon, purpose: "maskable" }]),
    shortcuts: [
      { name: inbox, url: "/tickets", icons: [icons[0]] },
      { name: team, url: "/chats", icons: [icons[0]] },
    ],
    share_target: {
      ...{ action: "/share", method: "POST", enctype: "multipart/form-data" },
      params: {
        ...{ title: "title", text: "text", url: "url" },
        files: [{ name: "files", accept: SHARED_TYPES }],
      },
    },
    launch_handler: { client_mode: ["navigate-existing", "auto"] },
  };
}
