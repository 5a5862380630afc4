import { isArray, isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import { fqnPart, lookupParts, scopesOf } from '../../model/name.ts';
import { type ColumnChange, isRequiring } from './changes.ts';
import { type Reading, readingOf } from './readings.ts';
import { isApplicable } from './semantics.ts';
import { familyOf, isCompatible } from './types.ts';

/** A part of a contract that a change of columns breaks. */
export type BrokenClause = { readonly clause: string; readonly reason: string };

export type LinkedTest = { readonly name: string; readonly column?: string };

const objectsOf = (record: JsonObject, name: string): readonly JsonObject[] => {
  const value = member(record, name);
  return isArray(value) ? value.filter(isObject) : [];
};

const textOf = (record: JsonObject, name: string): string | undefined => {
  const value = member(record, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const fold = (path: string): string => path.toLowerCase();

type Index = ReadonlyMap<string, readonly ColumnChange[]>;

const indexed = (changes: readonly ColumnChange[], key: (path: string) => string): Index => {
  const index = new Map<string, ColumnChange[]>();
  for (const change of changes) {
    const at = key(change.column);
    const same = index.get(at);
    if (same) same.push(change);
    else index.set(at, [change]);
  }
  return index;
};

const leafOf = (path: string): string => lookupParts(path)?.at(-1) ?? path;

/** Changes by the paths of their columns, by those in lower case, and by the last names of these. */
type Changes = { readonly exact: Index; readonly folded: Index; readonly leaves: Index };

const indexChanges = (changes: readonly ColumnChange[]): Changes => ({
  exact: indexed(changes, String),
  folded: indexed(changes, fold),
  leaves: indexed(changes, (path) => fold(leafOf(path))),
});

const changesAt = ({ exact, folded }: Pick<Changes, 'exact' | 'folded'>, path: string): readonly ColumnChange[] =>
  exact.get(path) ?? folded.get(fold(path)) ?? [];

/** One clause may name hundreds of columns, and a few of them say enough. */
const MAX_REASONS = 20;

/** Whether the column is not found by its name any more. */
const isGone = ({ change, before, after }: ColumnChange): boolean =>
  change === 'dropped' || (change === 'renamed' && (before === undefined || before !== after));

/** What takes a column away: a change of its own, or of what it lies in. */
const losses = (changes: Pick<Changes, 'exact' | 'folded'>, path: string): readonly ColumnChange[] =>
  [...scopesOf(path), path].flatMap((scope) => changesAt(changes, scope).filter(isGone));

const sayLoss = ({ column, change, after }: ColumnChange): string => {
  if (change === 'dropped') return `column ${column} is dropped`;
  return after === undefined ? `column ${column} is renamed` : `column ${column} is renamed to ${after}`;
};

type Declared = { readonly type: string; readonly inner: string | undefined; readonly room: readonly number[] };

const TYPE = /^([^(<]+?)\s*(?:\(([\d\s,-]*)\))?(?:<(.*)>)?$/s;

const LONGEST_TYPE = 256;

/** Reads what `columnChanges` writes of a type. */
const declared = (text: string): Declared => {
  const [, type = text, room = '', inner] = TYPE.exec(text.slice(0, LONGEST_TYPE)) ?? [];
  const numbers = room === '' ? [] : room.split(',').map(Number);
  return { type: type.toUpperCase(), inner: inner?.toUpperCase(), room: numbers };
};

const ROOM = ['dataLength', 'precision', 'scale'] as const;

/** Whether a type offers less room than a column of the contract says, where both say the same things of it. */
const isTooNarrow = (column: JsonObject, { room }: Declared): boolean => {
  const wanted = ROOM.flatMap((name) => member(column, name) ?? []);
  if (wanted.length !== room.length) return false;
  return wanted.some((size, index) => typeof size === 'number' && size > (room[index] ?? size));
};

const fits = (column: JsonObject, text: string): boolean => {
  const { type, inner, room } = declared(text);
  if (!isCompatible(type, textOf(column, 'dataType'))) return false;
  return isCompatible(inner, textOf(column, 'arrayDataType')) && !isTooNarrow(column, { type, inner, room });
};

const sayType = ({ column, before, after }: ColumnChange): string => {
  if (after === undefined) return `column ${column} gets another type`;
  return before === undefined
    ? `column ${column} becomes ${after}`
    : `column ${column} changes from ${before} to ${after}`;
};

/** What was no match before the change is not broken by it. */
const breaksType = (column: JsonObject, { change, before, after }: ColumnChange): boolean => {
  if (change !== 'retyped') return false;
  if (after === undefined) return true;
  return !fits(column, after) && (before === undefined || fits(column, before));
};

const breaksPresence = (column: JsonObject, { change, before, after }: ColumnChange): boolean =>
  change === 'nullability' &&
  isRequiring(member(column, 'constraint')) &&
  !isRequiring(after) &&
  (before === undefined || isRequiring(before));

const promised = (column: JsonObject): string => {
  const [type = 'no type', constraint] = [textOf(column, 'dataType'), textOf(column, 'constraint')];
  return constraint === undefined ? type : `${type} ${constraint}`;
};

const columnPaths = (columns: readonly JsonObject[], parent = ''): readonly (readonly [string, JsonObject])[] =>
  columns.flatMap((column) => {
    const name = fqnPart(textOf(column, 'name') ?? '');
    const path = parent === '' ? name : `${parent}.${name}`;
    return [[path, column] as const, ...columnPaths(objectsOf(column, 'children'), path)];
  });

const brokenColumns = (contract: JsonObject, changes: readonly ColumnChange[]): readonly BrokenClause[] => {
  const columns = columnPaths(objectsOf(contract, 'schema'));
  const paths = new Set(columns.map(([path]) => path));
  // A column that the contract knows exactly is no other spelling of a second one.
  const others = changes.filter(({ column }) => !paths.has(column));
  const index = { exact: indexed(changes, String), folded: indexed(others, fold) };
  return columns.flatMap(([path, column]) => {
    const reasons = [
      ...losses(index, path).map(sayLoss),
      ...changesAt(index, path).flatMap((change) => {
        if (breaksType(column, change)) return [`${sayType(change)} and the contract says ${promised(column)}`];
        if (!breaksPresence(column, change)) return [];
        return [`column ${path} may become null and the contract says ${promised(column)}`];
      }),
    ];
    return reasons.map((reason) => ({ clause: `schema.${path}`, reason }));
  });
};

/** The changes of columns that a rule names, by their paths or by their last names alone. */
const changesRead = ({ folded, leaves }: Changes, { names, paths }: Reading): readonly ColumnChange[] => {
  const byName = [...names].flatMap((name) => leaves.get(name) ?? []);
  const byPath = [...names, ...paths].flatMap((path) => folded.get(path) ?? []);
  return [...new Set([...byName, ...byPath])];
};

const reads = ({ members }: Reading, names: readonly string[]): boolean => names.some((name) => members.has(name));

const TYPE_MEMBERS = ['dataType', 'dataTypeDisplay', 'arrayDataType', ...ROOM] as const;

const breaksReading = (reading: Reading, change: ColumnChange): boolean => {
  if (isGone(change)) return true;
  if (change.change === 'retyped') return reads(reading, TYPE_MEMBERS);
  return change.change === 'nullability' && reads(reading, ['constraint']);
};

const sayChange = (change: ColumnChange): string => {
  if (isGone(change)) return sayLoss(change);
  return change.change === 'retyped'
    ? sayType(change)
    : `column ${change.column} becomes ${change.after ?? 'nullable'}`;
};

const typeIn = (contract: JsonObject): string => {
  const entity = member(contract, 'entity');
  return (isObject(entity) ? textOf(entity, 'type') : undefined) ?? '';
};

const brokenRules = (contract: JsonObject, changes: Changes): readonly BrokenClause[] =>
  objectsOf(contract, 'semantics').flatMap((rule) => {
    if (!isApplicable(rule, typeIn(contract))) return [];
    const reading = readingOf(rule);
    return changesRead(changes, reading)
      .filter((change) => breaksReading(reading, change))
      .slice(0, MAX_REASONS)
      .map((change) => ({
        clause: `semantics.${textOf(rule, 'name') ?? ''}`,
        reason: `${sayChange(change)} and the rule reads it`,
      }));
  });

/** Whether what was measured of a column before means something else after the change. */
const isOtherSort = ({ change, before, after }: ColumnChange): boolean => {
  if (change !== 'retyped') return false;
  return before === undefined || after === undefined || !isCompatible(declared(before).type, declared(after).type);
};

const WORDS = /[\p{L}\p{N}_$]+/gu;

const MAX_QUERY = 100_000;

const wordsOf = (rule: JsonObject): readonly string[] =>
  (textOf(rule, 'query') ?? '').slice(0, MAX_QUERY).toLowerCase().match(WORDS) ?? [];

const textsIn = (value: Json): readonly string[] => {
  if (typeof value === 'string') return [fold(value)];
  return isArray(value) ? value.flatMap((item) => (typeof item === 'string' ? fold(item) : [])) : [];
};

/** What a rule of a whole table may name columns by: the words of its query, and the texts of its arguments. */
const namedIn = (rule: JsonObject): ReadonlySet<string> => {
  const given = textOf(rule, 'column') === undefined ? member(rule, 'arguments') : undefined;
  return new Set([...wordsOf(rule), ...(isObject(given) ? Object.values(given).flatMap(textsIn) : [])]);
};

const ruleName = (rule: JsonObject, index: number): string =>
  textOf(rule, 'name') ?? textOf(rule, 'id') ?? textOf(rule, 'metric') ?? textOf(rule, 'rule') ?? String(index + 1);

const brokenQualityRules = (contract: JsonObject, changes: Changes): readonly BrokenClause[] =>
  objectsOf(contract, 'odcsQualityRules').flatMap((rule, position) => {
    const column = textOf(rule, 'column');
    const clause = `quality.${ruleName(rule, position)}`;
    const own =
      column === undefined ? [] : [...losses(changes, column), ...changesAt(changes, column).filter(isOtherSort)];
    const named = [...namedIn(rule)]
      .flatMap((name) => changes.leaves.get(name) ?? [])
      .filter((change) => isGone(change) && !own.includes(change));
    return [
      ...own.map((change) => ({ clause, reason: `${sayChange(change)} and the rule checks it` })),
      ...named.slice(0, MAX_REASONS).map((change) => ({
        clause,
        reason: `${sayChange(change)} and the rule names it`,
      })),
    ];
  });

/** Tests follow a column that is renamed. */
const brokenTests = (tests: readonly LinkedTest[], index: Changes): readonly BrokenClause[] =>
  tests.flatMap(({ name, column }) => {
    if (column === undefined) return [];
    const lost = losses(index, column).filter(({ change }) => change === 'dropped');
    return [...lost, ...changesAt(index, column).filter(isOtherSort)].map((change) => ({
      clause: `quality.${name}`,
      reason: `${sayChange(change)} and the test checks it`,
    }));
  });

/** The path of a column below its entity, whether the contract says that or the full name. */
const columnBelow = (contract: JsonObject, name: string): string => {
  const entity = member(contract, 'entity');
  const fqn = isObject(entity) ? textOf(entity, 'fullyQualifiedName') : undefined;
  return fqn !== undefined && fold(name).startsWith(`${fold(fqn)}.`) ? name.slice(fqn.length + 1) : name;
};

/** Times are read from columns of times, and from texts. */
const tellsTime = (type: string | undefined): boolean =>
  type !== undefined && ['time', 'string'].includes(familyOf(declared(type).type) ?? '');

const brokenSla = (contract: JsonObject, index: Changes): readonly BrokenClause[] => {
  const sla = member(contract, 'sla');
  const name = isObject(sla) ? textOf(sla, 'columnName') : undefined;
  if (name === undefined) return [];
  const path = columnBelow(contract, name);
  const timeless = changesAt(index, path).filter(({ change, after }) => change === 'retyped' && !tellsTime(after));
  return [...losses(index, path), ...timeless].map((change) => ({
    clause: 'sla.columnName',
    reason: `${sayChange(change)} and freshness is read from it`,
  }));
};

const brokenFilters = (contract: JsonObject, index: Changes): readonly BrokenClause[] => {
  const security = member(contract, 'security');
  const filters = isObject(security) ? objectsOf(security, 'policies') : [];
  return filters
    .flatMap((policy) => objectsOf(policy, 'rowFilters'))
    .flatMap((filter) => {
      const path = columnBelow(contract, textOf(filter, 'columnName') ?? '');
      return losses(index, path).map((change) => ({
        clause: `security.${path}`,
        reason: `${sayLoss(change)} and rows are filtered by it`,
      }));
    });
};

/** What a change of columns breaks in a contract, clause by clause, in the order of the parts of a contract. */
export const brokenClauses = (
  contract: JsonObject,
  changes: readonly ColumnChange[],
  tests: readonly LinkedTest[],
): readonly BrokenClause[] => {
  const index = indexChanges(changes);
  const broken = [
    ...brokenColumns(contract, changes),
    ...brokenRules(contract, index),
    ...brokenQualityRules(contract, index),
    ...brokenTests(tests, index),
    ...brokenSla(contract, index),
    ...brokenFilters(contract, index),
  ];
  return [...new Map(broken.map((one) => [`${one.clause}\n${one.reason}`, one])).values()];
};
