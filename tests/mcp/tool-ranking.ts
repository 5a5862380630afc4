/**
 * Ranks tools by the words that a prompt shares with their texts, as a stranger would who reads all of them: words that
 * few tools have say more, and so do words in the name, the title and the description.
 */

export type ToolText = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The names and descriptions of the arguments. */
  readonly parameters: string;
};

/** Words that say nothing of what is asked. */
const STOP_WORDS = new Set(
  'a about after all also an and any are as at be been before both but by can could did do does each for from get had has have he her here him his how i if in into is it its just let like me more most my no nor not now of off on one only or our out over own please she should so some such than that the their them then there these they this those through to too under up us very was we were what when where which while who whom whose why will with would you your'.split(
    ' ',
  ),
);

const ENDINGS = ['ations', 'ation', 'ings', 'ing', 'ies', 'ied', 'edly', 'ed', 'es', 's', 'ly', 'e'];

/** The stem of an English word, so that `owners` and `own`, or `changes` and `changed`, are one. */
const stemOf = (word: string): string => {
  const ending = ENDINGS.find((one) => word.endsWith(one) && word.length - one.length >= 3);
  const stem = ending === undefined ? word : word.slice(0, -ending.length);
  return stem.replace(/(er|y|i)$/, '').replace(/(.)\1$/, '$1');
};

/** A full name is an example, and says nothing of what is asked. */
const FULL_NAME = /\w+(?:\.\w+){2,}/g;

const wordsOf = (text: string): readonly string[] =>
  (
    text
      .replace(FULL_NAME, ' ')
      .toLowerCase()
      .match(/[a-z]+/g) ?? []
  )
    .filter((word) => word.length > 1 && !STOP_WORDS.has(word))
    .map(stemOf);

const WEIGHTS = { name: 3, title: 3, description: 2, parameters: 1 } as const;

/** Further occurrences of a word count less and less, and occurrences in a text of many words less than in a short one. */
const SATURATION = 1.2;
const LENGTH_PART = 0.5;

/** How often a text has each word, by the weights of its parts. */
const weighWords = (tool: ToolText): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>();
  for (const [part, weight] of Object.entries(WEIGHTS)) {
    for (const word of wordsOf(tool[part as keyof typeof WEIGHTS])) {
      weights.set(word, (weights.get(word) ?? 0) + weight);
    }
  }
  return weights;
};

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

export type RankedTool = { readonly name: string; readonly score: number };

/** Ranks tools for a prompt, the best first. */
export const rankTools = (tools: readonly ToolText[], prompt: string): readonly RankedTool[] => {
  const texts = tools.map((tool) => ({ name: tool.name, words: weighWords(tool) }));
  const usualLength = sum(texts.map(({ words }) => sum(words.values()))) / texts.length;
  const asked = [...new Set(wordsOf(prompt))].map((word) => {
    const holders = texts.filter(({ words }) => words.has(word)).length;
    return { word, rarity: Math.log(1 + (texts.length - holders + 0.5) / (holders + 0.5)) };
  });
  return texts
    .map(({ name, words }) => {
      const length = 1 - LENGTH_PART + (LENGTH_PART * sum(words.values())) / usualLength;
      const scoreOf = (weight: number): number => weight / (weight + SATURATION * length);
      return { name, score: sum(asked.map(({ word, rarity }) => rarity * scoreOf(words.get(word) ?? 0))) };
    })
    .sort((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1));
};
