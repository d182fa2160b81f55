import type { Brand, BrandImageKind } from "@balcao/contract";
import { brandImageBytes, brandShades, limits } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Wake } from "../../platform/db/wake.ts";
import { startWake } from "../../platform/db/wake.ts";
import type { Reply, TestApp } from "../../testing/app.ts";
import { quietLog, testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";
import { pdf, picture, pngBomb } from "../../testing/media-samples.ts";
import type { LooksDeps } from "./looks.ts";
import { createLooks } from "./looks.ts";

let app: TestApp;
let provider: GivenUser;
let admin: GivenUser;

beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
  provider = await app.given.admin({ company: await app.given.company(), super: true });
  admin = await app.given.admin({ company: await app.given.company() });
});

beforeEach(async () => {
  await app.database.db.acrossCompanies((tx) => tx.query(sql`delete from brands`));
});

const error = (status: number, code: string) => ({ status, body: { error: code } });
const forbidden = error(403, "ERR_NO_PERMISSION");
const notFound = error(404, "ERR_NO_BRAND_FOUND");

async function given(wish: object = {}): Promise<Brand> {
  const body = { host: "conecta.example", name: "Conecta", ...wish };
  const reply = await app.as(provider).post<Brand>("/brands", body);
  expect(reply).toMatchObject({ status: 200 });
  return reply.body;
}

async function list(): Promise<Brand[]> {
  return (await app.as(provider).get<{ brands: Brand[] }>("/brands")).body.brands;
}

async function setImage(
  { id }: Brand,
  kind: BrandImageKind,
  content: Uint8Array,
  { name = "logo.png", user = provider } = {},
): Promise<Reply<Brand>> {
  const form = new FormData();
  form.append("file", new Blob([new Uint8Array(content)]), name);
  const reply = await fetch(`${app.url}/api/brands/${id}/images/${kind}`, {
    method: "POST",
    headers: { authorization: `Bearer ${user.token}` },
    body: form,
  });
  return { status: reply.status, body: (await reply.json()) as Brand, headers: reply.headers };
}

/** The brands as a process knows them that listens with `wake`. */
function looksBy(wake: LooksDeps["wake"], more: Partial<LooksDeps> = {}) {
  const { db } = app.database;
  const looks = createLooks({ db, clock: app.clock, wake, log: quietLog(), ...more });
  onTestFinished(looks.close);
  return looks;
}

const silence = { on: () => () => undefined };
/** The look of a host right now. */
const lookOf = (host: string) => looksBy(silence).lookOf(host);

