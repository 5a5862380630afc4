import { groupBy } from '../../model/group-by.ts';
import { isObject, type Json, type JsonObject, member, withMember } from '../../model/json.ts';
import { jsonObjects } from '../../model/json-parts.ts';
import type { ColumnsAttribute } from '../../model/kind/attribute.ts';
import type { Kind } from '../../model/kind/kind.ts';

/** Changes the labels that columns of a record, or the record itself, have by lineage. Labels of other origins stay. */

/** A label to give with its reason, or to take away when there is no reason. */
export type LabelChange = {
  /** The full name of the column; undefined for the label of the record itself. */
  readonly column: string | undefined;
  readonly tagFqn: string;
  readonly reason: string | undefined;
};

const PROPAGATED = 'Propagated';

/** A label by lineage, as requests have it. */
export const propagatedLabel = (tagFQN: string, reason: string): JsonObject => ({
  tagFQN,
  source: 'Classification',
  labelType: PROPAGATED,
  state: 'Confirmed',
  reason,
});

const isLabelOf = (label: JsonObject, tagFqn: string): boolean =>
  label['tagFQN'] === tagFqn && label['source'] !== 'Glossary';

/** What somebody else has labelled in the meantime needs no label by lineage, and keeps the one it has. */
const relabel = (labels: Json | undefined, { tagFqn, reason }: LabelChange): Json => {
  const present = jsonObjects(labels);
  const others = present.filter((label) => !isLabelOf(label, tagFqn));
  const isGivenOtherwise = present.some((label) => isLabelOf(label, tagFqn) && label['labelType'] !== PROPAGATED);
  if (isGivenOtherwise) return present;
  if (reason === undefined) return others;
  return [...others, propagatedLabel(tagFqn, reason)];
};

const relabelHolder = (holder: JsonObject, changes: readonly LabelChange[]): JsonObject =>
  changes.reduce((out, change) => withMember(out, 'tags', relabel(member(out, 'tags'), change)), holder);

type ChangesByColumn = ReadonlyMap<string, readonly LabelChange[]>;

const relabelTree = (columns: readonly JsonObject[], nest: string, byColumn: ChangesByColumn): JsonObject[] =>
  columns.map((column) => {
    const own = byColumn.get(String(member(column, 'fullyQualifiedName')));
    const labelled = own ? relabelHolder(column, own) : column;
    const children = member(column, nest);
    return children === undefined
      ? labelled
      : withMember(labelled, nest, relabelTree(jsonObjects(children), nest, byColumn));
  });

const relabelSection = (
  document: JsonObject,
  [name, { container, childrenMember }]: readonly [string, ColumnsAttribute],
  byColumn: ChangesByColumn,
): JsonObject => {
  const value = member(document, name);
  const tree = (columns: Json | undefined) => relabelTree(jsonObjects(columns), childrenMember, byColumn);
  if (value === undefined) return document;
  if (!container) return withMember(document, name, tree(value));
  if (!isObject(value) || member(value, container.member) === undefined) return document;
  return withMember(document, name, withMember(value, container.member, tree(member(value, container.member))));
};

/** Applies changes of labels to the document of a record. */
export const relabelDocument = (kind: Kind, document: JsonObject, changes: readonly LabelChange[]): JsonObject => {
  const own = changes.filter(({ column }) => column === undefined);
  const byColumn = groupBy(
    changes.filter(({ column }) => column !== undefined),
    ({ column }) => column ?? '',
  );
  const relabelled = kind.columnTrees.reduce((out, tree) => relabelSection(out, tree, byColumn), document);
  return own.length > 0 ? relabelHolder(relabelled, own) : relabelled;
};
