-- locks: users for a moment
ALTER TABLE "users" ADD COLUMN "password_set_at" timestamp (3) with time zone;
--> statement-breakpoint
CREATE FUNCTION note_password_set() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.password_set_at := now();
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER users_password_set BEFORE UPDATE OF password_hash ON users FOR EACH ROW
  WHEN (OLD.password_hash IS DISTINCT FROM NEW.password_hash) EXECUTE FUNCTION note_password_set();
