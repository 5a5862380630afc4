import { badRequest, CatalogError } from '../../errors.ts';
import { createWorkYielder } from '../../http/work-yielder.ts';
import { parseNamePattern, type SafePattern } from '../../model/language/pattern.ts';
import { splitFqn } from '../../model/name.ts';
import type { ListedRow } from '../list-queries.ts';
import type { ListCondition, ListPlan } from './list.ts';
import type { Store } from './store.ts';

/** Lists that are narrowed by regular expressions for names. The database has none that take linear time. */

type NamePattern = { readonly part: number; readonly pattern: SafePattern };

type NamePatterns = {
  readonly patterns: readonly NamePattern[];
  readonly excludes: boolean;
  /** Whether the patterns are for fully qualified names up to their part. */
  readonly isForFqn: boolean;
};

const parsePattern = ({ name, value }: ListCondition): SafePattern => {
  try {
    return parseNamePattern(value);
  } catch (failure) {
    throw failure instanceof CatalogError ? badRequest(`[${name}: ${failure.message}]`) : failure;
  }
};

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
  const patterns = conditions.flatMap((condition): NamePattern[] =>
    condition.filter.by === 'pattern' ? [{ part: condition.filter.part, pattern: parsePattern(condition) }] : [],
  );
  return patterns.length === 0 ? undefined : { ...options, patterns };
};

const subjectOf = (fqn: string, part: number, isForFqn: boolean): string => {
  const parts = splitFqn(fqn);
  return isForFqn ? parts.slice(0, part + 1).join('.') : (parts[part] ?? '');
};

/** How many rows are looked at together. */
const LOOKED_AT_ONCE = 1000;

/** Narrows a list to the records whose names the patterns let pass. */
export const narrowByPatterns = (
  store: Pick<Store, 'referenceById'>,
  plan: ListPlan,
  { patterns, excludes, isForFqn }: NamePatterns,
): ListPlan => {
  const pauseFor = createWorkYielder();
  const passes = async (fqn: string): Promise<boolean> => {
    for (const { part, pattern } of patterns) {
      const subject = subjectOf(fqn, part, isForFqn);
      await pauseFor(subject.length * pattern.states);
      if (pattern.matches(subject) === excludes) return false;
    }
    return true;
  };
  const narrow = async (rows: readonly ListedRow[]): Promise<ListedRow[]> => {
    const references = await Promise.all(rows.map(({ id }) => store.referenceById(id)));
    const passing: ListedRow[] = [];
    // Names that were matched concurrently would go on while one of them pauses.
    for (const [at, row] of rows.entries()) {
      const fqn = references[at]?.fullyQualifiedName;
      if (fqn !== undefined && (await passes(fqn))) passing.push(row);
    }
    return passing;
  };
  const walk = async function* (direction: 'forward' | 'backward', edge: string): AsyncGenerator<ListedRow[]> {
    for (let from = edge; ; ) {
      const rows = await plan.page(direction, from, LOOKED_AT_ONCE);
      yield await narrow(rows);
      const last = rows.at(-1);
      if (!last || rows.length < LOOKED_AT_ONCE) return;
      from = last.sortKey;
    }
  };
  return {
    ...plan,
    atOnce: LOOKED_AT_ONCE,
    page: async (direction, edge, limit) => {
      const found: ListedRow[] = [];
      for await (const rows of walk(direction, edge)) {
        found.push(...rows);
        if (found.length >= limit) break;
      }
      return found.slice(0, limit);
    },
    total: async () => {
      let total = 0;
      for await (const rows of walk('forward', '')) total += rows.length;
      return total;
    },
  };
};
