import pg from "pg";
import type { Company } from "./companies.ts";
import type { BenchDatabase } from "./postgres.ts";

export const TICKETS = 100_000;
export const MESSAGES = 1_000_000;
const MESSAGES_PER_TICKET = MESSAGES / TICKETS;
/** Two of three of the newest tickets are open, one waits; all older ones are closed. */
const LIVING_TICKETS = 3_000;

/**
 * One company's past year: a contact and a ticket each, an attendance (or two), ten messages. Written by SQL with foreign
 * keys unchecked and indexes made afterwards, because a million rows would otherwise take minutes.
 */
export async function addHistory({ ownerUrl }: BenchDatabase, company: Company): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query(
      "set session_replication_role = replica; set maintenance_work_mem = '512MB'",
    );
    await client.query("set synchronous_commit = off");
    await writePlan(client, company);
    await withoutIndexes(client, ["contacts", "tickets", "attendances", "messages"], async () => {
      for (const statement of [contacts, addresses, attendances, messages, tickets, ...tags]) {
        await client.query(statement);
      }
    });
    for (const table of ["contacts", "tickets", "attendances"]) {
      await client.query(
        `select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`,
      );
    }
    await client.query("vacuum analyze");
  } finally {
    await client.end();
  }
}

/**
 * The input of every statement below: each ticket's number, state, agent, one of the agent's queues, time of its last
 * message.
 */
async function writePlan(client: pg.Client, { id, connectionIds }: Company): Promise<void> {
  await client.query(
    `create temp table plan as
     select n, $1::int as company_id, agent.id as agent_id,
            agent.queue_ids[1 + n % cardinality(agent.queue_ids)] as queue_id,
            ($2::int[])[1 + n % cardinality($2)] as connection_id,
            case when n <= ${TICKETS - LIVING_TICKETS} then 'closed' when n % 3 = 0 then 'pending' else 'open' end as status,
            date_trunc('milliseconds', now()) - (${TICKETS} - n) * interval '5 min' as at
       from generate_series(1, ${TICKETS}) n
       join (select user_id as id, array_agg(queue_id order by queue_id) as queue_ids,
                    row_number() over (order by user_id) - 1 as place, count(*) over () as agents
               from user_queues where company_id = $1 group by user_id) agent
         on agent.place = n / 5 % agent.agents`,
    [id, connectionIds],
  );
  await client.query("alter table plan add primary key (n)");
  await client.query("analyze plan");
}

const contacts = `
  insert into contacts (id, company_id, name, number, created_at, updated_at) overriding system value
  select n, company_id,
         (array['Ana','Bruno','Carla','Davi','Elisa','Fábio','Gabriela','Heitor','Inês','João'])[1 + n % 10] || ' ' ||
         (array['Almeida','Barbosa','Costa','Dias','Esteves','Ferreira','Gomes'])[1 + n % 7] || ' ' || n,
         '55119' || (60000000 + n), at, at
    from plan`;

const addresses = `
  insert into contact_addresses (company_id, kind, key, value, contact_id)
  select company_id, 'pn', '55119' || (60000000 + n), '55119' || (60000000 + n), n from plan`;

/** Every third ticket was closed and came back; its newest attendance has the larger id. */
const attendances = `
  insert into attendances (id, company_id, ticket_id, connection_id, user_id, queue_id, queued_at, started_at,
                           finished_at, closed_by, created_at) overriding system value
  select n, company_id, n, connection_id, agent_id, queue_id, at - interval '9 days', at - interval '9 days',
         at - interval '8 days', agent_id, at - interval '9 days'
    from plan where n % 3 = 1
  union all
  select ${TICKETS} + n, company_id, n, connection_id, case when status <> 'pending' then agent_id end, queue_id,
         at - interval '1 hour', case when status <> 'pending' then at - interval '50 min' end,
         case when status = 'closed' then at end, case when status = 'closed' then agent_id end, at - interval '1 hour'
    from plan`;

