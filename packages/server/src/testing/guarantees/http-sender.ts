import { sql } from "drizzle-orm";
import type { IncomingHttpHeaders } from "node:http";
import { Agent, request as openRequest } from "node:http";
import type { Database } from "../../platform/db/database.ts";
import { atEndOfFile } from "../end-of-file.ts";

export type RawRequest = {
  method: string;
  /** Path and query as sent on the wire, without escaping. */
  target: string;
  headers?: Record<string, string>;
  /** Sent unchanged; with `chunked` without its length. */
  body?: string | Buffer;
  chunked?: boolean;
};

export type Answer = { status: number; headers: IncomingHttpHeaders; body: unknown; text: string };

type Sender = (request: RawRequest) => Promise<Answer>;

/** Time limit of an answer that never comes; an upload waits for a process of low priority. */
const ANSWER_LIMIT_MS = 40_000;

/** Sends requests that no client library would send; rejects without an answer in time. */
export function createSender(url: string): Sender {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  atEndOfFile(async () => agent.destroy());

  return ({ method, target, headers = {}, body, chunked = false }) =>
    new Promise((resolve, reject) => {
      const framing = framingOf(body, chunked);
      const request = openRequest({
        ...{ agent, hostname, port, method, path: target },
        headers: { ...framing, ...headers },
        signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
      });
      let answered = false;
      request.on("response", (reply) => {
        answered = true;
        let text = "";
        reply.setEncoding("utf8");
        reply.on("data", (chunk: string) => {
          text += chunk;
        });
        reply.on("error", reject);
        reply.on("end", () => {
          const { statusCode = 0, headers: replyHeaders } = reply;
          resolve({ status: statusCode, headers: replyHeaders, body: parse(text), text });
        });
      });
      request.on("error", (error) => {
        // A server that refuses a body may stop reading it.
        if (!answered) reject(new Error(`${method} ${target.slice(0, 200)}`, { cause: error }));
      });
      request.end(body);
    });
}

/** Always set: for some methods the client would send a body without framing, which the server reads as a second request. */
function framingOf(body: RawRequest["body"], chunked: boolean): Record<string, string> {
  if (body === undefined) return {};
  if (chunked) return { "transfer-encoding": "chunked" };
  return { "content-length": String(Buffer.byteLength(body)) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One row that a committed transaction inserted, changed or deleted: `update tickets`. */
type Write = { what: string; companyIds: number[] };

type Writes = {
  /** Those since the last call. */
  take(): Promise<Write[]>;
};

/** Counting refused sign-ins and wrong codes, noting refused calls, and holding their keys, is what these tables are for. */
const CHANGED_BY_REFUSALS = [
  ...["login_attempts", "password_resets", "api_calls", "api_repeats"],
  ...["sign_ins", "sign_in_challenges"],
];

/**
 * Notes each changed row by a trigger on every table. Asking for the notes costs a hundredth of comparing all rows before
 * and after a request, and names what was written. An update that leaves the row as it was is none.
 */
export async function watchWrites(db: Database): Promise<Writes> {
  await db.acrossCompanies(async (tx) => {
    await tx.query(
      sql.raw(`
      create table seen_writes (id bigserial primary key, what text not null, company_ids int[] not null);
      create function note_write() returns trigger language plpgsql security definer as $$
      declare
        key text := case when tg_table_name = 'companies' then 'id' else 'company_id' end;
      begin
        if tg_op <> 'UPDATE' or old::text <> new::text then
          insert into public.seen_writes (what, company_ids)
          values (lower(tg_op) || ' ' || tg_table_name,
                  array_remove(array[(to_jsonb(old) ->> key)::int, (to_jsonb(new) ->> key)::int], null));
        end if;
        return null;
      end $$;
      do $$
      declare
        watched text;
      begin
        for watched in
          select c.table_name from information_schema.tables c
           where c.table_schema = 'public' and c.table_type = 'BASE TABLE'
             and c.table_name <> all (array['seen_writes', '${CHANGED_BY_REFUSALS.join("', '")}'])
        loop
          execute format('create trigger note_write after insert or update or delete on %I '
                         'for each row execute function note_write()', watched);
        end loop;
      end $$`),
    );
  });
  const take = (): Promise<Write[]> =>
    db.acrossCompanies((tx) =>
      tx.query<Write>(sql`
        with taken as (delete from seen_writes returning *)
        select what, company_ids as "companyIds" from taken order by id`),
    );
  // It would prove nothing if the triggers saw nothing.
  await db.acrossCompanies((tx) =>
    tx.query(sql`insert into installation (key, value) values ('watched', 'yes')`),
  );
  const [seen] = await take();
  if (seen?.what !== "insert installation") throw new Error("writes are not seen");
  return { take };
}
