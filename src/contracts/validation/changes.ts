import { anyCase, type Column, detectRename, type Fold } from '../../model/columns.ts';
import { isArray, type Json, type JsonObject, member } from '../../model/json.ts';
import { fqnPart } from '../../model/name.ts';

/** One thing that happens to a column, which is named by its path before the change; a new one by its path after it. */
export type ColumnChange = {
  readonly column: string;
  readonly change: 'dropped' | 'added' | 'retyped' | 'renamed' | 'nullability';
  /** The type, the name or the constraint, whatever it is that changes. */
  readonly before?: string;
  readonly after?: string;
};

const textOf = (column: Column, name: string): string => String(member(column, name) ?? '');

const childrenOf = (column: Column): readonly Column[] => {
  const children = member(column, 'children');
  return isArray(children) ? (children as readonly Column[]) : [];
};

const ROOM = ['dataLength', 'precision', 'scale'] as const;

/** A type as its column declares it, in the words of the catalog: `VARCHAR(20)`, `DECIMAL(10,2)`, `ARRAY<INT>`. */
const typeText = (column: Column): string => {
  const type = textOf(column, 'dataType').toUpperCase();
  const inner = textOf(column, 'arrayDataType').toUpperCase();
  const numbers = ROOM.flatMap((name) => member(column, name) ?? []);
  if (inner !== '') return `${type}<${inner}>`;
  return numbers.length === 0 ? type : `${type}(${numbers.join(',')})`;
};

const differs = (before: Json | undefined, after: Json | undefined): boolean =>
  before !== undefined && before !== null && after !== undefined && after !== null && before !== after;

const isSameType = (before: Column, after: Column): boolean =>
  textOf(before, 'dataType').toUpperCase() === textOf(after, 'dataType').toUpperCase();

/** What one side does not say of a type has not changed. */
const isRetyped = (before: Column, after: Column): boolean =>
  !isSameType(before, after) ||
  ['arrayDataType', ...ROOM].some((name) => differs(member(before, name), member(after, name)));

const REQUIRING: readonly string[] = ['NOT_NULL', 'PRIMARY_KEY'];

/** Whether a constraint means that every row has a value. */
export const isRequiring = (constraint: Json | undefined): boolean =>
  typeof constraint === 'string' && REQUIRING.includes(constraint);

const constraintText = (column: Column): string => textOf(column, 'constraint') || 'NULL';

/** Where siblings lie: the path that names them, and the one by which renames know them. */
type Place = { readonly path: string; readonly names: readonly string[] };

const below = (place: Place, name: string): Place => ({
  path: place.path === '' ? fqnPart(name) : `${place.path}.${fqnPart(name)}`,
  names: [...place.names, name],
});

const keyOf = (names: readonly string[]): string => JSON.stringify(names);

type Told = { readonly out: ColumnChange[]; readonly renames: ReadonlyMap<string, string>; readonly fold: Fold };

const tellPair = (told: Told, before: Column, after: Column, here: Place): void => {
  const column = here.path;
  const [oldName, newName] = [textOf(before, 'name'), textOf(after, 'name')];
  if (told.fold(oldName) !== told.fold(newName)) {
    told.out.push({ column, change: 'renamed', before: oldName, after: newName });
  }
  const isChanged = isRetyped(before, after);
  if (isChanged) told.out.push({ column, change: 'retyped', before: typeText(before), after: typeText(after) });
  if (isRequiring(member(before, 'constraint')) !== isRequiring(member(after, 'constraint'))) {
    told.out.push({ column, change: 'nullability', before: constraintText(before), after: constraintText(after) });
  }
  // A nested column of the same type that says nothing of its parts has not lost them.
  const [oldParts, newParts] = [childrenOf(before), childrenOf(after)];
  if (newParts.length > 0 || isChanged) tellSiblings(told, oldParts, newParts, here);
};

const tellSiblings = (told: Told, before: readonly Column[], after: readonly Column[], place: Place): void => {
  const remaining = new Map(after.map((column) => [told.fold(textOf(column, 'name')), column]));
  for (const column of before) {
    const here = below(place, textOf(column, 'name'));
    const key = told.fold(told.renames.get(keyOf(here.names)) ?? textOf(column, 'name'));
    const match = remaining.get(key);
    remaining.delete(key);
    if (match) tellPair(told, column, match, here);
    else told.out.push({ column: here.path, change: 'dropped', before: typeText(column) });
  }
  for (const column of remaining.values()) {
    const { path } = below(place, textOf(column, 'name'));
    told.out.push({ column: path, change: 'added', after: typeText(column) });
  }
};

/**
 * The difference of two trees of columns. One that goes while another of its type comes in its place is renamed; of what
 * is dropped or added only the outermost column is told. Letter case counts only where the fold says so.
 */
export const columnChanges = (
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  fold: Fold = anyCase,
): readonly ColumnChange[] => {
  const renames = new Map(detectRename(before, after, fold).map(({ from, to }) => [keyOf(from), to.at(-1) ?? '']));
  const out: ColumnChange[] = [];
  tellSiblings({ out, renames, fold }, before, after, { path: '', names: [] });
  return out;
};
