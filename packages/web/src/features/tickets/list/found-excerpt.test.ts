import { expect, test } from "vitest";
import { excerptOf } from "./card-texts.ts";
import { givenHit } from "../testing/given-choices.ts";

test.each([
  ["short words stand as they are", ["quero o ", "vestido", " verde"], "quero o |vestido| verde"],
  [
    "long words in front are cut at a word, so that the found ones have room",
    ["gostaria de saber se ainda tem o ", "vestido", ""],
    "…se ainda tem o |vestido|",
  ],
  [
    "formatting and line breaks are no words",
    ["*Marina:*\n", "Olá", ", _bom_ dia"],
    "Marina: |Olá|, bom dia",
  ],
  ["the found part of a word stays in its word", ["pre", "ço", "s"], "pre|ço|s"],
])("%s", (_, [before, match, after], expected) => {
  const excerpt = excerptOf(givenHit(1, [before ?? "", match ?? "", after ?? ""]));
  expect(`${excerpt.before}|${excerpt.match}|${excerpt.after}`).toBe(expected);
});
