import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import pg from "pg";

/** How much of everything a source gets. */
export type SourceSize = {
  companies: number;
  /** Of all companies together; of ten people, one has a second row in the other form of the number, and one a LID. */
  contacts: number;
  messages: number;
};

const at = `"createdAt" timestamptz not null default '2024-01-01', "updatedAt" timestamptz not null default '2024-01-01'`;
const id = `id serial primary key`;
const company = `"companyId" int`;

/** Tables as the reference's migrations leave them, with the columns that are read and some that are not. */
const schema = `
create table "SequelizeMeta" (name varchar primary key);
create table "Plans" (${id}, name varchar, users int, connections int, queues int, value double precision, "useCampaigns" boolean, "useKanban" boolean, ${at});
create table "Companies" (${id}, name varchar, phone varchar, email varchar, status boolean, "planId" int, schedules jsonb, "dueDate" timestamptz, recurrence varchar, ${at});
create table "Settings" (${id}, key varchar, value text, ${company}, ${at});
create table "Users" (${id}, name varchar, email varchar, "passwordHash" varchar, profile varchar, super boolean default false, "allTicket" varchar, "tokenVersion" int default 0, online boolean, "whatsappId" int, ${company}, "resetPassword" varchar, ${at});
create table "Queues" (${id}, name varchar, color varchar, "greetingMessage" text, "outOfHoursMessage" text, "orderQueue" int, schedules jsonb, "integrationId" int, "promptId" int, "mediaPath" varchar, "mediaName" varchar, ${company}, ${at});
create table "UserQueues" ("userId" int, "queueId" int, ${at}, primary key ("userId", "queueId"));
create table "QueueOptions" (${id}, title varchar, message text, option text, "queueId" int, "parentId" int, "mediaPath" varchar, "mediaName" varchar, ${at});
create table "Prompts" (${id}, name text, "apiKey" text, prompt text, "maxTokens" int, "maxMessages" int, temperature int, "promptTokens" int, "completionTokens" int, "totalTokens" int, voice text, "voiceKey" text, "voiceRegion" text, "queueId" int, ${company}, ${at});
create table "QueueIntegrations" (${id}, type text, name text, "projectName" text, "jsonContent" text, language text, "urlN8N" text, "typebotSlug" text, "typebotExpires" int, "typebotKeywordFinish" text, "typebotUnknownMessage" text, "typebotDelayMessage" int, "typebotKeywordRestart" text, "typebotRestartMessage" text, ${company}, ${at});
create table "Whatsapps" (${id}, name varchar, session text, qrcode text, status varchar, battery varchar, plugged boolean, "isDefault" boolean, retries int, number varchar, token text, provider text, "greetingMessage" text, "complationMessage" text, "outOfHoursMessage" text, "ratingMessage" text, "farewellMessage" text, "expiresInactiveMessage" text, "expiresTicket" int, "timeUseBotQueues" varchar, "maxUseBotQueues" int, "timeToTransfer" int, "transferQueueId" int, "promptId" int, "integrationId" int, ${company}, ${at});
create table "WhatsappQueues" ("whatsappId" int, "queueId" int, ${at}, primary key ("whatsappId", "queueId"));
create table "Baileys" (${id}, contacts text, chats text, "whatsappId" int, ${at});
create table "Tags" (${id}, name varchar, color varchar, kanban int, ${company}, ${at});
create table "Contacts" (${id}, name varchar, number varchar, email varchar, "profilePicUrl" text, "isGroup" boolean default false, active boolean default true, "disableBot" boolean default false, "whatsappId" int, ${company}, ${at}, unique (number, "companyId"));
create table "ContactCustomFields" (${id}, name varchar, value varchar, "contactId" int, ${at});
create table "Tickets" (${id}, uuid uuid default gen_random_uuid(), status varchar, "unreadMessages" int default 0, "lastMessage" text, "contactId" int, "userId" int, "whatsappId" int, "isGroup" boolean default false, "queueId" int, chatbot boolean, "queueOptionId" int, "useIntegration" boolean, "integrationId" int, "promptId" int, "amountUsedBotQueues" int, "fromMe" boolean, ${company}, ${at});
create table "TicketTraking" (${id}, "ticketId" int, "userId" int, "whatsappId" int, "queuedAt" timestamptz, "startedAt" timestamptz, "finishedAt" timestamptz, "ratingAt" timestamptz, "chatbotAt" timestamptz, rated boolean, ${company}, ${at});
create table "UserRatings" (${id}, "ticketId" int, "userId" int, rate int, ${company}, ${at});
create table "TicketTags" ("ticketId" int, "tagId" int, ${at});
create table "TicketNotes" (${id}, note varchar, "userId" int, "contactId" int, "ticketId" int, ${at});
create table "Messages" (id varchar primary key, "remoteJid" text, participant text, "dataJson" text, ack int default 0, read boolean default false, "fromMe" boolean default false, body text, "mediaUrl" varchar, "mediaType" varchar, "isDeleted" boolean default false, "isEdited" boolean default false, "isForwarded" boolean default false, "ticketId" int, "contactId" int, "quotedMsgId" varchar, "queueId" int, ${company}, ${at});
create table "QuickMessages" (${id}, shortcode varchar, message text, "userId" int, geral boolean, "mediaPath" varchar, "mediaName" varchar, ${company}, ${at});
create table "Schedules" (${id}, body text, "sendAt" timestamptz, "sentAt" timestamptz, "contactId" int, "ticketId" int, "userId" int, status varchar, "mediaPath" varchar, "mediaName" varchar, ${company}, ${at});
create table "ContactLists" (${id}, name varchar, ${company}, ${at});
create table "ContactListItems" (${id}, name varchar, number varchar, email varchar, "contactListId" int, "isWhatsappValid" boolean, ${company}, ${at});
create table "Campaigns" (${id}, name varchar, message1 text, message2 text, message3 text, message4 text, message5 text, "confirmationMessage1" text, status varchar, confirmation boolean, "scheduledAt" timestamptz, "completedAt" timestamptz, "contactListId" int, "whatsappId" int, "mediaPath" varchar, "mediaName" varchar, ${company}, ${at});
create table "CampaignShipping" (${id}, "jobId" varchar, number varchar, message text, "confirmationMessage" text, confirmation boolean, "contactId" int, "campaignId" int, "confirmationRequestedAt" timestamptz, "confirmedAt" timestamptz, "deliveredAt" timestamptz, ${at});
create table "Invoices" (${id}, detail varchar, status varchar, value double precision, "dueDate" varchar, ${company}, ${at});
create table "Chats" (${id}, title text, uuid varchar, "ownerId" int, "lastMessage" text, ${company}, ${at});
create table "ChatUsers" (${id}, "chatId" int, "userId" int, unreads int, ${at});
create table "ChatMessages" (${id}, "chatId" int, "senderId" int, message text, "mediaPath" text, "mediaName" text, ${at});
create table "CampaignSettings" (${id}, key varchar, value text, ${company}, ${at});
`;

