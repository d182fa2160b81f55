-- The company is in the index, so that a word that all companies use is looked up among one company's messages only.
CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA public;
--> statement-breakpoint
-- Costs about 0.05 ms per stored message; without it a search reads every message of the company.
CREATE INDEX messages_body_search ON messages USING gin (company_id, f_norm(body) gin_trgm_ops);
--> statement-breakpoint
-- Deleting a message looks for those that quote it.
CREATE INDEX messages_quoted_index ON messages (company_id, quoted_message_id) WHERE quoted_message_id IS NOT NULL;
--> statement-breakpoint
-- The tickets in which a text stands: in the contact's name or number, or in a message that the reader may read
-- (reader_queues NULL: all). Under row-level security PostgreSQL uses no index for LIKE, because the operator is not
-- leakproof; this function reads as the owner and names the company itself, the one that row-level security is set to.
-- Below three characters there is nothing to look up in a trigram index: then names and last messages are compared, all
-- of them, with a cheaper way to leave the accents out.
CREATE FUNCTION search_tickets(term text, digits text, reader_queues integer[], reader_id integer)
RETURNS SETOF integer LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp ROWS 500 AS $$
DECLARE
  company CONSTANT integer := nullif(current_setting('app.company_id', true), '')::integer;
  normal CONSTANT text := f_norm(term);
  pattern CONSTANT text := '%' || regexp_replace(normal, '([\\%_])', '\\\1', 'g') || '%';
  accented CONSTANT text := 'áàâãäéèêëíìîïóòôõöúùûüçñ';
  plain CONSTANT text := 'aaaaaeeeeiiiiooooouuuucn';
BEGIN
  IF digits <> '' THEN
    RETURN QUERY
      SELECT t.id FROM contacts c
      JOIN tickets t ON t.company_id = c.company_id AND t.contact_id = c.id
      WHERE c.company_id = company AND c.number LIKE '%' || digits || '%';
  END IF;

  IF length(normal) < 3 THEN
    RETURN QUERY
      SELECT t.id FROM tickets t
      JOIN contacts c ON c.company_id = t.company_id AND c.id = t.contact_id
      WHERE t.company_id = company
        AND (translate(lower(c.name), accented, plain) LIKE pattern
          OR translate(lower(t.last_message), accented, plain) LIKE pattern);
    RETURN;
  END IF;

  RETURN QUERY
    SELECT t.id FROM contacts c
    JOIN tickets t ON t.company_id = c.company_id AND t.contact_id = c.id
    WHERE c.company_id = company AND f_norm(c.name) LIKE pattern;

  IF reader_queues IS NULL THEN
    RETURN QUERY
      SELECT DISTINCT m.ticket_id FROM messages m
      WHERE m.company_id = company AND f_norm(m.body) LIKE pattern AND NOT m.is_deleted;
  ELSE
    RETURN QUERY
      SELECT DISTINCT m.ticket_id FROM messages m
      JOIN tickets t ON t.company_id = m.company_id AND t.id = m.ticket_id
      WHERE m.company_id = company AND f_norm(m.body) LIKE pattern AND NOT m.is_deleted
        AND (m.queue_id IS NULL OR m.queue_id = ANY (reader_queues)
          OR (t.user_id = reader_id AND t.queue_id = m.queue_id));
  END IF;
END $$;
--> statement-breakpoint
DO $$
BEGIN
  REVOKE ALL ON FUNCTION search_tickets FROM PUBLIC;
  EXECUTE format('GRANT EXECUTE ON FUNCTION search_tickets TO %I', current_database() || '_app');
END $$;