describe("a brand", () => {
  test("is made, changed and removed by super users only; the default one comes first", async () => {
    const made = await given({ owner: " Conecta \n Sul ", color: "#7A1FA2" });
    expect(made).toMatchObject({
      ...{ host: "conecta.example", name: "Conecta", owner: "Conecta Sul", color: "#7a1fa2" },
      images: { logo: null, logoDark: null, picture: null, favicon: null },
    });
    const standard = await given({ host: "" });
    expect(await list()).toEqual([standard, made]);
    const path = `/brands/${made.id}`;
    for (const reply of [
      await app.as(admin).get("/brands"),
      await app.as(admin).post("/brands", made),
      await app.as(admin).put(path, made),
      await app.as(admin).delete(path),
      await app.as(admin).delete(`${path}/images/logo`),
      await setImage(made, "logo", await picture("png"), { user: admin }),
    ]) {
      expect(reply).toMatchObject(forbidden);
    }
    expect((await app.anonymous.get("/brands")).status).toBe(401);

    const change = { ...made, host: "novo.example", name: "Conecta Já", color: null };
    const changed = await app.as(provider).put<Brand>(path, change);
    expect(changed.body).toMatchObject({ host: "novo.example", name: "Conecta Já", color: null });
    expect((await app.as(provider).delete(path)).status).toBe(200);
    expect(await app.as(provider).delete(path)).toMatchObject(notFound);
    expect(await app.as(provider).put(path, made)).toMatchObject(notFound);
    expect(await list()).toEqual([standard]);
  });

  test("of all hosts is there once, keeps its place, and is the product's own again once it is removed", async () => {
    const standard = await given({ host: "", name: "Sistema" });
    const taken = error(400, "ERR_BRAND_HOST_TAKEN");
    const twice = { host: "", name: "Outra" };
    expect(await app.as(provider).post("/brands", twice)).toMatchObject(taken);
    const invalid = error(400, "ERR_BRAND_HOST_INVALID");
    const path = `/brands/${standard.id}`;
    const moved = { host: "a.example", name: "Sistema" };
    expect(await app.as(provider).put(path, moved)).toMatchObject(invalid);
    const { id } = await given();
    expect(await app.as(provider).put(`/brands/${id}`, twice)).toMatchObject(invalid);
    expect((await lookOf("any.example"))?.name).toBe("Sistema");
    await app.as(provider).delete(path);
    expect(await lookOf("any.example")).toBeNull();
  });

  test.each([
    [{ host: "a.example", name: "" }],
    [{ host: "a.example", name: " \n\u0007 " }],
    [{ host: "a.example" }],
    [{ host: "a.example", name: "x".repeat(limits.brandNameMax + 1) }],
    [{ host: "a.example", name: "A", owner: "x".repeat(limits.brandOwnerMax + 1) }],
    [{ host: "a.example", name: "A", color: "red" }],
    [{ host: "a.example", name: "A", color: "#12345" }],
    [{ host: "a.example", name: "A", color: "#123456;}body{display:none" }],
    [{ host: "a.example", name: "a\u0000b" }],
  ])("%j is refused", async (body) => {
    expect(await app.as(provider).post("/brands", body)).toMatchObject(
      error(400, "ERR_INVALID_REQUEST"),
    );
  });

  test("is refused beyond the limit", async () => {
    await app.database.db.acrossCompanies((tx) =>
      tx.query(sql`
        insert into brands (host, name)
        select 'h' || n || '.example', 'Marca' from generate_series(1, ${limits.brandsMax}) n`),
    );
    const reply = await app.as(provider).post("/brands", { host: "more.example", name: "A" });
    expect(reply).toMatchObject(error(400, "ERR_BRAND_LIMIT"));
  });
});

describe("a host", () => {
  test.each([
    ["Chat.Conecta.EXAMPLE", "chat.conecta.example"],
    ["conecta.example.", "conecta.example"],
    ["  conecta.example ", "conecta.example"],
    ["café.com.br", "xn--caf-dma.com.br"],
    ["localhost", "localhost"],
  ])("%j is kept as %j", async (typed, kept) => {
    expect((await given({ host: typed })).host).toBe(kept);
  });

  test.each([
    ...["https://conecta.example", "conecta.example:8443", "conecta.example/x", "a b.example"],
    ...["a_b.example", "-a.example", "a..example", ".example", "*.example", "127.0.0.1", "0x7f.1"],
    ...["[::1]", "a@b.example", "a%2eexample", `${"a".repeat(64)}.example`, "a\\b"],
  ])("%j is refused", async (host) => {
    expect(await app.as(provider).post("/brands", { host, name: "A" })).toMatchObject(
      error(400, "ERR_BRAND_HOST_INVALID"),
    );
  });

  test("has one brand, also when two super users make it at once", async () => {
    const both = await Promise.all(
      [1, 2].map(() => app.as(provider).post("/brands", { host: "dois.example", name: "A" })),
    );
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
    expect(both.find(({ status }) => status === 400)).toMatchObject(
      error(400, "ERR_BRAND_HOST_TAKEN"),
    );
  });

  test("gets its own brand in any writing, others the default one, or none", async () => {
    await given();
    for (const host of ["conecta.example", "CONECTA.Example", "conecta.example."]) {
      expect((await lookOf(host))?.name).toBe("Conecta");
    }
    for (const host of ["other.example", "", "__proto__", "x.conecta.example", "'; drop table"]) {
      expect(await lookOf(host)).toBeNull();
    }
    await given({ host: "", name: "Sistema" });
    expect((await lookOf("other.example"))?.name).toBe("Sistema");
    expect((await lookOf("conecta.example"))?.name).toBe("Conecta");
  });
});

