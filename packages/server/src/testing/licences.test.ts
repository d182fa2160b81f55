import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import {
  listParts,
  noticesFile,
  refusedParts,
  writeNotices,
} from "../../../../scripts/lib/licences.mjs";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const read = (path: string): string => readFileSync(root + path, "utf8");
const parts = listParts();

test("every part of another author has a licence that is allowed or was looked at", () => {
  expect(parts.length).toBeGreaterThan(300);
  const described = refusedParts(parts).map(({ name, licence }) => `${name}: ${licence}`);
  expect(described).toEqual([]);
  const [part] = parts;
  if (!part) expect.unreachable();
  const refused = (licence: string | null, name = "one") =>
    refusedParts([{ ...part, name, licence }]).length;
  expect(["MIT", "(MIT OR GPL-3.0)", "Apache-2.0 AND MIT"].map((one) => refused(one))).toEqual([
    ...[0, 0, 0],
  ]);
  expect(
    ["GPL-3.0", "Apache-2.0 AND GPL-3.0", "UNLICENSED", null].map((one) => refused(one)),
  ).toEqual([1, 1, 1, 1]);
  expect(refused("GPL-3.0", "libsignal")).toBe(0);
});

test("the list that the page serves is that of the lock file, and has the texts for what browsers get", () => {
  const notices = read(noticesFile);
  expect(notices, "run: npm run licences").toBe(writeNotices(parts));
  for (const name of ["react", "zod", "@mantine/core"])
    expect(parts.find((part) => part.name === name)).toMatchObject({ isInBrowser: true });
  expect(notices).toContain("Permission is hereby granted, free of charge");
  expect(notices).not.toMatch(/^(vitest|typescript|oxlint) /m);
});

test("the lock file names no address that packages were taken from", () => {
  const entries = Object.values(
    (JSON.parse(read("package-lock.json")) as { packages: Record<string, { resolved?: string }> })
      .packages,
  );
  const outside = entries.flatMap(({ resolved = "" }) =>
    resolved.includes("://") ? [resolved] : [],
  );
  expect(outside).toEqual([]);
});

test("versions are exact, have hashes, and one package alone may run a script when it is installed", () => {
  type Locked = { version?: string; integrity?: string; link?: boolean };
  const { packages } = JSON.parse(read("package-lock.json")) as {
    packages: Record<string, Locked & { dependencies?: Record<string, string> }>;
  };
  const installed = Object.entries(packages).filter(
    ([path, { link }]) => path.includes("node_modules/") && link !== true,
  );
  const without = installed.flatMap(([path, { integrity }]) => (integrity ? [] : [path]));
  expect(without).toEqual([]);
  const ours = Object.entries(packages).filter(([path]) => !path.includes("node_modules/"));
  const loose = ours.flatMap(([path, { dependencies = {} }]) =>
    Object.entries(dependencies).flatMap(([name, version]) =>
      /^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version) ? [] : [`${path}: ${name} ${version}`],
    ),
  );
  expect(loose).toEqual([]);
  const { allowScripts } = JSON.parse(read("package.json")) as {
    allowScripts: Record<string, boolean>;
  };
  expect(Object.keys(allowScripts).filter((name) => allowScripts[name])).toEqual(["node"]);
});