/**
 * Words of all kinds to search for: "pedido" stands in three of four messages, each thing in one of forty, "garantia" in one
 * of a thousand, each number in one, and "Natal" in a third of them, all of it long ago.
 */
const messages = `
  insert into messages (company_id, id, ticket_id, connection_id, provider_id, contact_id, user_id, body, from_me, read,
                        ack, media_type, queue_id, created_at, updated_at)
  select company_id, uuidv7(sent_at - now()), n, connection_id, 'S-' || n || '-' || k,
         case when k % 2 = 0 then n end, case when k % 2 = 1 then agent_id end,
         (array['Bom dia, gostaria de saber do pedido ','O seu pedido está a caminho, número ',
                'Qual é o prazo de entrega do item ','Segue o boleto do pedido '])[1 + (n + k) % 4] || n * 10 + k
           || ' ' || (array['cadeira','mesa','sofá','colchão','tapete','cortina','luminária','espelho','estante','poltrona',
                            'geladeira','fogão','lavadora','secadora','micro-ondas','liquidificador','batedeira','cafeteira',
                            'torradeira','aspirador','televisão','monitor','teclado','celular','carregador','câmera','relógio',
                            'óculos','mochila','tênis','sandália','camiseta','calça','jaqueta','vestido','bicicleta','patinete',
                            'capacete','boneca','violão'])[1 + (n * 7 + k) % 40]
           || case when (n * 10 + k) % 997 = 0 then ' na garantia' else '' end
           || case when n <= ${TICKETS / 3} then ' para o Natal' else '' end,
         k % 2 = 1, k % 2 = 1 or status <> 'pending', 3, 'conversation', queue_id, sent_at, sent_at
    from (select *, at - (${MESSAGES_PER_TICKET} - k) * interval '3 min' as sent_at
            from plan, generate_series(1, ${MESSAGES_PER_TICKET}) k) sent
   order by n, k`;

const tickets = `
  insert into tickets (id, company_id, uuid, contact_id, connection_id, status, user_id, queue_id, unread_messages,
                       last_message, last_message_id, last_message_at, last_message_from_me, last_message_ack,
                       last_message_queue_id, waiting_since, queued_at, last_attendance_id, served_user_id, served_queue_id, created_at, updated_at) overriding system value
  select n, plan.company_id, gen_random_uuid(), n, plan.connection_id, status,
         case when status = 'open' then agent_id end, case when status <> 'closed' then plan.queue_id end,
         case when status = 'pending' then ${MESSAGES_PER_TICKET / 2} else 0 end,
         body, m.id, m.created_at, from_me, ack, m.queue_id,
         case when status <> 'closed' and not from_me then m.created_at end, at - interval '1 hour', ${TICKETS} + n, case when status = 'closed' then agent_id end,
         case when status = 'closed' then plan.queue_id end, at - interval '1 hour', at
    from plan join messages m on m.provider_id = 'S-' || n || '-${MESSAGES_PER_TICKET}'`;

/** Ten tags; every third ticket has two of them. */
const tags = [
  `insert into tags (company_id, name, color)
   select (select company_id from plan limit 1), 'Etiqueta ' || n, '#00000' || n from generate_series(0, 9) n`,
  `insert into ticket_tags (company_id, ticket_id, tag_id)
   select p.company_id, p.n, t.first + (p.n * 7 + k) % 10
   from plan p, generate_series(1, 2) k, (select min(id) as first from tags where company_id = (select company_id from plan limit 1)) t
   where p.n % 3 = 0`,
];

/** Drops the tables' plain indexes and makes them again after the work. */
export async function withoutIndexes(
  client: pg.Client,
  tables: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
       from pg_index i
      where i.indrelid = any ($1::regclass[])
        and not exists (select 1 from pg_constraint c where c.conindid = i.indexrelid)`,
    [tables],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  await work();
  for (const { definition } of rows) await client.query(definition);
}
