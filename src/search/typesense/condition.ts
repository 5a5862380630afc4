import { HIGHEST, LOWEST } from './companions.ts';
import { numberField, TERMS } from './schema.ts';

/**
 * Conditions as servers take them: negation stands on single conditions alone, and there are no more of them than a
 * server reads.
 */
export type Condition =
  | { readonly is: 'all' }
  | { readonly is: 'none' }
  /** One of these, or none of these, is among what is known of the document by equality. */
  | { readonly is: 'any'; readonly hashes: readonly string[] }
  | { readonly is: 'lacks'; readonly hashes: readonly string[] }
  /** The number of a place lies between these two, both of them included. */
  | { readonly is: 'between'; readonly code: string; readonly from: bigint; readonly to: bigint }
  | { readonly is: 'both' | 'either'; readonly of: readonly Condition[] };

export const EVERYTHING: Condition = { is: 'all' };
export const NOTHING: Condition = { is: 'none' };

const isJoined = (one: Condition, is: 'both' | 'either'): one is Extract<Condition, { is: 'both' | 'either' }> =>
  one.is === is;

const join = (is: 'both' | 'either', of: readonly Condition[], neutral: Condition, final: Condition): Condition => {
  const flat = of.flatMap((one) => (isJoined(one, is) ? one.of : [one])).filter((one) => one.is !== neutral.is);
  if (flat.some((one) => one.is === final.is)) return final;
  const [only] = flat;
  if (only === undefined) return neutral;
  return flat.length === 1 ? only : { is, of: flat };
};

export const allOf = (of: readonly Condition[]): Condition => {
  const joined = join('both', of, EVERYTHING, NOTHING);
  if (joined.is !== 'both') return joined;
  // What lacks each of several lacks all of them.
  const lacking = joined.of.filter((one) => one.is === 'lacks');
  if (lacking.length < 2) return joined;
  const rest = joined.of.filter((one) => one.is !== 'lacks');
  const merged: Condition = { is: 'lacks', hashes: [...new Set(lacking.flatMap(({ hashes }) => hashes))] };
  return rest.length === 0 ? merged : { is: 'both', of: [...rest, merged] };
};

export const anyOf = (of: readonly Condition[]): Condition => {
  const joined = join('either', of, NOTHING, EVERYTHING);
  if (joined.is !== 'either') return joined;
  const having = joined.of.filter((one) => one.is === 'any');
  if (having.length < 2) return joined;
  const rest = joined.of.filter((one) => one.is !== 'any');
  const merged: Condition = { is: 'any', hashes: [...new Set(having.flatMap(({ hashes }) => hashes))] };
  return rest.length === 0 ? merged : { is: 'either', of: [...rest, merged] };
};

export const anyHash = (hashes: readonly string[]): Condition =>
  hashes.length === 0 ? NOTHING : { is: 'any', hashes: [...new Set(hashes)] };

export const between = (code: string, from: bigint, to: bigint): Condition =>
  from > to ? NOTHING : { is: 'between', code, from, to };

/** What is not there lies neither within nor outside; `isThere` says how it is known that there is a number. */
export type IsThere = (code: string) => string;

/** The opposite, with every negation on a single condition (De Morgan). */
export const notOf = (condition: Condition, isThere: IsThere): Condition => {
  switch (condition.is) {
    case 'all':
      return NOTHING;
    case 'none':
      return EVERYTHING;
    case 'any':
      return { is: 'lacks', hashes: condition.hashes };
    case 'lacks':
      return { is: 'any', hashes: condition.hashes };
    case 'between': {
      const { code, from, to } = condition;
      return anyOf([
        from > LOWEST ? between(code, LOWEST, from - 1n) : NOTHING,
        to < HIGHEST ? between(code, to + 1n, HIGHEST) : NOTHING,
        { is: 'lacks', hashes: [isThere(code)] },
      ]);
    }
    case 'both':
      return anyOf(condition.of.map((one) => notOf(one, isThere)));
    case 'either':
      return allOf(condition.of.map((one) => notOf(one, isThere)));
  }
};

/** Servers read no more conditions than this in one filter, and no longer lists are sent. */
const MOST_OPERATIONS = 100;
const MOST_HASHES = 4000;

type Size = { readonly operations: number; readonly hashes: number };

const sizeOf = (condition: Condition): Size => {
  switch (condition.is) {
    case 'any':
    case 'lacks':
      return { operations: 1, hashes: condition.hashes.length };
    case 'between':
      return { operations: 1, hashes: 0 };
    case 'both':
    case 'either': {
      const sizes = condition.of.map(sizeOf);
      return {
        // What joins them counts as well.
        operations: sizes.reduce((sum, { operations }) => sum + operations, condition.of.length - 1),
        hashes: sizes.reduce((sum, { hashes }) => sum + hashes, 0),
      };
    }
    default:
      return { operations: 0, hashes: 0 };
  }
};

const write = (condition: Condition): string => {
  switch (condition.is) {
    case 'any':
      return `${TERMS}:=[${condition.hashes.join(',')}]`;
    case 'lacks':
      return `${TERMS}:!=[${condition.hashes.join(',')}]`;
    case 'between':
      return `${numberField(condition.code)}:[${condition.from}..${condition.to}]`;
    case 'both':
      return `(${condition.of.map(write).join(' && ')})`;
    case 'either':
      return `(${condition.of.map(write).join(' || ')})`;
    default:
      return '';
  }
};

/** The condition as a filter; undefined when it is too long for one. To find everything, nothing need be said. */
export const filterOf = (condition: Exclude<Condition, { is: 'none' }>): string | undefined => {
  const { operations, hashes } = sizeOf(condition);
  return operations > MOST_OPERATIONS || hashes > MOST_HASHES ? undefined : write(condition);
};
