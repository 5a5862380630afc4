import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import type { Snapshot } from './snapshot.ts';

/** Members that change without a version, so that no ETag covers them. */
const UNVERSIONED: ReadonlySet<string> = new Set(['followers', 'votes', 'usageSummary', 'profile', 'dataContract']);

/** Members that a record may inherit; they change when an ancestor does. */
const INHERITED: ReadonlySet<string> = new Set(['owners', 'domains']);

/** Whether an ETag covers a requested member. */
const isVersioned = (kind: Kind, name: string): boolean =>
  !UNVERSIONED.has(name) &&
  !(INHERITED.has(name) && kind.parents.length > 0) &&
  (kind.members[name]?.versioned ?? true);

type UnversionedValue = { readonly name: string; readonly fallback: unknown };

/** Values that always appear and change without a version, such as the last result of a contract. */
const unversionedValues = memoisePerKind((kind): readonly UnversionedValue[] =>
  Object.entries(kind.members).flatMap(([name, attribute]) => {
    if (attribute.store !== 'property' && attribute.store !== 'json') return [];
    const { gated, versioned, hidden, fallback } = attribute;
    return gated || versioned || hidden ? [] : [{ name, fallback }];
  }),
);

/** Whether an ETag covers everything that an answer shows of a record: only then may a conditional read answer 304. */
export const etagCovers = (fields: ReadonlySet<string>, { kind, values }: Pick<Snapshot, 'kind' | 'values'>): boolean =>
  [...fields].every((name) => isVersioned(kind, name)) &&
  unversionedValues(kind).every(({ name, fallback }) => values[name] === undefined || values[name] === fallback);
