import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@balcao/server/src/platform/db/embedded/index.ts";
import type { Installation } from "@balcao/server/src/platform/db/installation.ts";
import { prepareInstallation } from "@balcao/server/src/platform/db/installation.ts";
import { systemSources } from "@balcao/server/src/platform/sources.ts";
import pg from "pg";

/** One database of the product on the benchmark's server. */
export type BenchDatabase = Installation & { name: string; ownerUrl: string };

export type BenchPostgres = {
  /** A new database with the product's schema. */
  create(name: string): Promise<BenchDatabase>;
  /** A copy of a database that nobody is connected to, with the same rows and the same roles. */
  copy(source: BenchDatabase, name: string): Promise<BenchDatabase>;
  /** A folder of its own for whoever starts the product. */
  folder(name: string): string;
  stop(): Promise<void>;
};

/** The product's own embedded PostgreSQL with its own settings (durable), in a folder that is removed at the end. */
export async function startPostgres(): Promise<BenchPostgres> {
  const root = await mkdtemp(join(tmpdir(), "balcao-bench-"));
  const server = await startEmbeddedPostgres({
    dataDir: join(root, "server"),
    database: "bench",
    log: () => undefined,
  });
  const urlOf = (name: string): string => {
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    return url.toString();
  };

  return {
    async create(name) {
      await run(server.url, [`create database ${name}`]);
      const ownerUrl = urlOf(name);
      return { name, ownerUrl, ...(await prepareInstallation(ownerUrl, systemSources.random)) };
    },
    async copy(source, name) {
      await run(server.url, [`create database ${name} template ${source.name}`]);
      const inCopy = (address: string): string => {
        const url = new URL(address);
        url.pathname = `/${name}`;
        return url.toString();
      };
      const [appUrl, serviceUrl] = [inCopy(source.appUrl), inCopy(source.serviceUrl)];
      return { ...source, name, ownerUrl: urlOf(name), appUrl, serviceUrl };
    },
    folder: (name) => join(root, name),
    async stop() {
      await server.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** Runs statements one after the other on one session. */
async function run(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
