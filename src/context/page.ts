import type { InheritedNode, LabelNode, RefNode } from '../catalog/queries.ts';
import type { ColumnNode } from '../catalog/read/column-tree.ts';
import { filterNearest, type Snapshot } from '../catalog/read/snapshot.ts';
import type { JsonObject } from '../model/json.ts';
import { jsonObjects, jsonTexts, nonBlankText } from '../model/json-parts.ts';
import { compareByFqn } from '../model/name.ts';
import { formatInline, formatMarkdownTable, formatQuotation } from './markdown.ts';

/** The direct upstream and downstream records that the caller may see. */
export type RecordNeighbours = { readonly upstream: readonly RefNode[]; readonly downstream: readonly RefNode[] };

/** One section of a record's page. It is omitted when it returns undefined. */
export type PageSection = (record: Snapshot, near: RecordNeighbours, annotations: JsonObject) => string | undefined;

/** Limits per section. People read the page at once, and so do programs that pay by the word. */
const PAGE_LIMITS = {
  name: 256,
  fqn: 3072,
  description: 20_000,
  note: 300,
  references: 100,
  terms: 50,
  columns: 500,
  statements: 50,
  values: 50,
} as const;

const formatName = (text: string): string => formatInline(text, PAGE_LIMITS.name);

const nodeName = (node: { readonly name: string; readonly displayName: string | null }): string =>
  formatName(node.displayName || node.name);

const compareName = (a: RefNode, b: RefNode) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** Writes at most a given number of items, followed by the number of omitted ones. */
const listUpTo = <T>(items: readonly T[], most: number, write: (item: T) => string): string[] => [
  ...items.slice(0, most).map(write),
  ...(items.length > most ? [`… and ${items.length - most} more`] : []),
];

const referenceFact = (label: string, nodes: readonly RefNode[]): string[] =>
  nodes.length === 0
    ? []
    : [
        `**${label}:** ${listUpTo([...nodes].sort(compareName), PAGE_LIMITS.references, (node) => nodeName(node)).join(', ')}`,
      ];

/** The nearest sources of inherited values that are not deleted. */
const nearestLiving = (nodes: readonly InheritedNode[] | null): readonly InheritedNode[] =>
  filterNearest((nodes ?? []).filter((node) => node.deleted !== true));

const TIER = 'Tier.';
const GLOSSARY = 'Glossary';

const compareTagFqn = (a: LabelNode, b: LabelNode) => (a.tagFQN < b.tagFQN ? -1 : a.tagFQN > b.tagFQN ? 1 : 0);

const labelsOf = (record: Snapshot, isWanted: (label: LabelNode) => boolean): LabelNode[] =>
  (record.tags ?? []).filter(isWanted).sort(compareTagFqn);

const isTerm = (label: LabelNode): boolean => label.source === GLOSSARY;
const isTier = (label: LabelNode): boolean => !isTerm(label) && label.tagFQN.startsWith(TIER);

const labelFact = (title: string, labels: readonly LabelNode[], write: (label: LabelNode) => string): string[] =>
  labels.length === 0 ? [] : [`**${title}:** ${listUpTo(labels, PAGE_LIMITS.references, write).join(', ')}`];

const tagName = (label: LabelNode): string => formatInline(label.tagFQN, PAGE_LIMITS.fqn);

const titleSection: PageSection = (record) => {
  const displayName = record.values['displayName'] as string | undefined;
  return `# ${formatName(displayName || record.name)}`;
};

const factsSection: PageSection = (record) => {
  const { kind, ancestors } = record;
  const service = record.values['serviceType'] ?? ancestors.find((ancestor) => ancestor.serviceType)?.serviceType;
  const facts = [
    `**Kind:** ${kind.entityType}`,
    `**Name:** ${formatInline(record.fullyQualifiedName, PAGE_LIMITS.fqn)}`,
    ...(service ? [`**Service type:** ${formatName(String(service))}`] : []),
    ...referenceFact('Owners', nearestLiving(record.owners)),
    ...referenceFact('Domains', nearestLiving(record.domains)),
    ...referenceFact(
      'Data products',
      (record.dataProducts ?? []).filter((node) => node.deleted !== true),
    ),
    ...labelFact('Tier', labelsOf(record, isTier), (label) => formatName(label.tagFQN.slice(TIER.length))),
    ...labelFact(
      'Tags',
      labelsOf(record, (label) => !isTerm(label) && !isTier(label)),
      tagName,
    ),
  ];
  return facts.map((fact) => `- ${fact}`).join('\n');
};

const descriptionSection: PageSection = (record) => {
  const text = record.values['description'] as string | undefined;
  return text?.trim() ? `## Description\n\n${formatQuotation(text, PAGE_LIMITS.description)}` : undefined;
};

const termItem = (label: LabelNode): string => {
  const meaning = label.description ? `: ${formatInline(label.description, PAGE_LIMITS.note)}` : '';
  return `- **${nodeName(label)}** (${tagName(label)})${meaning}`;
};

const termsSection: PageSection = (record) => {
  const labels = labelsOf(record, isTerm);
  if (labels.length === 0) return undefined;
  const lines = listUpTo(labels, PAGE_LIMITS.terms, termItem).map((line) =>
    line.startsWith('- ') ? line : `- ${line}`,
  );
  return `## Glossary terms\n\n${lines.join('\n')}`;
};

type ColumnLine = { readonly path: string; readonly column: ColumnNode };

/** Lists every column with its path from the top-level column, parents before children. */
const flattenColumns = (columns: readonly ColumnNode[], prefix = ''): ColumnLine[] =>
  columns.flatMap((column) => {
    const path = prefix + String(column.values['name']);
    return [{ path, column }, ...flattenColumns(column.children, `${path}.`)];
  });