/** The password of every account, with a bcrypt hash of the usual cost. */
export const OLD_PASSWORD = "mudar123";
const OLD_HASH = "$2a$08$Inc3244kf9NMIjSng0E25eLro51YpJ0R6HznsIgZkQ0HNlWYdpxse";

/** Makes the tables and fills them for a trial, the same with each run. */
export async function fillSource(url: string, size: SourceSize): Promise<void> {
  await onSource(url, async (query) => {
    await query(schema);
    const perCompany = (n: number) => Math.max(1, Math.floor(n / size.companies));
    const people = perCompany(size.contacts);
    const [contacts, tickets, messages] = [
      people,
      perCompany(size.contacts * 0.6),
      perCompany(size.messages),
    ];
    await query(`
      insert into "Plans" values (1, 'Plano 1', 10, 10, 10, 99.89999999999999, true, false);
      insert into "Companies" select n, 'Empresa ' || n, '11999990000', 'contato' || n || '@empresa.example', true, 1, '[]', '2027-01-01', 'MENSAL'
        from generate_series(1, ${size.companies}) n;
      insert into "Settings" (key, value, "companyId") select k, v, n from generate_series(1, ${size.companies}) n,
        (values ('userRating', 'enabled'), ('asaas', 'chave-secreta'), ('timeCreateNewTicket', '10')) s (k, v);
      insert into "Queues" (id, name, color, "companyId") select n * 10 + q, 'Fila ' || q, '#00000' || q, n from generate_series(1, ${size.companies}) n, generate_series(1, 3) q;
      insert into "Whatsapps" (id, name, status, "isDefault", token, session, "greetingMessage", "expiresTicket", "timeUseBotQueues", "companyId")
        select n * 10 + w, 'Conexão ' || w, 'CONNECTED', w = 1, 'token-' || n || '-' || w, '{"noiseKey":"segredo"}', 'Olá', 30, '0', n
        from generate_series(1, ${size.companies}) n, generate_series(1, 2) w;
      insert into "Users" (id, name, email, "passwordHash", profile, super, "allTicket", "companyId")
        select n * 10 + u, 'Pessoa ' || u, 'pessoa' || u || '@empresa' || n || '.example', '${OLD_HASH}', case when u = 1 then 'admin' else 'user' end, u = 1 and n = 1, 'enabled', n
        from generate_series(1, ${size.companies}) n, generate_series(1, 4) u;
      insert into "UserQueues" select n * 10 + u, n * 10 + q from generate_series(1, ${size.companies}) n, generate_series(1, 4) u, generate_series(1, 3) q;
      insert into "WhatsappQueues" select n * 10 + w, n * 10 + q from generate_series(1, ${size.companies}) n, generate_series(1, 2) w, generate_series(1, 3) q;
      insert into "Tags" (id, name, color, kanban, "companyId") select n * 10 + t, 'Tag ' || t, '#112233', t % 2, n from generate_series(1, ${size.companies}) n, generate_series(1, 4) t;
      insert into "Contacts" (id, name, number, email, "isGroup", "companyId", "createdAt", "updatedAt")
        select n * ${IDS} + c, case when c % 10 = 8 then '' else 'Cliente ' || c end,
          case when c % 10 = 8 then '5511' || (70000000 + c - 8) when c % 10 = 7 then (100000000000000 + c)::text
            when c % 50 = 9 then '120363' || (100000000000 + c) when c % 10 = 0 then '55119' || (70000000 + c) else '55219' || (80000000 + c) end,
          case when c % 4 = 0 then 'cliente' || c || '@correio.example' else '' end, c % 50 = 9, n,
          timestamptz '2024-01-01' + c * interval '1 minute', timestamptz '2024-06-01' + c * interval '1 minute'
        from generate_series(1, ${size.companies}) n, generate_series(0, ${contacts} - 1) c;
      insert into "Tickets" (id, status, "unreadMessages", "lastMessage", "contactId", "userId", "whatsappId", "queueId", "isGroup", "companyId", "createdAt", "updatedAt")
        select n * ${IDS} + t, case t % 20 when 0 then 'pending' when 1 then 'open' else 'closed' end, case t % 20 when 0 then 2 else 0 end, 'última',
          n * ${IDS} + t % ${contacts}, case when t % 20 = 0 then null else n * 10 + 1 + t % 4 end, n * 10 + 1 + (t / 7) % 2, n * 10 + 1 + t % 3, (t % ${contacts}) % 50 = 9, n,
          timestamptz '2024-02-01' + t * interval '1 minute', timestamptz '2024-07-01' + t * interval '1 minute'
        from generate_series(1, ${size.companies}) n, generate_series(0, ${tickets} - 1) t;
      insert into "TicketTraking" ("ticketId", "userId", "whatsappId", "queuedAt", "startedAt", "finishedAt", "ratingAt", rated, "companyId", "createdAt")
        select t.id, t."userId", t."whatsappId", t."createdAt", t."createdAt" + interval '1 minute', case when t.status = 'closed' then t."updatedAt" end, case when t.id % 10 = 5 then t."updatedAt" end, t.id % 10 = 5, t."companyId", t."createdAt"
        from "Tickets" t where t.id % 5 <> 4;
      insert into "UserRatings" ("ticketId", "userId", rate, "companyId", "createdAt") select id, "userId", 1 + id % 3, "companyId", "updatedAt" from "Tickets" where id % 10 = 5 and status = 'closed';
      insert into "TicketTags" ("ticketId", "tagId") select id, "companyId" * 10 + 1 + id % 4 from "Tickets" where id % 3 = 0;
      insert into "TicketTags" ("ticketId", "tagId") select id, "companyId" * 10 + 1 + id % 4 from "Tickets" where id % 30 = 0;
      insert into "Messages" (id, ack, read, "fromMe", body, "mediaUrl", "mediaType", "ticketId", "contactId", "quotedMsgId", "queueId", "companyId", "createdAt", "updatedAt", "dataJson")
        select upper(md5('m' || n || '-' || m)), 3, not (t.status = 'pending'), m % 2 = 1,
          case when m % 40 = 2 then 'foto.jpg' else 'Mensagem ' || m || ' sobre o pedido ' || (m * 7919 % 100003) || ' com boleto e prazo de entrega' end,
          case when m % 40 = 2 then '17000' || (10000000 + m % 200) || '_foto.jpg' end, case when m % 40 = 2 then 'image' else 'conversation' end,
          t.id, case when m % 2 = 1 then null else t."contactId" end, case when m % 25 = 24 then upper(md5('m' || n || '-' || (m - 1))) end, t."queueId", n,
          timestamptz '2024-03-01' + m * interval '20 seconds', timestamptz '2024-03-01' + m * interval '20 seconds', '{"key":{"id":"' || m || '"},"message":{"conversation":"' || repeat('x', 200) || '"}}'
        from generate_series(1, ${size.companies}) n, generate_series(0, ${messages} - 1) m join lateral (select * from "Tickets" t where t.id = n * ${IDS} + (m / 4) % ${tickets}) t on true;
      create index on "Messages" ("ticketId");
      insert into "ContactLists" (id, name, "companyId") select n, 'Lista', n from generate_series(1, ${size.companies}) n;
      insert into "ContactListItems" (name, number, "contactListId", "isWhatsappValid", "companyId") select name, number, "companyId", true, "companyId" from "Contacts" where id % 100 < 10 and not "isGroup";
      analyze;`);
  });
}

