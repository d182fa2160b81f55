SELECT isolate_tenants(name::regclass) FROM unnest(ARRAY[
  'whatsapp_credentials', 'whatsapp_keys', 'whatsapp_plaintexts', 'whatsapp_sent', 'cloud_accounts',
  'cloud_deliveries', 'cloud_message_ids']) AS name;
--> statement-breakpoint
-- What the customers of today wrote last.
UPDATE tickets t SET last_customer_message_at = m.at
  FROM (SELECT company_id, ticket_id, max(created_at) AS at FROM messages WHERE NOT from_me GROUP BY 1, 2) m
 WHERE m.company_id = t.company_id AND m.ticket_id = t.id;
