import type { InheritedNode, LabelNode, RefNode } from '../catalog/queries.ts';
import type { ColumnNode } from '../catalog/read/column-tree.ts';
import { nearest, type Snapshot } from '../catalog/read/snapshot.ts';
import { inline, quotation, table } from './markdown.ts';

/** What feeds a record, and what it feeds, as far as the reader may see it. */
export type Near = { readonly upstream: readonly RefNode[]; readonly downstream: readonly RefNode[] };

/** One part of a record's page; without anything to say it is left out. */
export type Section = (record: Snapshot, near: Near) => string | undefined;

/** How much of each thing a page holds. It is read in one go, by people and by programs that pay by the word. */
const MOST = {
  name: 256,
  fqn: 3072,
  description: 20_000,
  note: 300,
  references: 100,
  terms: 50,
  columns: 500,
} as const;

const name = (text: string): string => inline(text, MOST.name);

const shown = (node: { readonly name: string; readonly displayName: string | null }): string =>
  name(node.displayName || node.name);

const byName = (a: RefNode, b: RefNode) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** At most so many of a list, and how many more there are. */
const some = <T>(items: readonly T[], most: number, write: (item: T) => string): string[] => [
  ...items.slice(0, most).map(write),
  ...(items.length > most ? [`… and ${items.length - most} more`] : []),
];

const named = (label: string, nodes: readonly RefNode[]): string[] =>
  nodes.length === 0
    ? []
    : [`**${label}:** ${some([...nodes].sort(byName), MOST.references, (node) => shown(node)).join(', ')}`];

/** The nearest living holders of what is passed down. */
const nearestLiving = (nodes: readonly InheritedNode[] | null): readonly InheritedNode[] =>
  nearest((nodes ?? []).filter((node) => node.deleted !== true));

const TIER = 'Tier.';
const GLOSSARY = 'Glossary';

const byFqn = (a: LabelNode, b: LabelNode) => (a.tagFQN < b.tagFQN ? -1 : a.tagFQN > b.tagFQN ? 1 : 0);

const labelsOf = (record: Snapshot, isWanted: (label: LabelNode) => boolean): LabelNode[] =>
  (record.tags ?? []).filter(isWanted).sort(byFqn);

const isTerm = (label: LabelNode): boolean => label.source === GLOSSARY;
const isTier = (label: LabelNode): boolean => !isTerm(label) && label.tagFQN.startsWith(TIER);

const labelled = (title: string, labels: readonly LabelNode[], write: (label: LabelNode) => string): string[] =>
  labels.length === 0 ? [] : [`**${title}:** ${some(labels, MOST.references, write).join(', ')}`];

const tagName = (label: LabelNode): string => inline(label.tagFQN, MOST.fqn);

const title: Section = (record) => {
  const displayName = record.values['displayName'] as string | undefined;
  return `# ${name(displayName || record.name)}`;
};

const facts: Section = (record) => {
  const { kind, ancestors } = record;
  const service = record.values['serviceType'] ?? ancestors.find((ancestor) => ancestor.serviceType)?.serviceType;
  const facts = [
    `**Kind:** ${kind.entityType}`,
    `**Name:** ${inline(record.fullyQualifiedName, MOST.fqn)}`,
    ...(service ? [`**Service type:** ${name(String(service))}`] : []),
    ...named('Owners', nearestLiving(record.owners)),
    ...named('Domains', nearestLiving(record.domains)),
    ...named(
      'Data products',
      (record.dataProducts ?? []).filter((node) => node.deleted !== true),
    ),
    ...labelled('Tier', labelsOf(record, isTier), (label) => name(label.tagFQN.slice(TIER.length))),
    ...labelled(
      'Tags',
      labelsOf(record, (label) => !isTerm(label) && !isTier(label)),
      tagName,
    ),
  ];
  return facts.map((fact) => `- ${fact}`).join('\n');
};

const description: Section = (record) => {
  const text = record.values['description'] as string | undefined;
  return text?.trim() ? `## Description\n\n${quotation(text, MOST.description)}` : undefined;
};

const term = (label: LabelNode): string => {
  const meaning = label.description ? `: ${inline(label.description, MOST.note)}` : '';
  return `- **${shown(label)}** (${tagName(label)})${meaning}`;
};

const terms: Section = (record) => {
  const labels = labelsOf(record, isTerm);
  if (labels.length === 0) return undefined;
  const lines = some(labels, MOST.terms, term).map((line) => (line.startsWith('- ') ? line : `- ${line}`));
  return `## Glossary terms\n\n${lines.join('\n')}`;
};

type Listed = { readonly path: string; readonly column: ColumnNode };

/** Every column with its way from the outermost one, parents before their children. */
const flatten = (columns: readonly ColumnNode[], prefix = ''): Listed[] =>
  columns.flatMap((column) => {
    const path = prefix + String(column.values['name']);
    return [{ path, column }, ...flatten(column.children, `${path}.`)];
  });

const cellOf = (column: ColumnNode, member: string): string => inline(String(column.values[member] ?? ''), MOST.note);

const columnRow = ({ path, column }: Listed): string[] => [
  inline(path, MOST.fqn),
  cellOf(column, column.values['dataTypeDisplay'] ? 'dataTypeDisplay' : 'dataType'),
  cellOf(column, 'description'),
  some([...(column.labels ?? [])].sort(byFqn), MOST.references, tagName).join(', '),
];

const HEADS = ['Name', 'Type', 'Description', 'Tags'];

const columnTable = (heading: string, columns: readonly ColumnNode[]): string | undefined => {
  const all = flatten(columns);
  if (all.length === 0) return undefined;
  const rest = all.length - MOST.columns;
  const more = rest > 0 ? `\n\n… and ${rest} more` : '';
  return `## ${heading}\n\n${table(HEADS, all.slice(0, MOST.columns).map(columnRow))}${more}`;
};

/** `messageSchema` as a heading: «Message schema». */
const spaced = (member: string): string => {
  const words = member.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.slice(0, 1).toUpperCase() + words.slice(1);
};

const columns: Section = (record) => {
  const tables = record.kind.trees.map(([member]) => columnTable(spaced(member), record.columns[member] ?? []));
  const filled = tables.filter((part) => part !== undefined);
  return filled.length > 0 ? filled.join('\n\n') : undefined;
};

const byFullName = (a: RefNode, b: RefNode) =>
  a.fullyQualifiedName < b.fullyQualifiedName ? -1 : a.fullyQualifiedName > b.fullyQualifiedName ? 1 : 0;

const neighbour = ({ entityType, fullyQualifiedName }: RefNode): string =>
  `${inline(fullyQualifiedName, MOST.fqn)} (${entityType})`;

const neighbours = (label: string, nodes: readonly RefNode[]): string[] =>
  nodes.length === 0
    ? []
    : [`- **${label}:** ${some([...nodes].sort(byFullName), MOST.references, neighbour).join(', ')}`];

const lineage: Section = (_, { upstream, downstream }) => {
  const lines = [...neighbours('Upstream', upstream), ...neighbours('Downstream', downstream)];
  return lines.length === 0 ? undefined : `## Lineage\n\n${lines.join('\n')}`;
};

/** The parts of a page in their order. */
export const SECTIONS: readonly Section[] = [title, facts, description, terms, lineage, columns];

/** The page of a record: everything that somebody, or some program, wants to know before working with it. */
export const pageOf = (record: Snapshot, near: Near, sections: readonly Section[]): string => {
  const parts = sections.map((section) => section(record, near)).filter((part) => part !== undefined);
  return `${parts.join('\n\n')}\n`;
};
