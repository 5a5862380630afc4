import { badRequest } from '../../errors.ts';
import { type Attribute, isSettable, type StoredAttribute } from '../../model/kind/attribute.ts';
import { type Kind, memoisePerKind } from '../../model/kind/kind.ts';
import type { IncludeDeleted } from './render.ts';

/** For reads that want base members only. */
export const NO_FIELDS: ReadonlySet<string> = new Set();

/**
 * The names in a `fields` parameter. `*` alone stands for all of them; an unknown name is refused. Names of base
 * members are legal and change nothing.
 */
export const parseFields = (kind: Kind, text: string | null | undefined): ReadonlySet<string> => {
  if (!text) return NO_FIELDS;
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) return NO_FIELDS;
  if (names.length === 1 && names[0] === '*') return kind.gatedNames;
  const unknown = names.find((name) => !kind.fieldNames.has(name));
  if (unknown !== undefined) throw badRequest(`Invalid field name ${unknown}`);
  return new Set(names);
};

/** The members that a write works on: everything that can be set, and who follows and votes. */
export const writeFields = memoisePerKind((kind): ReadonlySet<string> => {
  const own = Object.entries(kind.members)
    .filter(([, attribute]) => attribute.gated && !attribute.onlyNamed && isSettable(attribute))
    .map(([name]) => name);
  const common = kind.gated.filter((name) => name !== 'usageSummary' && name !== 'dataContract');
  return new Set([...own, ...common]);
});

/** A value that changes without a version: it is kept beside what the record says, and has no part in its history. */
const isUnversioned = (attribute: Attribute | undefined): attribute is StoredAttribute =>
  attribute !== undefined &&
  'request' in attribute &&
  'onAbsent' in attribute &&
  attribute.gated &&
  !attribute.versioned;

const writeFieldsWithout = (kind: Kind, isLeftOut: (attribute: StoredAttribute) => boolean): ReadonlySet<string> =>
  new Set(
    [...writeFields(kind)].filter((name) => {
      const attribute = kind.members[name];
      return !(isUnversioned(attribute) && isLeftOut(attribute));
    }),
  );

/**
 * The members of a write's answer: everything a request could set, and who follows and votes (conventions 3). What has an
 * operation of its own, such as sample data, is shown by that operation only: not everybody who may write may see it.
 */
export const answerFields = memoisePerKind((kind) => writeFieldsWithout(kind, ({ request }) => !request));

/** The members that events and history keep. */
export const storedSnapshotFields = memoisePerKind((kind) => writeFieldsWithout(kind, () => true));

const INCLUDE_VALUES: readonly IncludeDeleted[] = ['non-deleted', 'deleted', 'all'];

/** Which records a read or a list looks at, by deletion. */
export const parseInclude = (text: string | null): IncludeDeleted => {
  if (!text) return 'non-deleted';
  const include = INCLUDE_VALUES.find((known) => known === text);
  if (!include) throw badRequest(`[include must be one of ${INCLUDE_VALUES.join(', ')}]`);
  return include;
};

const parseRelationInclude = (kind: Kind, pair: string): readonly [string, IncludeDeleted] => {
  const [field = '', value = '', ...rest] = pair.split(':').map((part) => part.trim());
  if (!kind.fieldNames.has(field)) throw badRequest(`Invalid field name ${field}`);
  if (value === '' || rest.length > 0) throw badRequest('[includeRelations must be pairs such as owners:all]');
  return [field, parseInclude(value)];
};

/** `owners:non-deleted,followers:all`: which references a relation shows; the others follow `include`. */
export const parseRelationIncludes = (
  kind: Kind,
  text: string | null,
  include: IncludeDeleted,
): ((field: string) => IncludeDeleted) => {
  // A deleted record read on purpose still shows its living relations.
  const fallback: IncludeDeleted = include === 'deleted' ? 'all' : include;
  if (!text) return () => fallback;
  const pairs = new Map(
    text
      .split(',')
      .filter((pair) => pair.trim() !== '')
      .map((pair) => parseRelationInclude(kind, pair)),
  );
  return (field) => pairs.get(field) ?? fallback;
};