describe("a look", () => {
  test("has the brand's shades in both themes, its owner and its images", async () => {
    const made = await given({ owner: "Conecta Sul", color: "#ffd400" });
    await setImage(made, "logo", await picture("png", { width: 40, height: 40 }));
    await setImage(made, "picture", await picture("webp", { width: 900, height: 900 }));
    const { images } = (await list())[0]!;
    const look = await lookOf("conecta.example");
    const { light, dark } = brandShades("#ffd400");
    expect(look).toMatchObject({
      ...{ name: "Conecta", icon: images.logo, color: light.acc },
      facts: { owner: "Conecta Sul", picture: images.picture },
    });
    expect(look?.style).toContain(`[data-mantine-color-scheme=light]{--bc-acc:${light.acc};`);
    expect(look?.style).toContain(`[data-mantine-color-scheme=dark]{--bc-acc:${dark.acc};`);
    expect(look?.style).toContain(`svg[data-logo]{background:url(${images.logo})`);
    await setImage(made, "favicon", await picture("png", { width: 32, height: 32 }));
    expect((await lookOf("conecta.example"))?.icon).toMatch(/^\/public\/brand\/[\da-f]{32}\.png$/);
  });

  test("without colour and images is the product's own, with another name", async () => {
    await given();
    expect(await lookOf("conecta.example")).toMatchObject({ style: "", icon: null, facts: {} });
  });

  test("of the default brand is how e-mails call the installation", async () => {
    await given({ host: "", name: "Sistema", color: "#7a1fa2" });
    const { light } = brandShades("#7a1fa2");
    expect(await looksBy(silence).mailBrand()).toEqual({ name: "Sistema", color: light.acc });
  });
});

