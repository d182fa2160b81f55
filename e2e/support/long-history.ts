import { changeMany } from "./database.ts";
import type { Account, Product } from "./product.ts";

/**
 * A company of its own, in which one agent serves as many tickets as wanted at the same time; the agent has the
 * password of `like`.
 */
export async function addBusyCompany(
  product: Product,
  like: Account,
  openTickets: number,
): Promise<Account> {
  const agent = { name: "Íris Ocupada", email: `ocupada-${like.email}`, password: like.password };
  await changeMany(product, [
    {
      statement: `insert into companies (name, email, plan_id, due_date)
        select 'Empresa ocupada ' || $1, $1, plan_id, due_date from companies
          join users on users.company_id = companies.id where users.email = $2`,
      values: [agent.email, like.email],
    },
    {
      statement: `insert into settings (company_id, key, value)
        select company.id, key, value from settings
          join users on users.company_id = settings.company_id and users.email = $2
          join companies company on company.email = $1`,
      values: [agent.email, like.email],
    },
    {
      statement: `insert into users (company_id, name, email, password_hash, profile, all_ticket)
        select company.id, $3, $1, users.password_hash, 'user', 'enabled'
          from users, companies company where users.email = $2 and company.email = $1`,
      values: [agent.email, like.email, agent.name],
    },
    {
      statement: `insert into contacts (company_id, name, number)
        select id, 'Cliente ' || lpad(n::text, 5, '0'), '55119' || (60000000 + n)
          from companies, generate_series(1, $2::int) n where email = $1`,
      values: [agent.email, openTickets],
    },
    {
      statement: `insert into tickets (company_id, uuid, contact_id, status, user_id, unread_messages, last_message,
                                       last_message_at, created_at, updated_at)
        select contacts.company_id, gen_random_uuid(), contacts.id, 'open', users.id, contacts.id % 4,
               'Bom dia, gostaria de saber do pedido ' || contacts.id, at, at, at
          from users join contacts on contacts.company_id = users.company_id,
               lateral (select date_trunc('milliseconds', now()) - right(contacts.name, 5)::int * interval '1 min' as at) moment
         where users.email = $1`,
      values: [agent.email],
    },
  ]);
  return agent;
}

/** Puts older messages before those of a customer's ticket, from both sides in turns, a minute apart. */
export async function addOlderMessages(
  product: Product,
  customerName: string,
  count: number,
): Promise<void> {
  await changeMany(product, [
    {
      statement: `insert into messages (company_id, id, ticket_id, connection_id, provider_id, contact_id, user_id, body,
                                        from_me, read, ack, media_type, queue_id, created_at, updated_at)
        select t.company_id, uuidv7(at - now()), t.id, t.connection_id, 'antiga-' || t.id || '-' || n,
               case when n % 3 > 0 then t.contact_id end, case when n % 3 = 0 then t.user_id end,
               'Mensagem antiga ' || n || repeat(' com mais algumas palavras', n % 7),
               n % 3 = 0, true, 3, 'conversation', t.queue_id, at, at
          from tickets t join contacts c on c.id = t.contact_id and c.name = $1, generate_series(1, $2::int) n,
               lateral (select date_trunc('milliseconds', t.created_at) - ($2::int - n + 1) * interval '1 min' as at) moment
         order by n`,
      values: [customerName, count],
    },
  ]);
}

/** Gives the user's company as many contacts who have never written. */
export async function addContacts(
  product: Product,
  user: Pick<Account, "email">,
  count: number,
): Promise<void> {
  await changeMany(product, [
    {
      statement: `insert into contacts (company_id, name, number)
        select company_id, 'Pessoa ' || lpad(n::text, 6, '0'), '5521' || (900000000 + n)
          from users, generate_series(1, $2::int) n where email = $1`,
      values: [user.email, count],
    },
  ]);
}
