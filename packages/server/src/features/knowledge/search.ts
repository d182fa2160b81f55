import type { FoundKnowledge } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";

const PARTS_MAX = 6;
const CHARACTERS_MAX = 6_000;
/** Parts that match far less than the best one would only distract. */
const LEAST_SHARE = 0.15;
/** Words of a text that are searched for, and parts of each word whose order is worked out. */
const WORDS_MAX = 40;
const CANDIDATES_MAX = 300;
/** Of a word and a title that are alike, with typing errors. */
const LIKENESS_MIN = 0.5;

/** Words that ask for nothing: stop words without their accents, as people write them, and greetings. */
const emptyWords = `nao voce voces vc vcs esta estao sao tambem ate so ja ha la ai pra pro tem tenho oi ola bom boa dia tarde noite
obrigado obrigada favor quero gostaria saber preciso`;

/**
 * What the company's knowledge base says to a text: the parts of active items that have its words, best first, at most
 * six and some 6,000 characters. Rare words count more than frequent ones, and those of the title most. Case and
 * accents do not matter. Where no word is found, titles are compared by their letters, for typing errors.
 */
export async function findKnowledge(tx: Tx, ctx: Ctx, text: string): Promise<FoundKnowledge[]> {
  const asked = text.slice(0, limits.knowledgeSearchMax);
  if (asked.trim() === "") return [];
  const { companyId } = ctx;
  const values = [companyId, asked, emptyWords, WORDS_MAX, CANDIDATES_MAX, LIKENESS_MIN, PARTS_MAX];
  const rows = await tx.query<FoundKnowledge & { score: number }>(searchStatement, values);
  const least = (rows[0]?.score ?? 0) * LEAST_SHARE;
  let room = CHARACTERS_MAX;
  return rows.flatMap(({ itemId, title, text: part, score }) => {
    room -= part.length;
    return score >= least && room >= 0 ? [{ itemId, title, text: part }] : [];
  });
}

// By hand: one round trip, on the way of answers. The function uses the index, for the company of the transaction. Words that a query would read as more than a word are left out.
const searchStatement = {
  name: "knowledge.search",
  text: `
with asked as materialized (
  select lexeme as word, ('''' || lexeme || '''')::tsquery as query from unnest(f_words($2))
  where lexeme ~ '^[[:alnum:]._@/-]+$' and lexeme <> all (tsvector_to_array(f_words($3))) order by positions limit $4
), candidates as materialized (
  select c.item_id, c.place as position, c.part as text, c.words, c.title
  from knowledge_candidates(array(select query from asked), $5) c
), rare as (
  select a.word, a.query, ln(1 + (select count(*) from candidates) / (0.5 + count(c.item_id)))::float8 + 0.1 as weight
  from asked a left join candidates c on c.words @@ a.query
  group by a.word, a.query
), found as (
  select c.item_id, c.position, c.text, c.title, sum(r.weight * ts_rank_cd('{0.4, 0.4, 0.6, 1.0}', c.words, r.query, 1)) as score
  from candidates c join rare r on c.words @@ r.query
  group by c.item_id, c.position, c.text, c.title
), alike as (
  select p.item_id, p.position, p.text, i.title, (
    select max(word_similarity(word, f_norm(i.title))) from asked) as score
  from knowledge_items i
  join knowledge_parts p on p.company_id = i.company_id and p.item_id = i.id and p.position = 0
  where i.company_id = $1 and i.is_active and not exists (select from candidates)
)
select item_id as "itemId", title, text, score::float8 from (
  select * from found union all select * from alike where score >= $6
) every_one
order by score desc, item_id, position limit $7`,
};
