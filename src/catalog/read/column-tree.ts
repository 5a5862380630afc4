import type { Json, JsonObject } from '../../model/json.ts';
import type { NameFold } from '../../model/kind/columns.ts';
import { fqnPart } from '../../model/name.ts';
import type { LabelNode } from '../queries.ts';

/** One column as stored, with its labels when they were read. */
export type ColumnNode = {
  readonly key: string;
  /** In a wished-for state: the key of the stored column that this one continues. */
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

/** What names the outermost columns of one section of a record for good; what tells their names apart follows. */
export const sectionKey = (ownerId: string, section: string): string => `${ownerId}:${section}:`;

/** What names a column for good: its owner, its section, and what tells the names on the way to it apart. */
export const columnKey = (ownerId: string, section: string, path: readonly string[], fold: NameFold): string =>
  sectionKey(ownerId, section) + path.map(fold).join(PATH_SEPARATOR);

const toStoredColumn = (column: ColumnNode): JsonObject => {
  const { fullyQualifiedName: _derived, ...values } = column.values;
  return column.children.length > 0 ? { ...values, children: column.children.map(toStoredColumn) } : values;
};

/**
 * The tree as the record keeps it: one text, read in one piece. Columns are nodes besides, so that lineage, labels and
 * contracts can point at them; those nodes carry what identifies a column, this text everything it says. Names are not
 * spelled out in full, so that renaming what lies above leaves the text alone.
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

/** A text of more characters is not made sense of before somebody asks. */
const MAX_EAGER_CHARACTERS = 64 * 1024;

/** Where the trees of a record hang, and the text of one of them. */
type ColumnTreeOwner = { readonly id: string; readonly fullyQualifiedName: string };
type StoredSection = { readonly name: string; readonly fold: NameFold; readonly text: string };

/** Reads the text of one section back into its tree. */
const readSection = (
  owner: ColumnTreeOwner,
  { name, fold, text }: StoredSection,
  labels: ColumnTreeContext['labels'],
): ColumnNode[] =>
  readTree({ labels, fold }, JSON.parse(text) as JsonObject[], sectionKey(owner.id, name), owner.fullyQualifiedName);

/** The sections of trees that nobody has made sense of yet, and none of whose columns has a label. */
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
 * The trees of a record. Who reads labels and finds none most often writes, and most writes send what is there already:
 * then sense is made of a text only when somebody looks at its tree. The same goes for long texts: whoever finds the record
 * heavier than the event loop can bear leaves it to another thread.
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
 * Whether a section of trees that were read says, letter for letter, what is given, and has no labels. Yes is certain; no
 * only means that somebody has to look closer.
 */
export const isStoredAs = (trees: ColumnTrees, name: string, given: readonly JsonObject[]): boolean =>
  unlabelledSections.get(trees)?.find((section) => section.name === name)?.text === JSON.stringify(given);
