import { type ChangeDescription, describeChange, type FieldRule, valueAtName } from '../../model/change-description.ts';
import { equalJson, type JsonObject } from '../../model/json.ts';
import { type Attribute, columnTreePath } from '../../model/kind/attribute.ts';
import {
  applyColumnRenames,
  type ColumnRename,
  detectCaseRenames,
  detectColumnRenames,
  hasBreakingColumnChange,
} from '../../model/kind/columns.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { nextVersion } from '../../model/version.ts';
import { renderRecord } from '../read/render.ts';
import { filterOwnNodes, type Snapshot, withoutInherited } from '../read/snapshot.ts';
import { storageView } from '../read/stored-snapshot.ts';
import { isSameState } from './state-equality.ts';
import type { WriteContext } from './write-context.ts';

/** What a write changes in a record: its next version and the change description, if there is a change. */
export type RecordDifference = {
  readonly change: ChangeDescription | undefined;
  readonly version: number;
  /** Whether something changed that creates no version. */
  readonly isUnversioned: boolean;
};

const fieldRulesFor = ([name, attribute]: readonly [string, Attribute]): FieldRule[] => {
  if (attribute.store === 'columns') {
    const others = attribute.container?.others ?? [];
    const tree = { name: columnTreePath(name, attribute), nested: true, fold: attribute.nameKey };
    return [...others.map((other) => ({ name: `${name}.${other}` })), tree];
  }
  if (attribute.store === 'relation') return [{ name, list: 'id' }];
  if ('list' in attribute && attribute.list) return [{ name, list: attribute.list }];
  return [{ name }];
};

const COMMON_RULES: readonly FieldRule[] = [
  { name: 'name' },
  { name: 'owners', list: 'id' },
  { name: 'tags', list: 'tag' },
  { name: 'domains', list: 'id' },
  { name: 'dataProducts', list: 'id' },
];

type VersionRules = { readonly rules: readonly FieldRule[]; readonly fields: ReadonlySet<string> };

const isVersioned = ([, attribute]: readonly [string, Attribute]): boolean =>
  attribute.versioned && !('hidden' in attribute && attribute.hidden);

/** The members of a kind whose change steps the version, with the comparison for each. */
const versionRules = memoisePerKind((kind): VersionRules => {
  const own = Object.entries(kind.members).filter(isVersioned);
  const common = COMMON_RULES.filter(
    (rule) => rule.name === 'name' || (kind.gated as readonly string[]).includes(rule.name),
  );
  const rules = [...own.flatMap(fieldRulesFor), ...common];
  return { rules, fields: new Set([...own, ...common.map((rule) => [rule.name] as const)].map(([name]) => name)) };
});

/** Removes inherited values: they are not the record's own, so they do not count as changes. */
const withoutInheritedValues = (snapshot: Snapshot): Snapshot => ({
  ...withoutInherited(snapshot),
  owners: filterOwnNodes(snapshot.owners),
  domains: filterOwnNodes(snapshot.domains),
});

const renderForComparison = (context: WriteContext, snapshot: Snapshot, fields: ReadonlySet<string>): JsonObject =>
  renderRecord(withoutInheritedValues(snapshot), { ...storageView(context, fields), include: () => 'all' });

type KindTree = Kind['columnTrees'][number];

const columnsAt = (document: JsonObject, [name, attribute]: KindTree): readonly JsonObject[] =>
  (valueAtName(document, columnTreePath(name, attribute)) ?? []) as readonly JsonObject[];

const detectRenames = (before: JsonObject, after: JsonObject, trees: readonly KindTree[], isJsonPatch: boolean) => {
  const detect = isJsonPatch ? detectColumnRenames : detectCaseRenames;
  const pairs = trees.map((tree) => {
    const [name, attribute] = tree;
    return [
      columnTreePath(name, attribute),
      detect(columnsAt(before, tree), columnsAt(after, tree), attribute.nameKey),
    ] as const;
  });
  return Object.fromEntries(pairs);
};

const hasBreakingChange = (
  before: JsonObject,
  after: JsonObject,
  trees: readonly KindTree[],
  renames: Record<string, readonly ColumnRename[]>,
) =>
  trees.some((tree) => {
    const [name, attribute] = tree;
    if (!attribute.breaking) return false;
    const old = applyColumnRenames(columnsAt(before, tree), renames[columnTreePath(name, attribute)] ?? []);
    return hasBreakingColumnChange(old, columnsAt(after, tree), attribute.nameKey);
  });

const hasUnversionedChange = (before: Snapshot, after: Snapshot): boolean =>
  (after.forwardedValues ?? []).length > 0 ||
  Object.entries(before.kind.members).some(
    ([name, attribute]) => !isVersioned([name, attribute]) && !equalJson(before.values[name], after.values[name]),
  );

/** Finds a changed secret by its sealed text, because the masked forms of two secrets look alike. */
const findChangedSecret = (before: Snapshot, after: Snapshot): string | undefined =>
  Object.entries(before.kind.members).find(
    ([name, attribute]) => attribute.store === 'secret' && !equalJson(before.values[name], after.values[name]),
  )?.[0];

const withSecretChange = (change: ChangeDescription | undefined, name: string | undefined, version: number) => {
  if (name === undefined) return change;
  const described = change ?? { previousVersion: version, fieldsAdded: [], fieldsUpdated: [], fieldsDeleted: [] };
  const isListed = [...described.fieldsAdded, ...described.fieldsUpdated, ...described.fieldsDeleted].some(
    (field) => field.name === name,
  );
  return isListed ? described : { ...described, fieldsUpdated: [...described.fieldsUpdated, { name }] };
};

/** Compares two states of one record. */
export const compareStates = (
  context: WriteContext,
  before: Snapshot,
  after: Snapshot,
  isJsonPatch: boolean,
): RecordDifference => {
  const { kind } = before;
  if (isSameState(before, after))
    return { change: undefined, version: before.version, isUnversioned: hasUnversionedChange(before, after) };
  const { rules, fields } = versionRules(kind);
  const old = renderForComparison(context, before, fields);
  // Both states are compared under the old name: names that derive from the record's own name do not count as changes.
  const fresh = renderForComparison(context, { ...after, fullyQualifiedName: before.fullyQualifiedName }, fields);
  const renames = detectRenames(old, fresh, kind.columnTrees, isJsonPatch);
  const described = describeChange(old, fresh, rules, before.version, renames);
  const change = withSecretChange(described, findChangedSecret(before, after), before.version);
  if (!change) return { change, version: before.version, isUnversioned: hasUnversionedChange(before, after) };
  const step = hasBreakingChange(old, fresh, kind.columnTrees, renames) ? 'major' : 'minor';
  return { change, version: nextVersion(before.version, step), isUnversioned: false };
};
