import { hashFqnParts } from '../model/checksum.ts';
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../model/json.ts';
import type { Attribute } from '../model/kind/attribute.ts';
import { memoisePerKind } from '../model/kind/derived-values.ts';
import type { Kind } from '../model/kind/kind.ts';
import { joinFqn, splitFqn } from '../model/name.ts';

/**
 * Builds the search document of a record (search.md 6.1): the record's JSON without secrets and without what only its
 * history needs, plus fields derived from the rest.
 */

/** Members of a record that no document contains. */
const EXCLUDED_MEMBERS: ReadonlySet<string> = new Set([
  'changeDescription',
  'incrementalChangeDescription',
  'changeSummary',
  'votes',
  'dataContract',
]);

const isInDocument = (name: string, attribute: Attribute, tells: readonly string[]): boolean => {
  switch (attribute.store) {
    case 'secret':
    case 'conferred':
      return false;
    // Separately stored values, above all sample data, are not for everyone who finds the record.
    case 'property':
    case 'json':
      return !attribute.hidden && (attribute.versioned || !attribute.gated);
    case 'relation':
    case 'walked':
      return tells.includes(name) || !attribute.gated;
    case 'empty':
      return !attribute.gated;
    default:
      return true;
  }
};

const excludedMembersOf = memoisePerKind((kind): ReadonlySet<string> => {
  const { includedMembers = [] } = kind.search;
  const own = Object.entries(kind.members).filter(
    ([name, attribute]) => !isInDocument(name, attribute, includedMembers),
  );
  return new Set([...EXCLUDED_MEMBERS, ...own.map(([name]) => name)]);
});

/** The gated members that must be read to build a record's document. */
export const documentSourceMembers = memoisePerKind((kind): ReadonlySet<string> => {
  const excluded = excludedMembersOf(kind);
  const gated = [...kind.gatedNames].filter((name) => name === 'votes' || !excluded.has(name));
  return new Set([...gated, ...(kind.search.includedMembers ?? [])]);
});

/** The members of a record that hold references or lists of references. */
const referenceMembersOf = memoisePerKind((kind): readonly string[] => [
  ...['owners', 'domains', 'dataProducts'].filter((name) => kind.gatedNames.has(name)),
  ...Object.entries(kind.attributes).flatMap(([name, { store }]) =>
    store === 'relation' || store === 'ancestor' ? [name] : [],
  ),
]);

const textMemberOf = (object: JsonObject, name: string): string => {
  const text = member(object, name);
  return typeof text === 'string' ? text : '';
};

const objectsOf = (value: Json | undefined): readonly JsonObject[] => (isArray(value) ? value.filter(isObject) : []);

const displayNameOf = (named: JsonObject): string => textMemberOf(named, 'displayName') || textMemberOf(named, 'name');

const isReference = (value: Json): value is JsonObject =>
  isObject(value) && typeof value['id'] === 'string' && typeof value['type'] === 'string';

const withDisplayName = (value: Json): Json =>
  isReference(value) ? { ...value, displayName: displayNameOf(value) } : value;

const addReferences = (out: MutableJsonObject, kind: Kind): void => {
  for (const name of referenceMembersOf(kind)) {
    const value = out[name];
    if (value !== undefined) out[name] = isArray(value) ? value.map(withDisplayName) : withDisplayName(value);
  }
  const owners = objectsOf(out['owners']);
  if (owners.length > 0) {
    out['ownerName'] = owners.map((owner) => textMemberOf(owner, 'name'));
    out['ownerDisplayName'] = owners.map(displayNameOf);
  }
  if (out['followers']) out['followers'] = objectsOf(out['followers']).map((follower) => textMemberOf(follower, 'id'));
};

const LABEL_MEMBERS = ['tagFQN', 'name', 'description', 'style', 'source', 'labelType', 'state'] as const;