const IDS = 1_000_000;

/** Values that real databases have and none should: each is repaired or told, none ends an import. */
export async function addHostileRows(url: string): Promise<void> {
  await onSource(url, async (query) => {
    await query(`
      insert into "Companies" (id, name, email, status, "planId", schedules, "dueDate") values (90, 'Empresa 1', null, false, 777, '{"não": "são horas"}', null);
      insert into "Settings" (key, value, "companyId") values ('userRating', 'talvez', 90), ('call', 'enabled', 90), ('call', 'disabled', 90);
      insert into "Queues" (id, name, color, "companyId", schedules, "promptId") values (901, 'Vendas', '#ff0000', 90, '"[]"', 5), (902, 'vendas', '#FF0000', 90, null, null), (903, null, 'vermelho', 90, null, null);
      insert into "QueueOptions" (id, title, option, "queueId", "parentId") values (1, 'Um', '1', 901, null), (2, 'Um de novo', '1', 901, null), (3, 'Filho', 'x', 901, 1), (4, 'Órfão', '1', 901, 999), (5, 'Circular', '1', 901, 6), (6, 'Circular', '1', 901, 5);
      insert into "Prompts" (id, name, "apiKey", prompt, "maxTokens", temperature, "queueId", "companyId", voice) values (5, 'Robô', 'sk-muito-secreta-1234', 'Atenda.', 999999, 7, 901, 90, 'voz-nova');
      insert into "QueueIntegrations" (id, type, name, "jsonContent", "urlN8N", "companyId") values (7, 'webhook', 'Gancho', '{quebrado', 'https://gancho.example', 90), (8, 'lamp', 'Outro', null, null, 90);
      insert into "Whatsapps" (id, name, status, "isDefault", token, "transferQueueId", "timeToTransfer", "timeUseBotQueues", "companyId", session) values
        (901, 'Principal', 'CONNECTED', true, 'token-1-1', 901, 5, 'abc', 90, '{"noiseKey":"segredo"}'), (902, 'Principal', 'qrcode', true, '', 999, 0, '', 90, null);
      insert into "Users" (id, name, email, "passwordHash", profile, super, "whatsappId", "companyId") values
        (901, repeat('Nome comprido ', 30), 'PESSOA1@empresa1.example', '$2a$08$quebrado', 'root', true, 999, 90), (902, null, 'sem arroba', null, null, null, null, 90);
      insert into "Tags" (id, name, color, kanban, "companyId") values (901, 'VIP', '#ffffff', 0, 90), (902, 'VIP', '#ffffff', 0, 90), (903, null, 'azul', 9, 90);
      insert into "Contacts" (id, name, number, email, "isGroup", "companyId", "updatedAt") values
        (90, 'Com nove', '5511987654321', '', false, 90, '2024-05-01'), (91, '551187654321', '551187654321', 'ana@correio.example', false, 90, '2024-06-01'),
        (92, 'Privado', '123456789012345@lid', '', false, 90, '2024-01-01'), (93, 'Grupo', '120363041234567890', '', true, 90, '2024-01-01'),
        (94, 'Grupo velho', '5511987654321-1500000000@g.us', '', false, 90, '2024-01-01'), (95, null, 'abc', '', null, 90, '2024-01-01'),
        (96, 'Stories', 'status@broadcast', '', false, 90, '2024-01-01'), (97, repeat('🙂', 150), '5511912345678', '', false, 90, '2024-01-01');
      insert into "ContactCustomFields" (name, value, "contactId") values ('CPF', '123', 90), ('Perdido', 'x', 99999);
      insert into "Tickets" (id, status, "unreadMessages", "contactId", "userId", "whatsappId", "queueId", "companyId", "createdAt", "updatedAt") values
        (90, 'closed', 9, 90, 901, 901, 901, 90, '2024-01-02', '2024-01-03'), (91, 'open', 1, 91, 901, 901, 999, 90, '2024-02-02', '2024-02-03'),
        (92, 'open', 1, 92, 999, 901, 901, 90, '2024-02-02', '2024-02-03'), (93, 'nps', 0, 93, null, null, null, 90, '2024-02-02', '2024-02-03'),
        (94, 'inventado', 0, 95, null, 902, null, 90, '2024-02-02', '2024-02-03'), (95, 'pending', 1, 99999, null, 901, null, 90, '2024-02-02', '2024-02-03');
      insert into "TicketTraking" ("ticketId", "userId", "queuedAt", "startedAt", "finishedAt", "companyId", "createdAt") values
        (90, 901, '2023-01-01', '2026-01-01', '2020-01-01', 90, '2024-01-02'), (91, 901, null, null, '2024-02-02 12:00', 90, '2024-02-02');
      insert into "UserRatings" ("ticketId", "userId", rate, "companyId", "createdAt") values (90, 901, 5, 90, '2024-01-03'), (90, 901, 2, 90, '2024-01-04'), (99999, 901, 1, 90, '2024-01-04'), (90, 901, 0, 90, '2024-01-04');
      insert into "TicketTags" ("ticketId", "tagId") values (90, 901), (90, 901), (91, 902), (99999, 901), (90, 999);
      insert into "TicketNotes" (note, "userId", "contactId", "ticketId") values ('Ligar amanhã', 901, 90, 90), ('Perdida', 901, 90, 99999), (null, 901, 90, 90);
      insert into "Messages" (id, ack, read, "fromMe", body, "mediaUrl", "mediaType", "isDeleted", "isEdited", "ticketId", "contactId", "quotedMsgId", "companyId", "createdAt") values
        ('H1', 99, false, false, 'Preciso da segunda via', null, 'conversation', false, false, 90, 90, null, 90, '2024-01-02 10:00'),
        ('H2', 0, true, true, e'\\u200eBem-vindo!', null, 'extendedTextMessage', false, false, 90, null, 'H1', 90, '2024-01-02 10:01'),
        ('H3', 3, true, true, 'Segue.', null, null, false, true, 90, null, 'INEXISTENTE', 90, '2024-01-02 10:05'),
        ('H4', 3, false, false, 'Apagada', null, 'chat', true, false, 90, 90, null, 90, '2024-01-02 10:06'),
        ('H5', 3, false, false, '👍', null, 'reactionMessage', false, false, 90, 90, 'H3', 90, '2024-01-02 10:07'),
        ('H6', 3, false, false, 'data:image/png;base64,AAAA|https://maps.google.com/maps?q=-23.561684%2C-46.655981&z=17|Av. Paulista', null, 'locationMessage', false, false, 90, 90, null, 90, '2024-01-02 10:08'),
        ('H7', 3, false, false, e'BEGIN:VCARD\\nFN:Bia\\nTEL;type=CELL:+55 11 98888-7777\\nEND:VCARD', null, 'contactMessage', false, false, 90, 90, null, 90, '2024-01-02 10:09'),
        ('H8', 3, false, false, 'Áudio', 'company90/1700000000000.ogg', 'audio', false, false, 91, 91, null, 90, '2024-02-02 10:00'),
        ('H9', 3, false, false, 'senha.txt', '../../segredo/senha.txt', 'application', false, false, 91, 91, null, 90, '2024-02-02 10:01'),
        ('H10', 3, false, false, 'Segue a foto', 'https://api.empresa.example/public/company90/1700000000001_foto.png', 'image', false, false, 91, 91, null, 90, '2024-02-02 10:02'),
        ('H11', 3, false, false, 'Sem ticket', null, 'conversation', false, false, null, 91, null, 90, '2024-02-02'),
        ('H12', 3, false, false, 'Ticket que não existe', null, 'conversation', false, false, 99999, 91, null, 90, '2024-02-02'),
        ('H13', 3, false, false, 'Ticket sem contato', null, 'conversation', false, false, 95, 91, null, 90, '2024-02-02'),
        ('H14', 3, false, false, e'tab\\t barra \\\\ linha\\n fim', null, 'conversation', false, false, 91, 91, 'H1', 90, '2024-02-02 10:03'),
        ('H15', 3, false, false, null, null, 'conversation', false, false, 93, 99999, null, 90, '0001-01-01');
      insert into "QuickMessages" (shortcode, message, "userId", geral, "mediaPath", "companyId") values ('oi', 'Olá!', 901, false, null, 90), (null, null, 999, null, 'x.png', 90);
      insert into "Schedules" (body, "sendAt", "sentAt", "contactId", status, "companyId") values ('Enviada', '2024-01-05', '2024-01-05', 90, 'ENVIADA', 90), ('Futura', '2099-01-01', null, 90, 'PENDENTE', 90), ('Presa', '2024-01-01', null, 90, 'AGENDADA', 90), ('Perdida', '2024-01-01', null, 999, 'PENDENTE', 90);
      insert into "ContactLists" (id, name, "companyId") values (90, null, 90);
      insert into "ContactListItems" (name, number, "contactListId", "companyId") values ('A', '5511987654321', 90, 90), ('A de novo', '551187654321', 90, 90), ('Curto', '12', 90, 90), ('Sem lista', '5511987650000', 99, 90);
      insert into "Campaigns" (id, name, message1, status, "scheduledAt", "contactListId", "whatsappId", "companyId") values (90, 'Natal', 'Feliz Natal', 'EM_ANDAMENTO', '2024-12-20', 90, 901, 90), (91, 'Ano novo', 'Feliz 2099', 'PROGRAMADA', '2098-12-31', 90, 901, 90), (92, 'Velha', 'Oi', 'FINALIZADA', '2023-12-31', 90, 999, 90);
      insert into "CampaignShipping" ("campaignId", number, message, "deliveredAt") values (90, '5511987654321', 'Feliz Natal', '2024-12-20'), (90, '551187654321', 'Feliz Natal', null), (90, '5511912345678', 'Feliz Natal', null), (999, '5511912345678', 'x', null);
      insert into "Invoices" (id, detail, status, value, "dueDate", "companyId") values (1, 'Plano', 'open', 99.89999999999999, '2024-01-10', 90), (2, 'Plano', 'open', 99.9, '10/02/2024', 90), (3, 'Plano', 'paid', 'NaN', 'amanhã', 90);
      insert into "Chats" (id, title, uuid, "ownerId", "companyId") values (90, null, 'x', 901, 90), (91, 'Sem dono', 'y', 999, 90);
      insert into "ChatUsers" ("chatId", "userId", unreads) values (90, 901, 1), (90, 901, 1), (90, 902, 0), (91, 901, 0);
      insert into "ChatMessages" ("chatId", "senderId", message) values (90, 901, 'Bom dia'), (90, 999, 'De quem?'), (91, 901, 'x');
      insert into "CampaignSettings" (key, value, "companyId") values ('messageInterval', '20', 90);`);
  });
}

