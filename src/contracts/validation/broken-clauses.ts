import { isArray, isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import { fqnPart, fqnPrefixes, trySplitFqn } from '../../model/name.ts';
import { findAnnotatedColumn, findBrokenAnnotation } from './annotation-changes.ts';
import { type ColumnChange, isRequiredConstraint } from './column-changes.ts';
import { findRuleReferences, type RuleReferences } from './rule-references.ts';
import { isApplicableRule } from './semantics.ts';
import { isCompatibleType, typeFamilyOf } from './type-families.ts';

/** A clause of a contract that a change of columns breaks. */
export type BrokenClause = { readonly clause: string; readonly reason: string };

export type LinkedTest = { readonly name: string; readonly column?: string };

const memberObjects = (record: JsonObject, name: string): readonly JsonObject[] => {
  const value = member(record, name);
  return isArray(value) ? value.filter(isObject) : [];
};

const memberText = (record: JsonObject, name: string): string | undefined => {
  const value = member(record, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const foldCase = (path: string): string => path.toLowerCase();

type ChangeIndex = ReadonlyMap<string, readonly ColumnChange[]>;

const indexByColumn = (changes: readonly ColumnChange[], key: (path: string) => string): ChangeIndex => {
  const index = new Map<string, ColumnChange[]>();
  for (const change of changes) {
    const at = key(change.column);
    const same = index.get(at);
    if (same) same.push(change);
    else index.set(at, [change]);
  }
  return index;
};

const lastNameOf = (path: string): string => trySplitFqn(path)?.at(-1) ?? path;

/** Changes by column path, by lower-case path, and by the last segment of the lower-case path. */
type IndexedChanges = { readonly exact: ChangeIndex; readonly folded: ChangeIndex; readonly leaves: ChangeIndex };

const indexChanges = (changes: readonly ColumnChange[]): IndexedChanges => ({
  exact: indexByColumn(changes, String),
  folded: indexByColumn(changes, foldCase),
  leaves: indexByColumn(changes, (path) => foldCase(lastNameOf(path))),
});

const changesAt = (
  { exact, folded }: Pick<IndexedChanges, 'exact' | 'folded'>,
  path: string,
): readonly ColumnChange[] => exact.get(path) ?? folded.get(foldCase(path)) ?? [];

/** A clause may name hundreds of columns; this many reasons are enough. */
const MAX_REASONS = 20;

/** Whether the column can no longer be found by its name. */
const isColumnRemoved = ({ change, before, after }: ColumnChange): boolean =>
  change === 'dropped' || (change === 'renamed' && (before === undefined || before !== after));

/** Finds the changes that remove a column: its own or those of a column that contains it. */
const findLosses = (changes: Pick<IndexedChanges, 'exact' | 'folded'>, path: string): readonly ColumnChange[] =>
  [...fqnPrefixes(path), path].flatMap((scope) => changesAt(changes, scope).filter(isColumnRemoved));

const describeLoss = ({ column, change, after }: ColumnChange): string => {
  if (change === 'dropped') return `column ${column} is dropped`;
  return after === undefined ? `column ${column} is renamed` : `column ${column} is renamed to ${after}`;
};

type ParsedType = { readonly type: string; readonly inner: string | undefined; readonly room: readonly number[] };

const TYPE_PATTERN = /^([^(<]+?)\s*(?:\(([\d\s,-]*)\))?(?:<(.*)>)?$/s;

const LONGEST_TYPE = 256;

/** Parses a type as `columnChanges` writes it. */
const parseType = (text: string): ParsedType => {
  const [, type = text, room = '', inner] = TYPE_PATTERN.exec(text.slice(0, LONGEST_TYPE)) ?? [];
  const numbers = room === '' ? [] : room.split(',').map(Number);
  return { type: type.toUpperCase(), inner: inner?.toUpperCase(), room: numbers };
};

const SIZE_MEMBERS = ['dataLength', 'precision', 'scale'] as const;

/** Whether a type is smaller than the column of the contract requires, where both specify the same sizes. */
const isTooNarrow = (column: JsonObject, { room }: ParsedType): boolean => {
  const wanted = SIZE_MEMBERS.flatMap((name) => member(column, name) ?? []);
  if (wanted.length !== room.length) return false;
  return wanted.some((size, index) => typeof size === 'number' && size > (room[index] ?? size));
};

const fitsType = (column: JsonObject, text: string): boolean => {
  const { type, inner, room } = parseType(text);
  if (!isCompatibleType(type, memberText(column, 'dataType'))) return false;
  return isCompatibleType(inner, memberText(column, 'arrayDataType')) && !isTooNarrow(column, { type, inner, room });
};

const describeRetype = ({ column, before, after }: ColumnChange): string => {
  if (after === undefined) return `column ${column} gets another type`;
  return before === undefined
    ? `column ${column} becomes ${after}`
    : `column ${column} changes from ${before} to ${after}`;
};

/** Whether a change breaks the promised type. A type that did not match before is not broken by the change. */
const breaksType = (column: JsonObject, { change, before, after }: ColumnChange): boolean => {
  if (change !== 'retyped') return false;
  if (after === undefined) return true;
  return !fitsType(column, after) && (before === undefined || fitsType(column, before));
};

const breaksPresence = (column: JsonObject, { change, before, after }: ColumnChange): boolean =>
  change === 'nullability' &&
  isRequiredConstraint(member(column, 'constraint')) &&
  !isRequiredConstraint(after) &&
  (before === undefined || isRequiredConstraint(before));

const describePromise = (column: JsonObject): string => {
  const [type = 'no type', constraint] = [memberText(column, 'dataType'), memberText(column, 'constraint')];
  return constraint === undefined ? type : `${type} ${constraint}`;
};

const listColumnPaths = (columns: readonly JsonObject[], parent = ''): readonly (readonly [string, JsonObject])[] =>
  columns.flatMap((column) => {
    const name = fqnPart(memberText(column, 'name') ?? '');
    const path = parent === '' ? name : `${parent}.${name}`;
    return [[path, column] as const, ...listColumnPaths(memberObjects(column, 'children'), path)];
  });

const findBrokenColumns = (contract: JsonObject, changes: readonly ColumnChange[]): readonly BrokenClause[] => {
  const columns = listColumnPaths(memberObjects(contract, 'schema'));
  const annotations = member(contract, 'odcsAnnotations') ?? null;
  const annotated = findAnnotatedColumn(isObject(annotations) ? annotations : {});
  const paths = new Set(columns.map(([path]) => path));
  // A change to a column that the contract names exactly cannot match another column by letter case.
  const others = changes.filter(({ column }) => !paths.has(column));
  const index = { exact: indexByColumn(changes, String), folded: indexByColumn(others, foldCase) };
  return columns.flatMap(([path, column]) => {
    const reasons = [
      ...findLosses(index, path).map(describeLoss),
      ...changesAt(index, path).flatMap((change) => {
        const reason = findBrokenAnnotation(annotated(path), change);
        if (reason !== undefined) return [reason];
        if (breaksType(column, change))
          return [`${describeRetype(change)} and the contract says ${describePromise(column)}`];
        if (!breaksPresence(column, change)) return [];
        return [`column ${path} may become null and the contract says ${describePromise(column)}`];
      }),
    ];
    return reasons.map((reason) => ({ clause: `schema.${path}`, reason }));
  });
};

/** The changes of columns that a rule names, by path or by last segment. */
const changesReadByRule = (
  { folded, leaves }: IndexedChanges,
  { names, paths }: RuleReferences,
): readonly ColumnChange[] => {
  const byName = [...names].flatMap((name) => leaves.get(name) ?? []);
  const byPath = [...names, ...paths].flatMap((path) => folded.get(path) ?? []);
  return [...new Set([...byName, ...byPath])];
};

const readsMember = ({ members }: RuleReferences, names: readonly string[]): boolean =>
  names.some((name) => members.has(name));

const TYPE_MEMBERS = ['dataType', 'dataTypeDisplay', 'arrayDataType', ...SIZE_MEMBERS] as const;

const breaksRule = (reading: RuleReferences, change: ColumnChange): boolean => {
  if (isColumnRemoved(change)) return true;
  if (change.change === 'retyped') return readsMember(reading, TYPE_MEMBERS);
  return change.change === 'nullability' && readsMember(reading, ['constraint']);
};

const describeChange = (change: ColumnChange): string => {
  if (isColumnRemoved(change)) return describeLoss(change);
  return change.change === 'retyped'
    ? describeRetype(change)
    : `column ${change.column} becomes ${change.after ?? 'nullable'}`;
};

const entityTypeOf = (contract: JsonObject): string => {
  const entity = member(contract, 'entity');
  return (isObject(entity) ? memberText(entity, 'type') : undefined) ?? '';
};

const findBrokenRules = (contract: JsonObject, changes: IndexedChanges): readonly BrokenClause[] =>
  memberObjects(contract, 'semantics').flatMap((rule) => {
    if (!isApplicableRule(rule, entityTypeOf(contract))) return [];
    const reading = findRuleReferences(rule);
    return changesReadByRule(changes, reading)
      .filter((change) => breaksRule(reading, change))
      .slice(0, MAX_REASONS)
      .map((change) => ({
        clause: `semantics.${memberText(rule, 'name') ?? ''}`,
        reason: `${describeChange(change)} and the rule reads it`,
      }));
  });

/** Whether a change moves the column to another type family, which changes the meaning of its profiles. */
const isFamilyChanged = ({ change, before, after }: ColumnChange): boolean => {
  if (change !== 'retyped') return false;
  return (
    before === undefined || after === undefined || !isCompatibleType(parseType(before).type, parseType(after).type)
  );
};

const WORDS = /[\p{L}\p{N}_$]+/gu;

const MAX_QUERY = 100_000;

const queryWords = (rule: JsonObject): readonly string[] =>
  (memberText(rule, 'query') ?? '').slice(0, MAX_QUERY).toLowerCase().match(WORDS) ?? [];

const lowerCaseTexts = (value: Json): readonly string[] => {
  if (typeof value === 'string') return [foldCase(value)];
  return isArray(value) ? value.flatMap((item) => (typeof item === 'string' ? foldCase(item) : [])) : [];
};

/** The words that may name columns in a rule of a whole table: those of its query and its arguments. */
const namesInRule = (rule: JsonObject): ReadonlySet<string> => {
  const given = memberText(rule, 'column') === undefined ? member(rule, 'arguments') : undefined;
  return new Set([...queryWords(rule), ...(isObject(given) ? Object.values(given).flatMap(lowerCaseTexts) : [])]);
};

const ruleName = (rule: JsonObject, index: number): string =>
  memberText(rule, 'name') ??
  memberText(rule, 'id') ??
  memberText(rule, 'metric') ??
  memberText(rule, 'rule') ??
  String(index + 1);

const findBrokenQualityRules = (contract: JsonObject, changes: IndexedChanges): readonly BrokenClause[] =>
  memberObjects(contract, 'odcsQualityRules').flatMap((rule, position) => {
    const column = memberText(rule, 'column');
    const clause = `quality.${ruleName(rule, position)}`;
    const own =
      column === undefined
        ? []
        : [...findLosses(changes, column), ...changesAt(changes, column).filter(isFamilyChanged)];
    const named = [...namesInRule(rule)]
      .flatMap((name) => changes.leaves.get(name) ?? [])
      .filter((change) => isColumnRemoved(change) && !own.includes(change));
    return [
      ...own.map((change) => ({ clause, reason: `${describeChange(change)} and the rule checks it` })),
      ...named.slice(0, MAX_REASONS).map((change) => ({
        clause,
        reason: `${describeChange(change)} and the rule names it`,
      })),
    ];
  });

/** Lists the tests of removed columns. Tests follow renamed columns, so a rename breaks none. */
const findBrokenTests = (tests: readonly LinkedTest[], index: IndexedChanges): readonly BrokenClause[] =>
  tests.flatMap(({ name, column }) => {
    if (column === undefined) return [];
    const lost = findLosses(index, column).filter(({ change }) => change === 'dropped');
    return [...lost, ...changesAt(index, column).filter(isFamilyChanged)].map((change) => ({
      clause: `quality.${name}`,
      reason: `${describeChange(change)} and the test checks it`,
    }));
  });

/** The path of a column below its entity, from a path or a fully qualified name. */
const columnPathBelow = (contract: JsonObject, name: string): string => {
  const entity = member(contract, 'entity');
  const fqn = isObject(entity) ? memberText(entity, 'fullyQualifiedName') : undefined;
  return fqn !== undefined && foldCase(name).startsWith(`${foldCase(fqn)}.`) ? name.slice(fqn.length + 1) : name;
};

/** Whether a column of the type can contain times: time types and text types can. */
const isTimeReadable = (type: string | undefined): boolean =>
  type !== undefined && ['time', 'string'].includes(typeFamilyOf(parseType(type).type) ?? '');

const findBrokenSla = (contract: JsonObject, index: IndexedChanges): readonly BrokenClause[] => {
  const sla = member(contract, 'sla');
  const name = isObject(sla) ? memberText(sla, 'columnName') : undefined;
  if (name === undefined) return [];
  const path = columnPathBelow(contract, name);
  const timeless = changesAt(index, path).filter(({ change, after }) => change === 'retyped' && !isTimeReadable(after));
  return [...findLosses(index, path), ...timeless].map((change) => ({
    clause: 'sla.columnName',
    reason: `${describeChange(change)} and freshness is read from it`,
  }));
};

const findBrokenFilters = (contract: JsonObject, index: IndexedChanges): readonly BrokenClause[] => {
  const security = member(contract, 'security');
  const filters = isObject(security) ? memberObjects(security, 'policies') : [];
  return filters
    .flatMap((policy) => memberObjects(policy, 'rowFilters'))
    .flatMap((filter) => {
      const path = columnPathBelow(contract, memberText(filter, 'columnName') ?? '');
      return findLosses(index, path).map((change) => ({
        clause: `security.${path}`,
        reason: `${describeLoss(change)} and rows are filtered by it`,
      }));
    });
};

/** Lists the clauses of a contract that a change of columns breaks, in the order of the contract's parts. */
export const findBrokenClauses = (
  contract: JsonObject,
  changes: readonly ColumnChange[],
  tests: readonly LinkedTest[],
): readonly BrokenClause[] => {
  const index = indexChanges(changes);
  const broken = [
    ...findBrokenColumns(contract, changes),
    ...findBrokenRules(contract, index),
    ...findBrokenQualityRules(contract, index),
    ...findBrokenTests(tests, index),
    ...findBrokenSla(contract, index),
    ...findBrokenFilters(contract, index),
  ];
  return [...new Map(broken.map((one) => [`${one.clause}\n${one.reason}`, one])).values()];
};
