import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { expectNoFindings } from "../support/axe.ts";
import { expect, test } from "../support/journey.ts";

const web = fileURLToPath(new URL("../../packages/web/", import.meta.url));
const vite = fileURLToPath(new URL("../../node_modules/vite/bin/vite.js", import.meta.url));

/** A port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

async function isServed(address: string): Promise<boolean> {
  try {
    return (await fetch(address, { signal: AbortSignal.timeout(5_000) })).ok;
  } catch {
    return false;
  }
}

test("the gallery of components has no accessibility fault, and is not in the built product", async ({
  browserOf,
}) => {
  const port = await freePort();
  const server = spawn(process.execPath, [vite, "--host", "127.0.0.1", "--port", String(port)], {
    cwd: web,
    // The server ends with its input.
    stdio: ["pipe", "ignore", "ignore"],
  });
  try {
    const page = await browserOf();
    const gallery = `http://127.0.0.1:${port}/gallery`;
    await expect.poll(() => isServed(gallery)).toBe(true);
    await page.goto(gallery);
    await expect(page.getByRole("heading", { level: 1, name: "Components" })).toBeVisible();
    await expectNoFindings(page, { where: "gallery" });
    for (const name of ["Formulário", "Pergunta"]) {
      await page.getByRole("button", { name }).click();
      await expect(page.getByRole("dialog")).toBeVisible();
      await expectNoFindings(page, { where: name, within: "[role=dialog]" });
      await page.keyboard.press("Escape");
      await expect(page.getByRole("dialog")).toHaveCount(0);
    }
  } finally {
    server.kill();
  }
  const files = readdirSync(`${web}dist/app`, { recursive: true, encoding: "utf8" });
  const code = files.filter((file) => file.endsWith(".js"));
  expect(code.length).toBeGreaterThan(5);
  expect(files.filter((file) => file.includes("gallery"))).toEqual([]);
  const isShown = (file: string): boolean =>
    readFileSync(`${web}dist/app/${file}`, "utf8").includes("gallery-choice");
  expect(code.filter(isShown)).toEqual([]);
});
