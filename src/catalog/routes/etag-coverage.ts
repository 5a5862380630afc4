import { type Kind, memoisePerKind } from '../../model/kind/kind.ts';
import type { Snapshot } from '../read/snapshot.ts';

/** For what of a record its entity tag speaks: whoever knows the tag knows that, and need not be told again. */

/** Members that change without a version, so that no entity tag can vouch for them. */
const UNVERSIONED: ReadonlySet<string> = new Set(['followers', 'votes', 'usageSummary', 'profile', 'dataContract']);

/** Whom a record belongs to may follow from what it lies in, and then changes with that. */
const INHERITED: ReadonlySet<string> = new Set(['owners', 'domains']);

/** Whether an entity tag vouches for a member that was asked for. */
const isVersioned = (kind: Kind, name: string): boolean =>
  !UNVERSIONED.has(name) &&
  !(INHERITED.has(name) && kind.parents.length > 0) &&
  (kind.members[name]?.versioned ?? true);

type UnversionedValue = { readonly name: string; readonly fallback: unknown };

/** Values that are always shown and change without a version, such as the last result of a contract. */
const unversionedValues = memoisePerKind((kind): readonly UnversionedValue[] =>
  Object.entries(kind.members).flatMap(([name, attribute]) => {
    if (attribute.store !== 'property' && attribute.store !== 'json') return [];
    const { gated, versioned, hidden, fallback } = attribute;
    return gated || versioned || hidden ? [] : [{ name, fallback }];
  }),
);

/** Whether an entity tag vouches for everything that is shown of a record. */
export const etagCovers = (fields: ReadonlySet<string>, { kind, values }: Pick<Snapshot, 'kind' | 'values'>): boolean =>
  [...fields].every((name) => isVersioned(kind, name)) &&
  unversionedValues(kind).every(({ name, fallback }) => values[name] === undefined || values[name] === fallback);
