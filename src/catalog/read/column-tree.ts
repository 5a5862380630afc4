import type { Json, JsonObject } from '../../model/json.ts';
import type { NameFold } from '../../model/kind/columns.ts';
import { fqnPart } from '../../model/name.ts';
import type { LabelNode } from '../queries.ts';

/** One column as stored, with its labels when they were read. */
export type ColumnNode = {
  readonly key: string;
  /** In a target state: the key of the stored column that this column continues. */
  readonly origin?: string;
  readonly values: Readonly<Record<string, Json>>;
  readonly position: number;
  readonly labels: readonly LabelNode[] | undefined;
  readonly children: readonly ColumnNode[];
};

/** The column trees of one record, by member. */
export type ColumnTrees = Readonly<Record<string, readonly ColumnNode[]>>;

/** No name holds a control character, so joined paths are unambiguous. */
export const PATH_SEPARATOR = '\u0001';

/** The common prefix of the keys of a section's columns; the folded column path follows it. */
export const sectionKey = (ownerId: string, section: string): string => `${ownerId}:${section}:`;

/** The permanent key of a column: its owner, its section, and its folded path. */
export const columnKey = (ownerId: string, section: string, path: readonly string[], fold: NameFold): string =>
  sectionKey(ownerId, section) + path.map(fold).join(PATH_SEPARATOR);

const toStoredColumn = (column: ColumnNode): JsonObject => {
  const { fullyQualifiedName: _derived, ...values } = column.values;
  return column.children.length > 0 ? { ...values, children: column.children.map(toStoredColumn) } : values;
};

/**
 * Serializes a column tree as the record stores it: one text, read in one piece. Columns are nodes as well, so that
 * lineage, labels and contracts can reference them; the nodes hold the identity of a column, and this text holds
 * everything else. The text omits fully qualified names, so that renaming an ancestor does not change it.
 */
export const columnsText = (columns: readonly ColumnNode[]): string => JSON.stringify(columns.map(toStoredColumn));

type ColumnTreeContext = {
  /** Labels by column key; undefined when they were not read. */
  readonly labels: ReadonlyMap<string, readonly LabelNode[]> | undefined;
  readonly fold: NameFold;
};

const NO_LABELS: readonly LabelNode[] = [];
const NO_CHILDREN: readonly ColumnNode[] = [];

const readColumn = (
  site: ColumnTreeContext,
  stored: JsonObject,
  position: number,
  keyPrefix: string,
  fqnPrefix: string,
): ColumnNode => {
  const { children, ...values } = stored as { readonly children?: readonly JsonObject[] } & Record<string, Json>;
  const name = values['name'] as string;
  const key = keyPrefix + site.fold(name);
  const fullyQualifiedName = `${fqnPrefix}.${fqnPart(name)}`;
  values['fullyQualifiedName'] = fullyQualifiedName;
  return {
    key,
    values,
    position,
    labels: site.labels ? (site.labels.get(key) ?? NO_LABELS) : undefined,
    children: children ? readTree(site, children, key + PATH_SEPARATOR, fullyQualifiedName) : NO_CHILDREN,
  };
};

const readTree = (
  site: ColumnTreeContext,
  stored: readonly JsonObject[],
  keyPrefix: string,
  fqnPrefix: string,
): ColumnNode[] => stored.map((column, position) => readColumn(site, column, position, keyPrefix, fqnPrefix));

/** A text with more characters is parsed only when its tree is first used. */
const MAX_EAGER_CHARACTERS = 64 * 1024;

/** The owner of the column trees, and the text of one tree. */
type ColumnTreeOwner = { readonly id: string; readonly fullyQualifiedName: string };
type StoredSection = { readonly name: string; readonly fold: NameFold; readonly text: string };

/** Parses the text of one section into its tree. */
const readSection = (
  owner: ColumnTreeOwner,
  { name, fold, text }: StoredSection,
  labels: ColumnTreeContext['labels'],
): ColumnNode[] =>
  readTree({ labels, fold }, JSON.parse(text) as JsonObject[], sectionKey(owner.id, name), owner.fullyQualifiedName);

/** The sections that were not parsed yet and whose columns have no labels. */
const unlabelledSections = new WeakMap<ColumnTrees, readonly StoredSection[]>();

const readLazily = (
  owner: ColumnTreeOwner,
  sections: readonly StoredSection[],
  labels: ColumnTreeContext['labels'],
): ColumnTrees => {
  const trees: Record<string, readonly ColumnNode[]> = {};
  for (const section of sections) {
    let tree: readonly ColumnNode[] | undefined;
    const get = () => {
      tree ??= readSection(owner, section, labels);
      return tree;
    };
    Object.defineProperty(trees, section.name, { enumerable: true, get });
  }
  if (labels?.size === 0) unlabelledSections.set(trees, sections);
  return trees;
};

/**
 * Reads the column trees of a record. A reader that loads labels and finds none is usually a write, and most writes
 * send what is already stored; in that case a text is parsed only when its tree is used. Long texts are also parsed
 * late, so that a caller can leave a record that is too heavy for the event loop to another thread.
 */
export const readTrees = (
  owner: ColumnTreeOwner,
  sections: readonly StoredSection[],
  labels: ColumnTreeContext['labels'],
): ColumnTrees => {
  const isLong = sections.some(({ text }) => text.length > MAX_EAGER_CHARACTERS);
  if (labels?.size === 0 || isLong) return readLazily(owner, sections, labels);
  const trees: Record<string, readonly ColumnNode[]> = {};
  for (const section of sections) trees[section.name] = readSection(owner, section, labels);
  return trees;
};

/**
 * Whether a section was read with exactly this text and without labels. True is certain; false only means that a full
 * comparison is needed.
 */
export const isStoredAs = (trees: ColumnTrees, name: string, given: readonly JsonObject[]): boolean =>
  unlabelledSections.get(trees)?.find((section) => section.name === name)?.text === JSON.stringify(given);
