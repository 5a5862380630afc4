import { badRequest } from '../errors.ts';
import { isArray, isObject, type Json, type JsonObject } from '../model/json.ts';
import { cleanAnswer } from './foreign-text.ts';

/**
 * Fits the answer of a tool into a budget of tokens. Rows are left out whole, long texts in them are cut, and the
 * answer says how much is missing and how to get it.
 */

export const TOKEN_BUDGET = { least: 300, most: 50_000, default: 4000 } as const;

/** Names with dots and underscores take more tokens than prose, so this counts high. */
const CHARACTERS_PER_TOKEN = 3;

/** Rows behind those of a list, which the tool has not read. Their number may be unknown. */
export type ListRest = { readonly count?: number; readonly more: string };

/** Rows in the order of their importance. `more` says how to ask for fewer, if there is a way. */
export type AnswerList = {
  readonly name: string;
  readonly rows: readonly Json[];
  readonly more?: string | undefined;
  readonly rest?: ListRest | undefined;
};

export type ToolAnswer = {
  /** A Markdown page, which is shortened by lines. */
  readonly page?: string;
  /** What every answer contains, whatever its budget. */
  readonly facts: JsonObject;
  readonly lists: readonly AnswerList[];
};

export type AnswerOptions = {
  readonly maxTokens?: number | undefined;
  /** The only list to answer; all by default. */
  readonly list?: string | undefined;
  /** How many rows of that list to skip. */
  readonly skip?: number | undefined;
};

type FittedAnswer = {
  readonly texts: readonly string[];
  /** All of the answer as one object: the page too. */
  readonly content: JsonObject;
};

const PAGE = 'page';

const lengthOfJson = (value: Json): number => JSON.stringify(value).length;

/** A row may take this part of the budget before its texts are cut. */
const ROW_PART = 3;

/** A text in such a row may take this part of the budget. */
const TEXT_PART = 12;

const cutTexts = (value: Json, most: number): Json => {
  if (typeof value === 'string') {
    const rest = value.length - most;
    return rest <= 0 ? value : `${value.slice(0, most)}… (${rest} more characters; raise maxTokens)`;
  }
  if (isArray(value)) return value.map((item) => cutTexts(item, most));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cutTexts(item, most)]));
};

/** Cuts the texts of a row that would take more than its part of the budget. */
const cutRow = (row: Json, budget: number): Json =>
  lengthOfJson(row) > budget / ROW_PART ? cutTexts(row, Math.floor(budget / TEXT_PART)) : row;

/** A list with the lengths of its rows, each with its comma. */
type MeasuredList = AnswerList & { readonly lengths: readonly number[]; readonly skipped: number };

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const measureLists = ({ page, lists }: ToolAnswer, { list, skip = 0 }: AnswerOptions, budget: number) => {
  const all = page === undefined ? lists : [{ name: PAGE, rows: page.trimEnd().split('\n') }, ...lists];
  const chosen = list === undefined ? all : all.filter(({ name }) => name === list);
  if (chosen.length === 0) throw badRequest(`[list must be one of ${all.map(({ name }) => name).join(', ')}]`);
  if (skip > 0 && list === undefined) throw badRequest('[skip must be given together with list]');
  return chosen.map((one): MeasuredList => {
    const rows = one.rows.slice(skip).map((row) => cutRow(row, budget));
    return { ...one, rows, lengths: rows.map((row) => lengthOfJson(row) + 1), skipped: skip };
  });
};

/** Divides the budget evenly, and gives what short lists leave to the longer ones. */
const shareBudget = (needs: readonly number[], budget: number): readonly number[] => {
  const shares = needs.map(() => 0);
  let left = budget;
  const ascending = needs.map((need, at) => ({ need, at })).sort((one, other) => one.need - other.need);
  ascending.forEach(({ need, at }, position) => {
    const share = Math.min(need, Math.floor(left / (ascending.length - position)));
    shares[at] = share;
    left -= share;
  });
  return shares;
};

/** How many rows from the first on fit. */
const countFitting = (lengths: readonly number[], share: number): number => {
  let used = 0;
  const at = lengths.findIndex((length) => {
    used += length;
    return used > share;
  });
  return at === -1 ? lengths.length : at;
};

