SELECT isolate_tenants(name::regclass) FROM unnest(ARRAY[
  'files', 'message_media', 'media_downloads', 'message_reactions', 'ticket_notes', 'drafts', 'contact_extra_info',
  'quick_messages', 'schedules', 'channel_questions']) AS name;
--> statement-breakpoint
-- Foreign keys that clear only their own column: the tenant key of the row stays.
ALTER TABLE message_reactions ADD CONSTRAINT message_reactions_user FOREIGN KEY (company_id, user_id)
  REFERENCES users (company_id, id) ON DELETE SET NULL (user_id);
--> statement-breakpoint
ALTER TABLE ticket_notes ADD CONSTRAINT ticket_notes_user FOREIGN KEY (company_id, user_id)
  REFERENCES users (company_id, id) ON DELETE SET NULL (user_id);
--> statement-breakpoint
ALTER TABLE quick_messages ADD CONSTRAINT quick_messages_owner FOREIGN KEY (company_id, user_id)
  REFERENCES users (company_id, id) ON DELETE SET NULL (user_id);
--> statement-breakpoint
ALTER TABLE schedules
  ADD CONSTRAINT schedules_owner FOREIGN KEY (company_id, user_id)
    REFERENCES users (company_id, id) ON DELETE SET NULL (user_id),
  ADD CONSTRAINT schedules_ticket FOREIGN KEY (company_id, ticket_id)
    REFERENCES tickets (company_id, id) ON DELETE SET NULL (ticket_id),
  ADD CONSTRAINT schedules_message_row FOREIGN KEY (company_id, message_id)
    REFERENCES messages (company_id, id) ON DELETE SET NULL (message_id);
--> statement-breakpoint
ALTER TABLE drafts ADD CONSTRAINT drafts_quoted FOREIGN KEY (company_id, quoted_message_id)
  REFERENCES messages (company_id, id) ON DELETE SET NULL (quoted_message_id);
