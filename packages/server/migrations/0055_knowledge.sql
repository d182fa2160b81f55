-- Words of a text as the knowledge base compares them: without accents, and with one form of plurals in -ões, which the stemmer
-- knows only with their accents.
CREATE FUNCTION f_words(text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
  AS $$ SELECT to_tsvector('pg_catalog.portuguese'::regconfig, regexp_replace(public.f_norm($1), 'oes\M', 'ao', 'g')) $$;
--> statement-breakpoint
CREATE TABLE "knowledge_items" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "knowledge_items_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"kind" text NOT NULL,
	"title" text NOT NULL,
	"text" text NOT NULL,
	"file_name" text DEFAULT '' NOT NULL,
	"file_bytes" integer DEFAULT 0 NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"user_id" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "knowledge_items_company_id" UNIQUE("company_id","id")
);
--> statement-breakpoint
CREATE TABLE "knowledge_parts" (
	"company_id" integer NOT NULL,
	"item_id" integer NOT NULL,
	"position" integer NOT NULL,
	"text" text NOT NULL,
	"words" "tsvector" NOT NULL,
	CONSTRAINT "knowledge_parts_company_id_item_id_position_pk" PRIMARY KEY("company_id","item_id","position")
);
--> statement-breakpoint
ALTER TABLE "prompts" ADD COLUMN "use_knowledge" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "knowledge_items" ADD CONSTRAINT "knowledge_items_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "knowledge_parts" ADD CONSTRAINT "knowledge_parts_item" FOREIGN KEY ("company_id","item_id") REFERENCES "public"."knowledge_items"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "knowledge_items_user" ON "knowledge_items" USING btree ("company_id","user_id");--> statement-breakpoint
CREATE INDEX "knowledge_parts_words" ON "knowledge_parts" USING gin ("company_id","words");
--> statement-breakpoint
SELECT isolate_tenants('knowledge_items');
--> statement-breakpoint
SELECT isolate_tenants('knowledge_parts');
--> statement-breakpoint
-- Of each word, so many parts of the company's active items that have it: all parts of a rare word, some of a word that stands
-- everywhere. Under row-level security PostgreSQL uses no index for the words, because their operator is not leakproof; this
-- function reads as the owner and names the company itself, the one that row-level security is set to.
CREATE FUNCTION knowledge_candidates(wanted tsquery[], most integer)
RETURNS TABLE (item_id integer, place integer, part text, words tsvector, title text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp ROWS 300 AS $$
  SELECT DISTINCT ON (found.item_id, found.position) found.*
  FROM unnest(wanted) AS word
  CROSS JOIN LATERAL (
    SELECT p.item_id, p.position, p.text, p.words, i.title
    FROM knowledge_parts p
    JOIN knowledge_items i ON i.company_id = p.company_id AND i.id = p.item_id AND i.is_active
    WHERE p.company_id = nullif(current_setting('app.company_id', true), '')::integer AND p.words @@ word
    LIMIT most
  ) found
$$;
