ALTER TABLE "companies" ADD COLUMN "suspension_reason" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "use_internal" boolean DEFAULT true NOT NULL;--> statement-breakpoint
-- The plan of those who run the installation is not for sale.
UPDATE "plans" SET "use_internal" = false WHERE "id" IN (
  SELECT c.plan_id FROM companies c JOIN users u ON u.company_id = c.id WHERE u.super);
--> statement-breakpoint
-- Sockets that are open learn of another plan, and of another content of their plan, as they do of dates.
DROP TRIGGER companies_rights ON companies;
--> statement-breakpoint
CREATE TRIGGER companies_rights AFTER UPDATE OF due_date, status, plan_id ON companies FOR EACH ROW
  WHEN ((NEW.due_date, NEW.status, NEW.plan_id) IS DISTINCT FROM (OLD.due_date, OLD.status, OLD.plan_id))
  EXECUTE FUNCTION tell_company_rights();
--> statement-breakpoint
CREATE FUNCTION tell_plan_rights() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('balcao_wake', 'company-rights:' || c.id) FROM companies c WHERE c.plan_id = NEW.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER plans_rights AFTER UPDATE ON plans FOR EACH ROW
  WHEN ((NEW.use_campaigns, NEW.use_kanban, NEW.use_open_ai, NEW.use_integrations, NEW.use_schedules, NEW.use_internal_chat, NEW.use_external_api)
    IS DISTINCT FROM (OLD.use_campaigns, OLD.use_kanban, OLD.use_open_ai, OLD.use_integrations, OLD.use_schedules, OLD.use_internal_chat, OLD.use_external_api))
  EXECUTE FUNCTION tell_plan_rights();
