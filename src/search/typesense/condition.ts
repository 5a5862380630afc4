import { numberFieldName, TERMS_FIELD } from './collection-schema.ts';
import { MAX_ORDERED, MIN_ORDERED } from './value-encoding.ts';

/**
 * Filter conditions in the form that servers accept: only single conditions are negated, and their number is limited.
 */
export type ServerCondition =
  | { readonly is: 'all' }
  | { readonly is: 'none' }
  /** The document has one of these hashes, or none of them. */
  | { readonly is: 'any'; readonly hashes: readonly string[] }
  | { readonly is: 'lacks'; readonly hashes: readonly string[] }
  /** The number in this field lies between both limits, inclusive. */
  | { readonly is: 'between'; readonly code: string; readonly from: bigint; readonly to: bigint }
  | { readonly is: 'both' | 'either'; readonly of: readonly ServerCondition[] };

export const CONDITION_ALL: ServerCondition = { is: 'all' };
export const CONDITION_NONE: ServerCondition = { is: 'none' };

const isJoinedBy = (
  one: ServerCondition,
  is: 'both' | 'either',
): one is Extract<ServerCondition, { is: 'both' | 'either' }> => one.is === is;

const joinConditions = (
  is: 'both' | 'either',
  of: readonly ServerCondition[],
  neutral: ServerCondition,
  final: ServerCondition,
): ServerCondition => {
  const flat = of.flatMap((one) => (isJoinedBy(one, is) ? one.of : [one])).filter((one) => one.is !== neutral.is);
  if (flat.some((one) => one.is === final.is)) return final;
  const [only] = flat;
  if (only === undefined) return neutral;
  return flat.length === 1 ? only : { is, of: flat };
};

export const andConditions = (of: readonly ServerCondition[]): ServerCondition => {
  const joined = joinConditions('both', of, CONDITION_ALL, CONDITION_NONE);
  if (joined.is !== 'both') return joined;
  // Several `lacks` conditions merge into one.
  const lacking = joined.of.filter((one) => one.is === 'lacks');
  if (lacking.length < 2) return joined;
  const rest = joined.of.filter((one) => one.is !== 'lacks');
  const merged: ServerCondition = { is: 'lacks', hashes: [...new Set(lacking.flatMap(({ hashes }) => hashes))] };
  return rest.length === 0 ? merged : { is: 'both', of: [...rest, merged] };
};

export const orConditions = (of: readonly ServerCondition[]): ServerCondition => {
  const joined = joinConditions('either', of, CONDITION_NONE, CONDITION_ALL);
  if (joined.is !== 'either') return joined;
  const having = joined.of.filter((one) => one.is === 'any');
  if (having.length < 2) return joined;
  const rest = joined.of.filter((one) => one.is !== 'any');
  const merged: ServerCondition = { is: 'any', hashes: [...new Set(having.flatMap(({ hashes }) => hashes))] };
  return rest.length === 0 ? merged : { is: 'either', of: [...rest, merged] };
};

export const anyHashCondition = (hashes: readonly string[]): ServerCondition =>
  hashes.length === 0 ? CONDITION_NONE : { is: 'any', hashes: [...new Set(hashes)] };

export const betweenCondition = (code: string, from: bigint, to: bigint): ServerCondition =>
  from > to ? CONDITION_NONE : { is: 'between', code, from, to };

/** A missing number lies neither inside nor outside a range; this hash tells whether the field has a number. */
export type PresenceHash = (code: string) => string;

/** Negates a condition by moving every negation to a single condition (De Morgan). */
export const notCondition = (condition: ServerCondition, isThere: PresenceHash): ServerCondition => {
  switch (condition.is) {
    case 'all':
      return CONDITION_NONE;
    case 'none':
      return CONDITION_ALL;
    case 'any':
      return { is: 'lacks', hashes: condition.hashes };
    case 'lacks':
      return { is: 'any', hashes: condition.hashes };
    case 'between': {
      const { code, from, to } = condition;
      return orConditions([
        from > MIN_ORDERED ? betweenCondition(code, MIN_ORDERED, from - 1n) : CONDITION_NONE,
        to < MAX_ORDERED ? betweenCondition(code, to + 1n, MAX_ORDERED) : CONDITION_NONE,
        { is: 'lacks', hashes: [isThere(code)] },
      ]);
    }
    case 'both':
      return orConditions(condition.of.map((one) => notCondition(one, isThere)));
    case 'either':
      return andConditions(condition.of.map((one) => notCondition(one, isThere)));
  }
};

/** The server's limit on conditions in one filter, and our limit on hashes. */
const MAX_OPERATIONS = 100;
const MAX_HASHES = 4000;

type ConditionSize = { readonly operations: number; readonly hashes: number };

const conditionSize = (condition: ServerCondition): ConditionSize => {
  switch (condition.is) {
    case 'any':
    case 'lacks':
      return { operations: 1, hashes: condition.hashes.length };
    case 'between':
      return { operations: 1, hashes: 0 };
    case 'both':
    case 'either': {
      const sizes = condition.of.map(conditionSize);
      return {
        // The operators between conditions count as well.
        operations: sizes.reduce((sum, { operations }) => sum + operations, condition.of.length - 1),
        hashes: sizes.reduce((sum, { hashes }) => sum + hashes, 0),
      };
    }
    default:
      return { operations: 0, hashes: 0 };
  }
};

const formatCondition = (condition: ServerCondition): string => {
  switch (condition.is) {
    case 'any':
      return `${TERMS_FIELD}:=[${condition.hashes.join(',')}]`;
    case 'lacks':
      return `${TERMS_FIELD}:!=[${condition.hashes.join(',')}]`;
    case 'between':
      return `${numberFieldName(condition.code)}:[${condition.from}..${condition.to}]`;
    case 'both':
      return `(${condition.of.map(formatCondition).join(' && ')})`;
    case 'either':
      return `(${condition.of.map(formatCondition).join(' || ')})`;
    default:
      return '';
  }
};

/**
 * Formats the condition as a filter; undefined when it is too long. A condition that matches everything needs no
 * filter.
 */
export const formatFilter = (condition: Exclude<ServerCondition, { is: 'none' }>): string | undefined => {
  const { operations, hashes } = conditionSize(condition);
  return operations > MAX_OPERATIONS || hashes > MAX_HASHES ? undefined : formatCondition(condition);
};