const columnCell = (column: ColumnNode, member: string): string =>
  formatInline(String(column.values[member] ?? ''), PAGE_LIMITS.note);

const columnRow = ({ path, column }: ColumnLine): string[] => [
  formatInline(path, PAGE_LIMITS.fqn),
  columnCell(column, column.values['dataTypeDisplay'] ? 'dataTypeDisplay' : 'dataType'),
  columnCell(column, 'description'),
  listUpTo([...(column.labels ?? [])].sort(compareTagFqn), PAGE_LIMITS.references, tagName).join(', '),
];

const COLUMN_HEADS = ['Name', 'Type', 'Description', 'Tags'];

const columnTable = (heading: string, columns: readonly ColumnNode[]): string | undefined => {
  const all = flattenColumns(columns);
  if (all.length === 0) return undefined;
  const rest = all.length - PAGE_LIMITS.columns;
  const more = rest > 0 ? `\n\n… and ${rest} more` : '';
  return `## ${heading}\n\n${formatMarkdownTable(COLUMN_HEADS, all.slice(0, PAGE_LIMITS.columns).map(columnRow))}${more}`;
};

/** Formats a field name as a heading: `messageSchema` becomes «Message schema». */
const toHeading = (member: string): string => {
  const words = member.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.slice(0, 1).toUpperCase() + words.slice(1);
};

const columnsSection: PageSection = (record) => {
  const tables = record.kind.columnTrees.map(([member]) =>
    columnTable(toHeading(member), record.columns[member] ?? []),
  );
  const filled = tables.filter((part) => part !== undefined);
  return filled.length > 0 ? filled.join('\n\n') : undefined;
};

const neighbourName = ({ entityType, fullyQualifiedName }: RefNode): string =>
  `${formatInline(fullyQualifiedName, PAGE_LIMITS.fqn)} (${entityType})`;

const neighbourItem = (label: string, nodes: readonly RefNode[]): string[] =>
  nodes.length === 0
    ? []
    : [`- **${label}:** ${listUpTo([...nodes].sort(compareByFqn), PAGE_LIMITS.references, neighbourName).join(', ')}`];

const lineageSection: PageSection = (_, { upstream, downstream }) => {
  const lines = [...neighbourItem('Upstream', upstream), ...neighbourItem('Downstream', downstream)];
  return lines.length === 0 ? undefined : `## Lineage\n\n${lines.join('\n')}`;
};

const formatNote = (text: string): string => formatInline(text, PAGE_LIMITS.note);

const namesFact = (label: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`**${label}:** ${listUpTo(names, PAGE_LIMITS.values, formatName).join(', ')}`];

const DEPRECATED = '**Deprecated**';

const annotatedColumn = (column: JsonObject): string => {
  const facts = [
    ...(column['deprecated'] === true ? [DEPRECATED] : []),
    ...namesFact('Also called', jsonTexts(column['synonyms'])),
    ...namesFact('Allowed values', jsonTexts(column['enum'])),
    ...namesFact('Role', jsonTexts([column['semanticType'] ?? null])),
    ...namesFact('Type', jsonTexts([column['type'] ?? null])),
  ];
  return `Column ${formatInline(String(column['column']), PAGE_LIMITS.fqn)}: ${facts.join('; ')}`;
};

const statementItem = ({ question, answer }: JsonObject): string =>
  `${formatNote(String(question))}${answer === undefined ? '' : `: ${formatInline(String(answer), PAGE_LIMITS.description)}`}`;

/** One context of a contract: the instructions as they are written, and the rest as lists. */
const contextParts = (context: JsonObject): string[] => {
  const instructions = nonBlankText(context['instructions']);
  const lists = [
    ...listUpTo(
      jsonTexts(context['constraints']),
      PAGE_LIMITS.statements,
      (text) => `**Constraint:** ${formatInline(text, PAGE_LIMITS.description)}`,
    ),
    ...listUpTo(
      jsonObjects(context['verifiedStatements']),
      PAGE_LIMITS.statements,
      (one) => `**Verified:** ${statementItem(one)}`,
    ),
  ];
  return [
    ...(instructions === undefined ? [] : [formatQuotation(instructions, PAGE_LIMITS.description)]),
    ...(lists.length === 0 ? [] : [lists.map((line) => `- ${line}`).join('\n')]),
  ];
};

/** What the contract of the record says of it besides its schema. */
const contractSection: PageSection = (_record, _near, annotations) => {
  const facts = [
    ...(annotations['deprecated'] === true ? [DEPRECATED] : []),
    ...namesFact('Also called', jsonTexts(annotations['synonyms'])),
    ...listUpTo(jsonObjects(annotations['columns']), PAGE_LIMITS.columns, annotatedColumn),
  ];
  const parts = [
    ...(facts.length === 0 ? [] : [facts.map((fact) => `- ${fact}`).join('\n')]),
    ...jsonObjects(annotations['contexts']).flatMap(contextParts),
  ];
  return parts.length === 0 ? undefined : ['## Contract', ...parts].join('\n\n');
};

export const SECTIONS_ABOVE_COLUMNS: readonly PageSection[] = [
  titleSection,
  factsSection,
  descriptionSection,
  termsSection,
  contractSection,
  lineageSection,
];

/** The sections of a page in order. */
export const PAGE_SECTIONS: readonly PageSection[] = [...SECTIONS_ABOVE_COLUMNS, columnsSection];

/** Renders the page of a record: what a person or a program should know before using it. */
export const renderPage = (
  record: Snapshot,
  neighbours: RecordNeighbours,
  annotations: JsonObject,
  sections: readonly PageSection[],
): string => {
  const parts = sections
    .map((section) => section(record, neighbours, annotations))
    .filter((part) => part !== undefined);
  return `${parts.join('\n\n')}\n`;
};
