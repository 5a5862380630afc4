import { type Attribute, treeName } from '../../model/attribute.ts';
import { type ChangeDescription, describeChange, type FieldRule, valueAt } from '../../model/change.ts';
import { detectRename, detectRespelling, isIncompatible, type Rename, withRenames } from '../../model/columns.ts';
import { equalJson, type JsonObject } from '../../model/json.ts';
import { type Kind, perKind } from '../../model/kind.ts';
import { nextVersion } from '../../model/version.ts';
import { plainView } from '../read/kept.ts';
import { render } from '../read/render.ts';
import { ownNodes, type Snapshot, withoutHanded } from '../read/snapshot.ts';
import type { Desk } from './desk.ts';
import { sameState } from './same.ts';

/** What a write does to a record: its version afterwards and the description of the change, if it is one at all. */
export type Difference = {
  readonly change: ChangeDescription | undefined;
  readonly version: number;
  /** Something changed that no version tells of. */
  readonly isQuiet: boolean;
};

const rulesFor = ([name, attribute]: readonly [string, Attribute]): FieldRule[] => {
  if (attribute.store === 'columns') {
    const others = attribute.inside?.others ?? [];
    const tree = { name: treeName(name, attribute), nested: true, fold: attribute.fold };
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

type Rules = { readonly rules: readonly FieldRule[]; readonly fields: ReadonlySet<string> };

const isVersioned = ([, attribute]: readonly [string, Attribute]): boolean =>
  attribute.versioned && !('hidden' in attribute && attribute.hidden);

/** The members of a kind whose change steps the version, and how each is compared. */
const versionRules = perKind((kind): Rules => {
  const own = Object.entries(kind.members).filter(isVersioned);
  const common = COMMON_RULES.filter(
    (rule) => rule.name === 'name' || (kind.gated as readonly string[]).includes(rule.name),
  );
  const rules = [...own.flatMap(rulesFor), ...common];
  return { rules, fields: new Set([...own, ...common.map((rule) => [rule.name] as const)].map(([name]) => name)) };
});

/** What is passed down from an ancestor is not the record's own, so it plays no part in its changes. */
const ownOnly = (snapshot: Snapshot): Snapshot => ({
  ...withoutHanded(snapshot),
  owners: ownNodes(snapshot.owners),
  domains: ownNodes(snapshot.domains),
});

const compared = (desk: Desk, snapshot: Snapshot, fields: ReadonlySet<string>): JsonObject =>
  render(ownOnly(snapshot), { ...plainView(desk, fields), include: () => 'all' });

type Tree = Kind['trees'][number];

const columnsAt = (document: JsonObject, [name, attribute]: Tree): readonly JsonObject[] =>
  (valueAt(document, treeName(name, attribute)) ?? []) as readonly JsonObject[];

const renamesOf = (before: JsonObject, after: JsonObject, trees: readonly Tree[], isJsonPatch: boolean) => {
  const detect = isJsonPatch ? detectRename : detectRespelling;
  const pairs = trees.map((tree) => {
    const [name, attribute] = tree;
    return [
      treeName(name, attribute),
      detect(columnsAt(before, tree), columnsAt(after, tree), attribute.fold),
    ] as const;
  });
  return Object.fromEntries(pairs);
};

const breaks = (
  before: JsonObject,
  after: JsonObject,
  trees: readonly Tree[],
  renames: Record<string, readonly Rename[]>,
) =>
  trees.some((tree) => {
    const [name, attribute] = tree;
    if (!attribute.breaking) return false;
    const old = withRenames(columnsAt(before, tree), renames[treeName(name, attribute)] ?? []);
    return isIncompatible(old, columnsAt(after, tree), attribute.fold);
  });

const quietlyDiffers = (before: Snapshot, after: Snapshot): boolean =>
  (after.conferrals ?? []).length > 0 ||
  Object.entries(before.kind.members).some(
    ([name, attribute]) => !isVersioned([name, attribute]) && !equalJson(before.values[name], after.values[name]),
  );

/** The masked and the sealed form of a secret look alike, so a changed secret is told by its sealed text. */
const secretsDiffer = (before: Snapshot, after: Snapshot): string | undefined =>
  Object.entries(before.kind.members).find(
    ([name, attribute]) => attribute.store === 'secret' && !equalJson(before.values[name], after.values[name]),
  )?.[0];

const withSecretChange = (change: ChangeDescription | undefined, name: string | undefined, version: number) => {
  if (name === undefined) return change;
  const described = change ?? { previousVersion: version, fieldsAdded: [], fieldsUpdated: [], fieldsDeleted: [] };
  const told = [...described.fieldsAdded, ...described.fieldsUpdated, ...described.fieldsDeleted].some(
    (field) => field.name === name,
  );
  return told ? described : { ...described, fieldsUpdated: [...described.fieldsUpdated, { name }] };
};

/** Compares two states of one record. */
export const compare = (desk: Desk, before: Snapshot, after: Snapshot, isJsonPatch: boolean): Difference => {
  const { kind } = before;
  if (sameState(before, after))
    return { change: undefined, version: before.version, isQuiet: quietlyDiffers(before, after) };
  const { rules, fields } = versionRules(kind);
  const old = compared(desk, before, fields);
  // Names that follow from the record's own name change with it; that is no change of theirs.
  const fresh = compared(desk, { ...after, fullyQualifiedName: before.fullyQualifiedName }, fields);
  const renames = renamesOf(old, fresh, kind.trees, isJsonPatch);
  const described = describeChange(old, fresh, rules, before.version, renames);
  const change = withSecretChange(described, secretsDiffer(before, after), before.version);
  if (!change) return { change, version: before.version, isQuiet: quietlyDiffers(before, after) };
  const step = breaks(old, fresh, kind.trees, renames) ? 'major' : 'minor';
  return { change, version: nextVersion(before.version, step), isQuiet: false };
};