/** The files that the messages name, as the other product keeps them; `content` of each picture. */
export async function makeMedia(
  folder: string,
  content: Uint8Array,
  size: { companies: number; files: number },
): Promise<void> {
  for (let n = 1; n <= size.companies; n += 1) {
    for (let file = 0; file < size.files; file += 1) {
      const path = join(folder, `company${n}`, `17000${10_000_000 + file}_foto.jpg`);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
  }
}

type Ask = (text: string) => Promise<Record<string, unknown>[]>;

/** Runs statements on a source. */
export async function onSource<T>(url: string, work: (query: Ask) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(async (text) => (await client.query<Record<string, unknown>>(text)).rows);
  } finally {
    await client.end();
  }
}

/** `node … source-database.ts postgres://… companies contacts messages [folder]` makes a source for a trial. */
if (import.meta.main) {
  const [url = "", companies = "3", contacts = "50000", messages = "200000", folder] =
    process.argv.slice(2);
  const size = {
    companies: Number(companies),
    contacts: Number(contacts),
    messages: Number(messages),
  };
  await fillSource(url, size);
  await addHostileRows(url);
  if (folder !== undefined) {
    const { picture } = await import("../../../testing/media-samples.ts");
    await makeMedia(folder, await picture("jpeg"), { companies: size.companies, files: 200 });
  }
}
