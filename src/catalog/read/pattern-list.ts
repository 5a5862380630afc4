import { badRequest, callerGone } from '../../errors.ts';
import { withParameter } from '../../http/query-parameters.ts';
import type { Call } from '../../http/route.ts';
import { createWorkYielder } from '../../http/work-yielder.ts';
import { createMatchBudget, MAX_MATCH_STEPS, MAX_TURN_STEPS } from '../../model/language/match-budget.ts';
import { parseNamePattern, type SafePattern } from '../../model/language/pattern.ts';
import { splitFqn } from '../../model/name.ts';
import type { ListedRow } from '../list-queries.ts';
import type { ListCondition, ListPlan } from './list.ts';
import type { Store } from './store.ts';

/** Lists that are narrowed by regular expressions for names. The database has none that take linear time. */

type NamePattern = { readonly name: string; readonly part: number; readonly pattern: SafePattern };

type NamePatterns = {
  readonly patterns: readonly NamePattern[];
  readonly excludes: boolean;
  /** Whether the patterns are for fully qualified names up to their part. */
  readonly isForFqn: boolean;
};

/** The request that a list is read for: who waits for it, and the count of its work. */
type ListCaller = Pick<Call, 'signal' | 'countWork'>;

/** Whether an option has its other value than the usual one. */
const isOther = (conditions: readonly ListCondition[], option: string): boolean => {
  const given = conditions.find(({ name }) => name === option);
  if (given?.filter.by !== 'patternOption') return false;
  const [usual, other] = given.filter.words;
  const word = given.value.toLowerCase();
  if (word !== usual && word !== other) throw badRequest(`[${option} must be ${usual} or ${other}]`);
  return word === other;
};

/** The patterns among the conditions of a list; undefined when there are none. */
export const parseNamePatterns = (conditions: readonly ListCondition[]): NamePatterns | undefined => {
  const options = { excludes: isOther(conditions, 'regexMode'), isForFqn: isOther(conditions, 'regexFilterByFqn') };
  const patterns = conditions.flatMap(({ name, filter, value }): NamePattern[] =>
    filter.by === 'pattern'
      ? [{ name, part: filter.part, pattern: withParameter(name, () => parseNamePattern(value)) }]
      : [],
  );
  return patterns.length === 0 ? undefined : { ...options, patterns };
};

const subjectOf = (fqn: string, part: number, isForFqn: boolean): string => {
  const parts = splitFqn(fqn);
  return isForFqn ? parts.slice(0, part + 1).join('.') : (parts[part] ?? '');
};

/** How many rows are looked at together. */
const LOOKED_AT_ONCE = 1000;

/** A step of a matcher takes less time than another thread's work counts for a character. */
const STEPS_PER_CHARACTER = 8;

/** Creates the test of names, which pauses so that other requests go on, and ends with the caller or the budget. */
const createNameTest = ({ patterns, excludes, isForFqn }: NamePatterns, { signal, countWork }: ListCaller) => {
  const pauseFor = createWorkYielder(MAX_TURN_STEPS);
  const budget = createMatchBudget(MAX_MATCH_STEPS, (steps) => countWork(steps / STEPS_PER_CHARACTER));
  return async (fqn: string): Promise<boolean> => {
    countWork(fqn.length);
    for (const { name, part, pattern } of patterns) {
      const before = budget.spent();
      const subject = subjectOf(fqn, part, isForFqn);
      const isMatch = withParameter(name, () => pattern.matches(subject, budget));
      const pause = pauseFor(subject.length + budget.spent() - before);
      if (pause) await pause;
      if (signal.aborted) throw callerGone();
      if (isMatch === excludes) return false;
    }
    return true;
  };
};

/**
 * Narrows a list to the records whose names the patterns let pass. All names of a request share one budget, so that
 * pages and totals are read before anything is written.
 */
export const narrowByPatterns = (
  store: Pick<Store, 'referenceById'>,
  plan: ListPlan,
  named: NamePatterns,
  caller: ListCaller,
): ListPlan => {
  const passes = createNameTest(named, caller);
  const narrow = async (rows: readonly ListedRow[], most: number): Promise<ListedRow[]> => {
    const references = await Promise.all(rows.map(({ id }) => store.referenceById(id)));
    const passing: ListedRow[] = [];
    // Names that were matched concurrently would go on while one of them pauses.
    for (const [at, row] of rows.entries()) {
      if (passing.length >= most) break;
      const fqn = references[at]?.fullyQualifiedName;
      if (fqn !== undefined && (await passes(fqn))) passing.push(row);
    }
    return passing;
  };
  /** Reads the rows that pass from a position on, until there are enough. */
  const walk = async function* (direction: 'forward' | 'backward', edge: string, most: number) {
    let left = most;
    for (let from = edge; left > 0; ) {
      if (caller.signal.aborted) throw callerGone();
      const rows = await plan.page(direction, from, LOOKED_AT_ONCE);
      const passing = await narrow(rows, left);
      left -= passing.length;
      yield passing;
      const last = rows.at(-1);
      if (!last || rows.length < LOOKED_AT_ONCE) return;
      from = last.sortKey;
    }
  };
  return {
    ...plan,
    atOnce: LOOKED_AT_ONCE,
    mayBeRefused: true,
    page: async (direction, edge, limit) => {
      const found: ListedRow[] = [];
      for await (const rows of walk(direction, edge, limit)) found.push(...rows);
      return found;
    },
    total: async () => {
      let total = 0;
      for await (const rows of walk('forward', '', Number.POSITIVE_INFINITY)) total += rows.length;
      return total;
    },
  };
};
