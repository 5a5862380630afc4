import type { Json, JsonObject } from '../model/json.ts';

/** Fits the answer of a tool into a budget of tokens. Rows are left out whole, and the answer says how many. */

export const TOKEN_BUDGET = { least: 200, most: 50_000, default: 4000 } as const;

/** Names with dots and underscores take more tokens than prose, so this counts high. */
const CHARACTERS_PER_TOKEN = 3;

/** Room for the lines that say what was left out. */
const RESERVED_CHARACTERS = 240;

/** Rows in the order of their importance. `more` says how to get those that were left out. */
export type AnswerList = { readonly name: string; readonly rows: readonly Json[]; readonly more: string };

export type ToolAnswer = {
  /** A Markdown page, which is shortened by lines. */
  readonly page?: string;
  /** What every answer contains, whatever its budget. */
  readonly facts: JsonObject;
  readonly lists: readonly AnswerList[];
};

type Omission = { readonly list: string; readonly count: number; readonly more: string };

type Fitted<T> = { readonly rows: readonly T[]; readonly left: number; readonly omitted: number };

/** Takes rows from the first on, as long as they fit. */
const fitRows = <T>(rows: readonly T[], left: number, lengthOf: (row: T) => number): Fitted<T> => {
  let used = 0;
  let count = 0;
  for (const row of rows) {
    const length = lengthOf(row) + 1;
    if (used + length > left) break;
    used += length;
    count += 1;
  }
  return { rows: rows.slice(0, count), left: left - used, omitted: rows.length - count };
};

const lengthOfJson = (value: Json): number => JSON.stringify(value).length;

/** The lists share the budget: each may use what those before it have left, but leaves as much to each of the others. */
const fitLists = (lists: readonly AnswerList[], budget: number) => {
  const shown: Record<string, Json> = {};
  const omitted: Omission[] = [];
  let left = budget;
  lists.forEach(({ name, rows, more }, position) => {
    const own = Math.floor(left / (lists.length - position));
    const fitted = fitRows(rows, own, lengthOfJson);
    shown[name] = [...fitted.rows];
    left -= own - fitted.left;
    if (fitted.omitted > 0) omitted.push({ list: name, count: fitted.omitted, more });
  });
  return { shown, omitted };
};

const PAGE_HINT = 'raise maxTokens';

/** Renders an answer as texts that fit the budget: the page, if there is one, and JSON. */
export const renderWithinBudget = ({ page, facts, lists }: ToolAnswer, maxTokens: number): readonly string[] => {
  const budget = maxTokens * CHARACTERS_PER_TOKEN - RESERVED_CHARACTERS - lengthOfJson(facts);
  const share = page === undefined ? 0 : Math.floor((budget * 2) / 3);
  const lines = fitRows(page?.split('\n') ?? [], share, ({ length }) => length);
  const { shown, omitted } = fitLists(lists, budget - (share - lines.left));
  if (lines.omitted > 0) omitted.unshift({ list: 'page', count: lines.omitted, more: PAGE_HINT });
  const json = JSON.stringify({ ...facts, ...shown, ...(omitted.length > 0 ? { omitted } : {}) });
  return page === undefined ? [json] : [lines.rows.join('\n'), json];
};