describe("an image", () => {
  test.each([
    ["png", "png", "image/png"],
    ["jpeg", "jpg", "image/jpeg"],
    ["webp", "webp", "image/webp"],
  ] as const)(
    "that is %s is served to everybody at an address of its content",
    async (format, extension, mime) => {
      const made = await given();
      const content = await picture(format, { width: 60, height: 60 });
      const { body } = await setImage(made, "logo", content, { name: "qualquer.exe" });
      expect(body.images.logo).toMatch(new RegExp(`^/public/brand/[\\da-f]{32}\\.${extension}$`));
      const shown = await fetch(`${app.url}${body.images.logo}`);
      expect([shown.status, shown.headers.get("content-type")]).toEqual([200, mime]);
      expect(shown.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(Buffer.from(await shown.arrayBuffer())).toEqual(content);
      // Again, from memory.
      expect((await fetch(`${app.url}${body.images.logo}`)).status).toBe(200);
    },
  );

  test("is replaced by another one and removed; its old address then leads nowhere", async () => {
    const made = await given();
    const first = (await setImage(made, "logo", await picture("png"))).body.images.logo;
    const second = (await setImage(made, "logo", await picture("jpeg"))).body.images.logo;
    expect(second).not.toBe(first);
    expect((await fetch(`${app.url}${first}`)).status).toBe(404);
    const removed = await app.as(provider).delete<Brand>(`/brands/${made.id}/images/logo`);
    expect(removed.body.images.logo).toBeNull();
    expect((await fetch(`${app.url}${second}`)).status).toBe(404);
    const third = (await setImage(made, "favicon", await picture("png"))).body.images.favicon;
    await app.as(provider).delete(`/brands/${made.id}`);
    expect((await fetch(`${app.url}${third}`)).status).toBe(404);
  });

  test("is a picture by its content, whole, and small enough, whatever its name says", async () => {
    const made = await given();
    const svg = Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`,
    );
    const type = error(415, "ERR_FILE_TYPE_FORBIDDEN");
    expect(await setImage(made, "logo", svg, { name: "logo.svg" })).toMatchObject(type);
    expect(await setImage(made, "logo", svg)).toMatchObject(type);
    expect(await setImage(made, "logo", pdf())).toMatchObject(type);
    expect(await setImage(made, "logo", await picture("gif"))).toMatchObject(type);
    expect(await setImage(made, "logo", new Uint8Array())).toMatchObject(type);
    const damaged = error(415, "ERR_FILE_DAMAGED");
    const whole = await picture("png");
    expect(await setImage(made, "logo", whole.subarray(0, 200))).toMatchObject(damaged);
    expect(await setImage(made, "logo", pngBomb())).toMatchObject(damaged);
    for (const kind of ["logo", "favicon", "picture"] as const) {
      const large = Buffer.alloc(brandImageBytes[kind] + 1, whole);
      const reply = await setImage(made, kind, large);
      expect(reply).toMatchObject(error(413, "ERR_FILE_TOO_LARGE"));
      expect(reply.body).toMatchObject({ data: { maxBytes: brandImageBytes[kind] } });
    }
    const nothing = await app.as(provider).post(`/brands/${made.id}/images/logo`);
    expect(nothing).toMatchObject(error(400, "ERR_FILE_MISSING"));
    expect((await list())[0]?.images.logo).toBeNull();
    const other = await app.as(provider).delete(`/brands/${made.id}/images/banner`);
    expect(other).toMatchObject(error(404, "ERR_ROUTE_NOT_FOUND"));
    const gone = { ...made, id: 999_999 as Brand["id"] };
    expect(await setImage(gone, "logo", whole)).toMatchObject(notFound);
  });
});

describe("what a process knows", () => {
  test("is read once, and again at once after a change, also by another process", async () => {
    const wake: Wake = startWake({ url: app.database.serviceUrl, log: quietLog() });
    onTestFinished(() => wake.close());
    await wake.ready();
    const looks = looksBy(wake);
    const made = await given();
    await vi.waitFor(async () => expect((await looks.lookOf(made.host))?.name).toBe("Conecta"));
    const reading = vi.spyOn(app.database.db, "acrossCompanies");
    onTestFinished(() => reading.mockRestore());
    const first = await looks.lookOf(made.host);
    expect(await looks.lookOf(made.host)).toBe(first);
    expect(reading).not.toHaveBeenCalled();
    await app.as(provider).put(`/brands/${made.id}`, { ...made, name: "Outro" });
    await vi.waitFor(async () => expect((await looks.lookOf(made.host))?.name).toBe("Outro"));
  });

  test("is read again after half a minute, should news be lost; an equal look stays the same object", async () => {
    const looks = looksBy(silence);
    const made = await given();
    const before = await looks.lookOf(made.host);
    expect(before?.name).toBe("Conecta");
    app.clock.advance(31_000);
    expect(await looks.lookOf(made.host)).toBe(before);
    await app.as(provider).put(`/brands/${made.id}`, { ...made, name: "Outro" });
    expect((await looks.lookOf(made.host))?.name).toBe("Conecta");
    app.clock.advance(31_000);
    expect((await looks.lookOf(made.host))?.name).toBe("Outro");
  });

  test("is not older than a change that came while it was read", async () => {
    let changed = (): void => undefined;
    const wake: LooksDeps["wake"] = {
      on: (topic, listener) => {
        changed = () => listener(topic);
        return () => undefined;
      },
    };
    await given();
    const { db } = app.database;
    let times = 0;
    const looks = looksBy(wake, {
      db: {
        async acrossCompanies(work) {
          const result = await db.acrossCompanies(work);
          times += 1;
          if (times === 1) {
            await db.acrossCompanies((tx) => tx.query(sql`update brands set name = 'Outro'`));
            changed();
          }
          return result;
        },
      },
    });
    expect((await looks.lookOf("conecta.example"))?.name).toBe("Outro");
    expect(times).toBe(2);
  });

  test("stays while the database is away; without any knowledge the page is the product's own", async () => {
    await given();
    let isAway = true;
    const { db } = app.database;
    const looks = looksBy(silence, {
      db: {
        acrossCompanies: (work) =>
          isAway ? Promise.reject(new Error("away")) : db.acrossCompanies(work),
      },
    });
    expect(await looks.lookOf("conecta.example")).toBeNull();
    isAway = false;
    app.clock.advance(6_000);
    const known = await looks.lookOf("conecta.example");
    expect(known?.name).toBe("Conecta");
    isAway = true;
    app.clock.advance(31_000);
    expect(await looks.lookOf("conecta.example")).toBe(known);
  });

  test("a page does not wait for a database that does not answer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const looks = looksBy(silence, {
      db: { acrossCompanies: () => new Promise(() => undefined) },
    });
    const asked = looks.lookOf("conecta.example");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await asked).toBeNull();
  });
});
