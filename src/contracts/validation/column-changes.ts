import { isArray, type Json, type JsonObject, member } from '../../model/json.ts';
import { type ColumnJson, detectColumnRenames, foldCase, type NameFold } from '../../model/kind/columns.ts';
import { fqnPart } from '../../model/name.ts';

/** A change of one column. `column` is its path before the change, or after it for an added column. */
export type ColumnChange = {
  readonly column: string;
  readonly change: 'dropped' | 'added' | 'retyped' | 'renamed' | 'nullability' | 'enum';
  /** The old value of the type, name or constraint that changes; for allowed values a list of texts as JSON. */
  readonly before?: string;
  readonly after?: string;
};

const memberText = (column: ColumnJson, name: string): string => String(member(column, name) ?? '');

const childColumns = (column: ColumnJson): readonly ColumnJson[] => {
  const children = member(column, 'children');
  return isArray(children) ? (children as readonly ColumnJson[]) : [];
};

const SIZE_MEMBERS = ['dataLength', 'precision', 'scale'] as const;

/** The type of a column as text, in the catalog's notation: `VARCHAR(20)`, `DECIMAL(10,2)`, `ARRAY<INT>`. */
const typeText = (column: ColumnJson): string => {
  const type = memberText(column, 'dataType').toUpperCase();
  const inner = memberText(column, 'arrayDataType').toUpperCase();
  const numbers = SIZE_MEMBERS.flatMap((name) => member(column, name) ?? []);
  if (inner !== '') return `${type}<${inner}>`;
  return numbers.length === 0 ? type : `${type}(${numbers.join(',')})`;
};

const differs = (before: Json | undefined, after: Json | undefined): boolean =>
  before !== undefined && before !== null && after !== undefined && after !== null && before !== after;

const isSameType = (before: ColumnJson, after: ColumnJson): boolean =>
  memberText(before, 'dataType').toUpperCase() === memberText(after, 'dataType').toUpperCase();

/** Whether the type changes. A value that either side omits counts as unchanged. */
const isRetyped = (before: ColumnJson, after: ColumnJson): boolean =>
  !isSameType(before, after) ||
  ['arrayDataType', ...SIZE_MEMBERS].some((name) => differs(member(before, name), member(after, name)));

const REQUIRED_CONSTRAINTS: readonly string[] = ['NOT_NULL', 'PRIMARY_KEY'];

/** Whether a constraint requires a value in every row. */
export const isRequiredConstraint = (constraint: Json | undefined): boolean =>
  typeof constraint === 'string' && REQUIRED_CONSTRAINTS.includes(constraint);

const constraintText = (column: ColumnJson): string => memberText(column, 'constraint') || 'NULL';

/** The location of sibling columns: the path for display, and the names for matching renames. */
type ColumnLocation = { readonly path: string; readonly names: readonly string[] };

const childPath = (place: ColumnLocation, name: string): ColumnLocation => ({
  path: place.path === '' ? fqnPart(name) : `${place.path}.${fqnPart(name)}`,
  names: [...place.names, name],
});

const pathKey = (names: readonly string[]): string => JSON.stringify(names);

type ChangeCollector = {
  readonly out: ColumnChange[];
  readonly renames: ReadonlyMap<string, string>;
  readonly fold: NameFold;
};

const compareColumns = (
  collector: ChangeCollector,
  before: ColumnJson,
  after: ColumnJson,
  here: ColumnLocation,
): void => {
  const column = here.path;
  const [oldName, newName] = [memberText(before, 'name'), memberText(after, 'name')];
  if (collector.fold(oldName) !== collector.fold(newName)) {
    collector.out.push({ column, change: 'renamed', before: oldName, after: newName });
  }
  const isChanged = isRetyped(before, after);
  if (isChanged) collector.out.push({ column, change: 'retyped', before: typeText(before), after: typeText(after) });
  if (isRequiredConstraint(member(before, 'constraint')) !== isRequiredConstraint(member(after, 'constraint'))) {
    collector.out.push({ column, change: 'nullability', before: constraintText(before), after: constraintText(after) });
  }
  // A column of the same type without listed children has not lost them.
  const [oldParts, newParts] = [childColumns(before), childColumns(after)];
  if (newParts.length > 0 || isChanged) compareSiblings(collector, oldParts, newParts, here);
};

const compareSiblings = (
  collector: ChangeCollector,
  before: readonly ColumnJson[],
  after: readonly ColumnJson[],
  place: ColumnLocation,
): void => {
  const remaining = new Map(after.map((column) => [collector.fold(memberText(column, 'name')), column]));
  for (const column of before) {
    const here = childPath(place, memberText(column, 'name'));
    const key = collector.fold(collector.renames.get(pathKey(here.names)) ?? memberText(column, 'name'));
    const match = remaining.get(key);
    remaining.delete(key);
    if (match) compareColumns(collector, column, match, here);
    else collector.out.push({ column: here.path, change: 'dropped', before: typeText(column) });
  }
  for (const column of remaining.values()) {
    const { path } = childPath(place, memberText(column, 'name'));
    collector.out.push({ column: path, change: 'added', after: typeText(column) });
  }
};

/**
 * Compares two column trees. A dropped column and an added one of the same type in its position count as a rename.
 * Only the outermost dropped or added column is reported. Letter case matters unless the fold ignores it.
 */
export const diffColumns = (
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  fold: NameFold = foldCase,
): readonly ColumnChange[] => {
  const renames = new Map(
    detectColumnRenames(before, after, fold).map(({ from, to }) => [pathKey(from), to.at(-1) ?? '']),
  );
  const out: ColumnChange[] = [];
  compareSiblings({ out, renames, fold }, before, after, { path: '', names: [] });
  return out;
};
