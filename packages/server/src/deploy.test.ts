import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readConfig } from "./platform/config/config.ts";
import { exitCodes } from "./process-stop.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const unit = read("deploy/balcao.service");
const dockerfile = read("deploy/Dockerfile");
const compose = read("deploy/compose.yaml");
const deployment = read("deploy/helm/balcao/templates/deployment.yaml");
const values = read("deploy/helm/balcao/values.yaml");

test("settings that the packages name are settings of the product", () => {
  const config = read("packages/server/src/platform/config/config.ts");
  // compose.yaml's own.
  const own = new Set(["BALCAO_DOMAIN"]);
  const files = readdirSync(join(root, "deploy"), { recursive: true, withFileTypes: true });
  const texts = files
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
  const names = new Set(
    texts.join("\n").match(/\b(?:BALCAO_[A-Z0-9_]+|DATABASE_URL|SMTP_URL|MAIL_FROM)\b/g),
  );
  expect(names.size).toBeGreaterThan(10);
  const unknown = [...names].filter(
    (name) => !own.has(name) && !new RegExp(String.raw`^ {2}${name}:`, "m").test(config),
  );
  expect(unknown).toEqual([]);
});

test("the packages name the program, port, addresses and exit codes that the product has", () => {
  const start = read("scripts/start.mjs");
  const program = "packages/server/dist/main.js";
  const options = ["--max-semi-space-size=4", "--heap-growing-percent=20"];
  for (const text of [start, unit, dockerfile]) {
    expect(text).toContain(program);
    for (const option of options) expect(text).toContain(option);
  }
  const port = String(readConfig({}).port);
  expect(dockerfile).toContain(`EXPOSE ${port}`);
  expect(values).toContain(`port: ${port}`);
  expect(read("deploy/Caddyfile")).toContain(`one:${port} two:${port}`);
  expect(unit).toContain(`RestartPreventExitStatus=${exitCodes.needsPeople}`);
  const health =
    read("packages/contract/src/registry.ts") + read("packages/contract/src/health.ts");
  for (const path of ["/health/live", "/health/ready"]) {
    expect(health).toContain(path);
    expect(deployment).toContain(`/api${path}`);
  }
  // The packages wait for a stop as long as the product may take.
  for (const text of [unit, compose, deployment]) expect(text).toMatch(/(=|: )90s?$/m);
});
