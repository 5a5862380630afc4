import type { Attribute } from '../model/attribute.ts';
import { fqnHash } from '../model/checksum.ts';
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../model/json.ts';
import { type Kind, perKind } from '../model/kind.ts';
import { joinFqn, splitFqn } from '../model/name.ts';

/**
 * The document by which a record is found (search.md 6.1): its own JSON without what only its history needs and what
 * must stay secret, and what follows from the rest.
 */

/** Members of a record that no document has. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'changeDescription',
  'incrementalChangeDescription',
  'changeSummary',
  'votes',
  'dataContract',
]);

const isListed = (name: string, attribute: Attribute, tells: readonly string[]): boolean => {
  switch (attribute.store) {
    case 'secret':
    case 'conferred':
      return false;
    // What is kept beside a record is not for everybody who finds it, sample data above all.
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

const leftOut = perKind((kind): ReadonlySet<string> => {
  const { tells = [] } = kind.search;
  const own = Object.entries(kind.members).filter(([name, attribute]) => !isListed(name, attribute, tells));
  return new Set([...LEFT_OUT, ...own.map(([name]) => name)]);
});

/** The gated members that a record must be read with to make its document. */
export const documentFields = perKind((kind): ReadonlySet<string> => {
  const out = leftOut(kind);
  const told = [...kind.gatedNames].filter((name) => name === 'votes' || !out.has(name));
  return new Set([...told, ...(kind.search.tells ?? [])]);
});

/** The members of a record that are references to others, or lists of them. */
const linkMembers = perKind((kind): readonly string[] => [
  ...['owners', 'domains', 'dataProducts'].filter((name) => kind.gatedNames.has(name)),
  ...Object.entries(kind.attributes).flatMap(([name, { store }]) =>
    store === 'relation' || store === 'ancestor' ? [name] : [],
  ),
]);

const textOf = (object: JsonObject, name: string): string => {
  const text = member(object, name);
  return typeof text === 'string' ? text : '';
};

const objectsOf = (value: Json | undefined): readonly JsonObject[] => (isArray(value) ? value.filter(isObject) : []);

const shownName = (named: JsonObject): string => textOf(named, 'displayName') || textOf(named, 'name');

const isReference = (value: Json): value is JsonObject =>
  isObject(value) && typeof value['id'] === 'string' && typeof value['type'] === 'string';

const withShownName = (value: Json): Json => (isReference(value) ? { ...value, displayName: shownName(value) } : value);

const addLinks = (out: MutableJsonObject, kind: Kind): void => {
  for (const name of linkMembers(kind)) {
    const value = out[name];
    if (value !== undefined) out[name] = isArray(value) ? value.map(withShownName) : withShownName(value);
  }
  const owners = objectsOf(out['owners']);
  if (owners.length > 0) {
    out['ownerName'] = owners.map((owner) => textOf(owner, 'name'));
    out['ownerDisplayName'] = owners.map(shownName);
  }
  if (out['followers']) out['followers'] = objectsOf(out['followers']).map((follower) => textOf(follower, 'id'));
};

const LABEL_MEMBERS = ['tagFQN', 'name', 'description', 'style', 'source', 'labelType', 'state'] as const;

const labelOf = (label: JsonObject): JsonObject =>
  Object.fromEntries(
    LABEL_MEMBERS.flatMap((name) => {
      const value = label[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

const fqnOf = (label: JsonObject): string => textOf(label, 'tagFQN');
const isTerm = (label: JsonObject): boolean => label['source'] === 'Glossary';
const isTier = (label: JsonObject): boolean => !isTerm(label) && fqnOf(label).startsWith('Tier.');

const addLabels = (out: MutableJsonObject): void => {
  if (!out['tags']) return;
  const all = objectsOf(out['tags']).map(labelOf);
  const tags = all.filter((label) => !isTier(label));
  const tier = all.find(isTier);
  out['tags'] = tags;
  if (tier) out['tier'] = tier;
  out['classificationTags'] = tags.filter((label) => !isTerm(label)).map(fqnOf);
  out['glossaryTags'] = tags.filter(isTerm).map(fqnOf);
  out['classificationTagFQNs'] = all.filter((label) => !isTerm(label)).map(fqnOf);
  out['glossaryTermFQNs'] = all.filter(isTerm).map(fqnOf);
};

const isWritten = (described: JsonObject): boolean => textOf(described, 'description').trim() !== '';

const completeness = (isComplete: boolean): string => (isComplete ? 'COMPLETE' : 'INCOMPLETE');

type Listed = { readonly path: string; readonly column: JsonObject };

/** All columns of a tree with their names below the record, parents before their children. */
const flatten = (columns: readonly JsonObject[], nest: string, parent?: string): Listed[] =>
  columns.flatMap((column) => {
    const path = joinFqn(parent, textOf(column, 'name'));
    return [{ path, column }, ...flatten(objectsOf(column[nest]), nest, path)];
  });

const columnsOf = (out: JsonObject, kind: Kind): Listed[] =>
  kind.trees.flatMap(([name, { inside, nest }]) => {
    const value = out[name];
    const tree = inside && isObject(value) ? value[inside.member] : value;
    return flatten(objectsOf(tree), nest);
  });

const addColumns = (out: MutableJsonObject, kind: Kind): void => {
  const { lists } = kind.search;
  if (!lists) return;
  const columns = columnsOf(out, kind);
  const names = [...new Set(columns.map(({ path }) => path))];
  out[lists] = names;
  out[`${lists}Fuzzy`] = names.join(' ');
  if (lists === 'columnNames') {
    out['columnDescriptionStatus'] = completeness(columns.every(({ column }) => isWritten(column)));
  }
};

const countOf = (votes: Json | undefined, name: string): number =>
  isObject(votes) && typeof votes[name] === 'number' ? votes[name] : 0;

const withoutDate = ({ date: _date, ...sums }: JsonObject): JsonObject => sums;

/** The document of a record, given what its readers see of it when they ask for `documentFields`. */
export const documentOf = (kind: Kind, record: JsonObject): JsonObject => {
  const out: MutableJsonObject = {};
  const isOut = leftOut(kind);
  for (const [name, value] of Object.entries(record)) if (!isOut.has(name)) setMember(out, name, value);
  const fqn = textOf(record, 'fullyQualifiedName');
  const parts = splitFqn(fqn);
  const { votes, usageSummary } = record;
  Object.assign(out, {
    entityType: kind.entityType,
    deleted: record['deleted'] === true,
    displayName: shownName(record),
    fqnParts: parts,
    fqnHash: fqnHash(fqn),
    fqnDepth: parts.length,
    totalVotes: Math.max(countOf(votes, 'upVotes') - countOf(votes, 'downVotes'), 0),
    descriptionStatus: completeness(isWritten(record)),
    ...kind.search.constants,
  });
  if (isObject(usageSummary)) out['usageSummary'] = withoutDate(usageSummary);
  addLinks(out, kind);
  addLabels(out);
  addColumns(out, kind);
  for (const [name, repeated] of Object.entries(kind.search.repeats ?? {})) {
    const value = record[repeated];
    if (value !== undefined) out[name] = value;
  }
  for (const [name, derive] of Object.entries(kind.search.derives ?? {})) out[name] = derive(record);
  return out;
};