const pickLabelMembers = (label: JsonObject): JsonObject =>
  Object.fromEntries(
    LABEL_MEMBERS.flatMap((name) => {
      const value = label[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

const fqnOf = (label: JsonObject): string => textMemberOf(label, 'tagFQN');
const isTerm = (label: JsonObject): boolean => label['source'] === 'Glossary';
const isTier = (label: JsonObject): boolean => !isTerm(label) && fqnOf(label).startsWith('Tier.');

const addLabels = (out: MutableJsonObject): void => {
  if (!out['tags']) return;
  const all = objectsOf(out['tags']).map(pickLabelMembers);
  const tags = all.filter((label) => !isTier(label));
  const tier = all.find(isTier);
  out['tags'] = tags;
  if (tier) out['tier'] = tier;
  out['classificationTags'] = tags.filter((label) => !isTerm(label)).map(fqnOf);
  out['glossaryTags'] = tags.filter(isTerm).map(fqnOf);
  out['classificationTagFQNs'] = all.filter((label) => !isTerm(label)).map(fqnOf);
  out['glossaryTermFQNs'] = all.filter(isTerm).map(fqnOf);
};

const hasDescription = (described: JsonObject): boolean => textMemberOf(described, 'description').trim() !== '';

const completeness = (isComplete: boolean): string => (isComplete ? 'COMPLETE' : 'INCOMPLETE');

type ListedColumn = { readonly path: string; readonly column: JsonObject };

/** Lists all columns of a tree with their names relative to the record, parents before children. */
const flattenColumns = (columns: readonly JsonObject[], nest: string, parent?: string): ListedColumn[] =>
  columns.flatMap((column) => {
    const path = joinFqn(parent, textMemberOf(column, 'name'));
    return [{ path, column }, ...flattenColumns(objectsOf(column[nest]), nest, path)];
  });

const columnsOf = (out: JsonObject, kind: Kind): ListedColumn[] =>
  kind.columnTrees.flatMap(([name, { container, childrenMember }]) => {
    const value = out[name];
    const tree = container && isObject(value) ? value[container.member] : value;
    return flattenColumns(objectsOf(tree), childrenMember);
  });

const addColumns = (out: MutableJsonObject, kind: Kind): void => {
  const { columnNamesMember } = kind.search;
  if (!columnNamesMember) return;
  const columns = columnsOf(out, kind);
  const names = [...new Set(columns.map(({ path }) => path))];
  out[columnNamesMember] = names;
  out[`${columnNamesMember}Fuzzy`] = names.join(' ');
  if (columnNamesMember === 'columnNames') {
    out['columnDescriptionStatus'] = completeness(columns.every(({ column }) => hasDescription(column)));
  }
};

const voteCountOf = (votes: Json | undefined, name: string): number =>
  isObject(votes) && typeof votes[name] === 'number' ? votes[name] : 0;

const withoutDate = ({ date: _date, ...sums }: JsonObject): JsonObject => sums;

/** The parts of a full name. A name that follows a prefix is appended without quotes, whatever it holds. */
const fqnPartsOf = ({ namePrefix }: Kind, record: JsonObject, fqn: string): readonly string[] => {
  if (namePrefix === undefined) return splitFqn(fqn);
  const last = `${namePrefix}${textMemberOf(record, 'name')}`;
  return [...splitFqn(fqn.slice(0, -last.length - 1)), last];
};

/** Builds the document of a record from its rendered JSON, which must contain the `documentSourceMembers`. */
export const buildDocument = (kind: Kind, record: JsonObject): JsonObject => {
  const out: MutableJsonObject = {};
  const excluded = excludedMembersOf(kind);
  for (const [name, value] of Object.entries(record)) if (!excluded.has(name)) setMember(out, name, value);
  const fqn = textMemberOf(record, 'fullyQualifiedName');
  const parts = fqnPartsOf(kind, record, fqn);
  const { votes, usageSummary } = record;
  Object.assign(out, {
    entityType: kind.entityType,
    deleted: record['deleted'] === true,
    displayName: displayNameOf(record),
    fqnParts: parts,
    fqnHash: hashFqnParts(parts),
    fqnDepth: parts.length,
    totalVotes: Math.max(voteCountOf(votes, 'upVotes') - voteCountOf(votes, 'downVotes'), 0),
    descriptionStatus: completeness(hasDescription(record)),
    ...kind.search.constants,
  });
  if (isObject(usageSummary)) out['usageSummary'] = withoutDate(usageSummary);
  addReferences(out, kind);
  addLabels(out);
  addColumns(out, kind);
  for (const [name, repeated] of Object.entries(kind.search.memberAliases ?? {})) {
    const value = record[repeated];
    if (value !== undefined) out[name] = value;
  }
  for (const [name, derive] of Object.entries(kind.search.derivedNames ?? {})) out[name] = derive(record);
  return out;
};