/** How to get the rows of a list that were read, and do not fit. */
const continueList = ({ name, more, skipped }: MeasuredList, shown: number): string => {
  const next = shown === 0 ? 'raise maxTokens' : `list=${name} and skip=${skipped + shown}, or raise maxTokens`;
  return more === undefined ? next : `${next}, or ${more}`;
};

/** What is missing of a list, and how to get it. The count is missing where nobody knows it. */
const omissionOf = (list: MeasuredList, shown: number): JsonObject => {
  const { name, rows, rest } = list;
  const unshown = rows.length - shown;
  const behind = rest === undefined ? 0 : rest.count;
  const ways = [...(unshown > 0 ? [continueList(list, shown)] : []), ...(rest === undefined ? [] : [rest.more])];
  return {
    list: name,
    ...(behind === undefined ? {} : { count: unshown + behind }),
    more: ways.join('; behind these: '),
  };
};

const hasOmission = ({ rows, rest }: MeasuredList, shown: number): boolean => shown < rows.length || rest !== undefined;

/** What the omission of a list takes at most, whatever number it says. */
const omissionLength = (list: MeasuredList): number => {
  if (!hasOmission(list, 0)) return 0;
  const most = list.rows.length + (list.rest?.count ?? 0);
  return lengthOfJson(omissionOf(list, Math.max(list.rows.length - 1, 0))) + `${most}`.length + 1;
};

const EMPTY_OMITTED = ',"omitted":[]'.length;

/** Names, brackets and the line end between two texts. */
const frameOf = (lists: readonly MeasuredList[]): number => sum(lists.map(({ name }) => name.length + 6));

const countShown = (lists: readonly MeasuredList[], budget: number): readonly number[] => {
  const needs = lists.map(({ lengths }) => sum(lengths));
  const behind = lists.filter(({ rest }) => rest !== undefined);
  const least = behind.length === 0 ? 0 : sum(behind.map(omissionLength)) + EMPTY_OMITTED;
  if (sum(needs) + least <= budget) return lists.map(({ rows }) => rows.length);
  const reserved = sum(lists.map(omissionLength)) + EMPTY_OMITTED;
  const shares = shareBudget(needs, Math.max(budget - reserved, 0));
  return lists.map(({ lengths }, at) => countFitting(lengths, shares[at] ?? 0));
};

const refuseBudget = (length: number): never => {
  const least = Math.ceil(length / CHARACTERS_PER_TOKEN);
  throw badRequest(`[maxTokens must be at least ${least} for the answer to this question]`);
};

/** Renders an answer as texts that fit the budget: the page, if there is one, and JSON. */
export const renderWithinBudget = (given: ToolAnswer, options: AnswerOptions): FittedAnswer => {
  const answer = cleanAnswer(given);
  const most = (options.maxTokens ?? TOKEN_BUDGET.default) * CHARACTERS_PER_TOKEN;
  const facts = cutTexts(answer.facts, Math.floor(most / ROW_PART)) as JsonObject;
  const lists = measureLists(answer, options, most);
  const counts = countShown(lists, most - lengthOfJson(facts) - frameOf(lists));
  const omitted = lists.flatMap((list, at) => {
    const shown = counts[at] ?? 0;
    return hasOmission(list, shown) ? [omissionOf(list, shown)] : [];
  });
  const shownLists = lists.map(({ name, rows }, at) => [name, rows.slice(0, counts[at])] as const);
  const lines = shownLists.find(([name]) => name === PAGE)?.[1];
  const page = lines === undefined || answer.page === undefined ? undefined : lines.join('\n');
  const content = {
    ...facts,
    ...Object.fromEntries(shownLists.filter(([name]) => name !== PAGE || page === undefined)),
    ...(omitted.length > 0 ? { omitted } : {}),
  };
  const json = JSON.stringify(content);
  const length = json.length + (page === undefined ? 0 : page.length + 1);
  if (length > most) refuseBudget(length);
  return page === undefined ? { texts: [json], content } : { texts: [page, json], content: { page, ...content } };
};
