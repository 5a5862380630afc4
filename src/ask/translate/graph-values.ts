import type { Named } from '../language/syntax.ts';
import { COLUMN_LABEL, COMMON_PROPERTIES, type ViewProperty } from '../view.ts';
import { bindValue, faultAt, newName, unknownName, type Writing } from './scope.ts';
import { hasGraphValue, type QueryType } from './value-type.ts';

/** Reads properties of nodes and edges, and turns whole ones into maps of the properties that the view has. */

const COMMON: ReadonlySet<string> = new Set(COMMON_PROPERTIES.map(({ name }) => name));

type Owner = { readonly name: string; readonly properties: ReadonlyMap<string, ViewProperty> };

/** What a node or an edge may be. */
const ownersOf = ({ view }: Writing, type: QueryType): readonly Owner[] => {
  if (type.is === 'node') {
    const names = type.labels ?? [...view.labels.keys()];
    return names.flatMap((name) => view.labels.get(name) ?? []);
  }
  const names = type.is === 'edge' ? (type.types ?? [...view.edges.keys()]) : [];
  return names.flatMap((name) => view.edges.get(name) ?? []);
};

/** Writes the condition that a node has one of some labels, or an edge one of some types. */
const isOneOf = (text: string, names: readonly string[]): string => `${text}:${names.join('|')}`;

/**
 * Writes the value of a property. Where it is not part of the view for everything that the node may be, it is read only
 * from what it is part of: another kind may store something of that name which nobody may read.
 */
export const writeProperty = (writing: Writing, text: string, type: QueryType, key: Named): string => {
  const owners = ownersOf(writing, type);
  const having = owners.filter(({ properties }) => properties.has(key.name));
  if (having.length === 0) {
    const known = new Set(owners.flatMap(({ properties }) => [...properties.keys()]));
    throw unknownName(writing, key, 'property', known);
  }
  for (const { properties } of having) {
    for (const operation of properties.get(key.name)?.operations ?? []) writing.use.operations.add(operation);
  }
  if (having.length === owners.length || (type.is === 'node' && COMMON.has(key.name))) return `${text}.${key.name}`;
  return `CASE WHEN ${isOneOf(
    text,
    having.map(({ name }) => name),
  )} THEN ${text}.${key.name} END`;
};

export const typeOfProperty = (writing: Writing, type: QueryType, name: string): QueryType => {
  const kinds = new Set(ownersOf(writing, type).flatMap(({ properties }) => properties.get(name)?.type ?? []));
  const [only] = kinds;
  if (kinds.size !== 1) return { is: 'plain' };
  if (only === 'boolean') return { is: 'truth' };
  if (only === 'integer' || only === 'number') return { is: 'number' };
  return only === 'list of string' ? { is: 'list', of: { is: 'plain' } } : { is: 'plain' };
};

/** The properties of a whole node or edge: what all that it may be have, and can be read by whoever sees it. */
export const wholeProperties = (writing: Writing, type: QueryType): readonly string[] => {
  const owners = ownersOf(writing, type);
  const [first, ...others] = owners;
  const shared = [...(first?.properties.values() ?? [])].filter(
    ({ name, operations }) => operations.length === 0 && others.every(({ properties }) => properties.has(name)),
  );
  const isOfAnyKind = type.is === 'node' && owners.some(({ name }) => name === COLUMN_LABEL) && owners.length > 1;
  return [...new Set([...shared.map(({ name }) => name), ...(isOfAnyKind ? COMMON : [])])];
};

export const writeLabelNames = (writing: Writing, text: string): string => {
  const names = bindValue(writing, [...writing.view.labels.keys()]);
  return `[label IN labels(${text}) WHERE label IN ${names}]`;
};

/** An edge names its ends by ID, and columns, which have none, by their full names. */
const writeEnd = (end: 'startNode' | 'endNode', text: string): string =>
  `coalesce(${end}(${text}).id, ${end}(${text}).fullyQualifiedName)`;

/** A projection begins with a variable, so that any other value becomes one first. */
const projectAll = (text: string, project: (variable: string) => string): string =>
  /^\w+$/.test(text) ? project(text) : `head([it IN [${text}] | ${project('it')}])`;

const writeNode = (writing: Writing, text: string, type: QueryType): string => {
  const properties = wholeProperties(writing, type).map((name) => `.${name}`);
  return projectAll(
    text,
    (node) => `${node}{label: head(${writeLabelNames(writing, node)}), ${properties.join(', ')}}`,
  );
};

const writeEdge = (writing: Writing, text: string, type: QueryType): string => {
  const properties = wholeProperties(writing, type).map((name) => `, .${name}`);
  return projectAll(text, (edge) => {
    const ends = `from: ${writeEnd('startNode', edge)}, to: ${writeEnd('endNode', edge)}`;
    return `${edge}{type: type(${edge}), ${ends}${properties.join('')}}`;
  });
};

const writeEach = (writing: Writing, list: string, of: QueryType): string => {
  const item = newName(writing);
  return `[${item} IN ${list} | ${writeWhole(writing, item, of)}]`;
};

const writeMap = (writing: Writing, text: string, members: ReadonlyMap<string, QueryType>): string => {
  const entries = [...members].map(([key, of]) => `\`${key}\`: ${writeWhole(writing, `${text}.\`${key}\``, of)}`);
  return `CASE WHEN ${text} IS NULL THEN null ELSE {${entries.join(', ')}} END`;
};

/** Writes a value as it is answered: without nodes and edges, whose stored form is nobody's business. */
export const writeWhole = (writing: Writing, text: string, type: QueryType): string => {
  if (!hasGraphValue(type)) return text;
  if (type.is === 'node') return writeNode(writing, text, type);
  if (type.is === 'edge') return writeEdge(writing, text, type);
  if (type.is === 'list') return writeEach(writing, text, type.of);
  if (type.is === 'map') return writeMap(writing, text, type.members);
  const nodes = writeEach(writing, `nodes(${text})`, { is: 'node', labels: null });
  const edges = writeEach(writing, `relationships(${text})`, { is: 'edge', types: null });
  return `CASE WHEN ${text} IS NULL THEN null ELSE {nodes: ${nodes}, edges: ${edges}} END`;
};

/** Refuses a value of the graph where only a plain one makes sense. */
export const requirePlain = (writing: Writing, place: number, what: string, type: QueryType): void => {
  if (hasGraphValue(type)) throw faultAt(writing, place, `${what} takes values, not nodes, edges or paths`);
};
