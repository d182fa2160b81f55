import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { PRODUCT_COLOR, PRODUCT_NAME } from "@balcao/contract";
import type { FastifyReply, FastifyRequest } from "fastify";

/** How the page is called and looks at a host. */
export type PageLook = {
  name: string;
  /** `data-…` of the page's root, without `data-`. */
  facts: Readonly<Record<string, string>>;
  /** Rules of style; nothing in them is a visitor's or a user's text. */
  style: string;
  /** The address of the tab's icon; null for the product's own, in `color`. */
  icon: string | null;
  /** `#rrggbb`. */
  color: string;
};

/**
 * The look of a host; null for the product's own. Answers the same object as long as nothing changes. The host is what a client
 * sent, so it may be anything.
 */
export type LookOfHost = (host: string) => Promise<PageLook | null>;

type Page = {
  html: Buffer;
  etag: string;
  /** Made with the first request that takes them. */
  compressed: Map<string, Promise<Buffer>>;
};

export type Pages = {
  /** Sends the page as the host's brand has it; false where it is the product's own, which is a file. */
  send(request: FastifyRequest, reply: FastifyReply): Promise<boolean>;
  /** The address of the host's icon; null for the product's own. */
  iconOf(request: FastifyRequest): Promise<string | null>;
};

/** The built page in the looks of the hosts. Each look is written and compressed once, and kept as long as it is in use. */
export async function createPages(root: string, lookOf: LookOfHost): Promise<Pages> {
  const template = await readFile(join(root, "index.html"), "utf8");
  const icon = await readFile(join(root, "icon.svg"), "utf8").catch(() => null);
  const pages = new WeakMap<PageLook, Page>();

  function pageOf(look: PageLook): Page {
    const known = pages.get(look);
    if (known) return known;
    const html = Buffer.from(dressPage(template, look, icon));
    const hash = createHash("sha256").update(html).digest("base64url").slice(0, 24);
    // Weak: the encodings are the same page.
    const page = { html, etag: `W/"${hash}"`, compressed: new Map() };
    pages.set(look, page);
    return page;
  }

  return {
    async send(request, reply) {
      const look = await lookOf(request.hostname);
      if (look === null) return false;
      const { html, etag, compressed } = pageOf(look);
      reply.headers({
        etag,
        "cache-control": "no-cache",
        "content-type": "text/html; charset=utf-8",
        vary: "accept-encoding",
      });
      if (hasTag(request.headers["if-none-match"], etag)) {
        await reply.status(304).send();
        return true;
      }
      const encoding = encodingFor(request.headers["accept-encoding"]);
      let content = html;
      if (encoding !== null) {
        const making = compressed.get(encoding) ?? compressors[encoding](html);
        compressed.set(encoding, making);
        content = await making;
        reply.header("content-encoding", encoding);
      }
      await reply.status(200).send(content);
      return true;
    },

    async iconOf(request) {
      return (await lookOf(request.hostname))?.icon ?? null;
    },
  };
}

const compressors = {
  br: (html: Buffer) =>
    promisify(brotliCompress)(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
  gzip: (html: Buffer) => promisify(gzip)(html, { level: 9 }),
};

function encodingFor(accepted: string | string[] | undefined): keyof typeof compressors | null {
  const wishes = String(accepted ?? "").split(",");
  const takes = (name: string): boolean =>
    wishes.some((wish) => {
      const [encoding = "", quality = ""] = wish.split(";");
      return encoding.trim().toLowerCase() === name && !/^\s*q=0(\.0*)?\s*$/i.test(quality);
    });
  if (takes("br")) return "br";
  return takes("gzip") ? "gzip" : null;
}

function hasTag(header: string | undefined, etag: string): boolean {
  const bare = (tag: string): string => tag.trim().replace(/^W\//, "");
  return (header ?? "").split(",").some((tag) => bare(tag) === bare(etag));
}

/** Writes a brand into the built page: title, icon, colours, and what the code reads from the root. */
export function dressPage(template: string, look: PageLook, icon: string | null): string {
  const { name, facts, style, color } = look;
  const data = Object.entries({ product: name, ...facts })
    .map(([key, value]) => ` data-${key}="${escapeHtml(value)}"`)
    .join("");
  const iconLink = look.icon ?? (icon === null ? null : coloredIcon(icon, color));
  // Functions: in a text, "$" would have a meaning.
  return template
    .replace(/<html(?=[\s>])/, (start) => start + data)
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escapeHtml(name)}</title>`)
    .replace(/<link rel="icon"[^>]*>/, (link) =>
      iconLink === null ? link : `<link rel="icon" href="${escapeHtml(iconLink)}" />`,
    )
    .replaceAll(`aria-label="${PRODUCT_NAME}"`, () => `aria-label="${escapeHtml(name)}"`)
    .replace("</head>", (end) => `<style>${style}</style>${end}`);
}

function coloredIcon(svg: string, color: string): string {
  const content = Buffer.from(svg.replaceAll(PRODUCT_COLOR, color)).toString("base64");
  return `data:image/svg+xml;base64,${content}`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text as it stands between tags and in attributes of HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}
