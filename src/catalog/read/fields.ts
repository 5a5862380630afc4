import { badRequest, CatalogError } from '../../errors.ts';
import type { Attribute, StoredAttribute } from '../../model/kind/attribute.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { isSettable } from '../../model/kind/settable.ts';
import { nearestOf } from '../../model/nearest.ts';
import type { IncludeDeleted } from './render.ts';

/** For reads that want base members only. */
export const NO_FIELDS: ReadonlySet<string> = new Set();

const unknownField = (kind: Kind, name: string): CatalogError => {
  const nearest = nearestOf(name, [...kind.fieldNames]);
  const hint = nearest === undefined ? {} : { hint: `Did you mean ${nearest}?` };
  return new CatalogError('bad_request', `Invalid field name ${name}`, hint);
};

/**
 * Parses a `fields` parameter. `*` alone stands for all members; an unknown name is refused. Names of base members are
 * allowed and have no effect.
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
  if (unknown !== undefined) throw unknownField(kind, unknown);
  return new Set(names);
};

/** The members that a write reads: everything that a request can set, and the followers and votes. */
export const writeFields = memoisePerKind((kind): ReadonlySet<string> => {
  const own = Object.entries(kind.members)
    .filter(([, attribute]) => attribute.gated && !attribute.onlyNamed && isSettable(attribute))
    .map(([name]) => name);
  const common = kind.gated.filter((name) => name !== 'usageSummary' && name !== 'dataContract');
  return new Set([...own, ...common]);
});

/** Whether a value changes without a version: it is not part of the record's history. */
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
 * The members of a write's answer: everything a request can set, and the followers and votes (conventions 3). A member
 * with an operation of its own, such as sample data, appears only in that operation's answer, because not everyone who
 * may write the record may see it.
 */
export const answerFields = memoisePerKind((kind) => writeFieldsWithout(kind, ({ request }) => !request));

/** The members that events and history store. */
export const storedSnapshotFields = memoisePerKind((kind) => writeFieldsWithout(kind, () => true));

const INCLUDE_VALUES: readonly IncludeDeleted[] = ['non-deleted', 'deleted', 'all'];

/** Parses which records a read or list includes, by their deletion. */
export const parseInclude = (text: string | null): IncludeDeleted => {
  if (!text) return 'non-deleted';
  const include = INCLUDE_VALUES.find((known) => known === text);
  if (!include) throw badRequest(`[include must be one of ${INCLUDE_VALUES.join(', ')}]`);
  return include;
};

const parseRelationInclude = (kind: Kind, pair: string): readonly [string, IncludeDeleted] => {
  const [field = '', value = '', ...rest] = pair.split(':').map((part) => part.trim());
  if (!kind.fieldNames.has(field)) throw unknownField(kind, field);
  if (value === '' || rest.length > 0) throw badRequest('[includeRelations must be pairs such as owners:all]');
  return [field, parseInclude(value)];
};

/**
 * Parses `owners:non-deleted,followers:all`: which references each relation shows; relations that are not named follow
 * `include`.
 */
export const parseRelationIncludes = (
  kind: Kind,
  text: string | null,
  include: IncludeDeleted,
): ((field: string) => IncludeDeleted) => {
  // A deleted record that is read on purpose still shows its relations.
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
