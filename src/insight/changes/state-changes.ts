import type { ChangeDescription } from '../../model/change-description.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { FIRST_VERSION } from '../../model/version.ts';
import type { ChangePart, ChangeRecord, EventClue } from './catalog-change.ts';
import { describeColumnChanges, isColumnEntry } from './column-changes.ts';
import { type FieldEntry, fieldValues, listFieldEntries, listItemChanges } from './field-entries.ts';
import type { ChangedStateRow } from './queries.ts';

/** Tells what led to a state of a record, by its change description. */

const CONTRACT = 'dataContract';

const describeItems = (
  entry: FieldEntry,
  added: Pick<ChangePart, 'kind' | 'change'>,
  removed: Pick<ChangePart, 'kind' | 'change'>,
): ChangePart[] => {
  // What changed about an item that stays, such as the reason of a label, is not listed.
  if (entry.list === 'updated') return [];
  return listItemChanges(entry).map(({ item, isAdded }) =>
    isAdded ? { ...added, after: item } : { ...removed, before: item },
  );
};

const describeTags = (entry: FieldEntry): ChangePart[] =>
  describeItems(entry, { kind: 'tags', change: 'tagAdded' }, { kind: 'tags', change: 'tagRemoved' });

const certifiedTag = (value: Json | undefined): Json | undefined => (value as JsonObject | undefined)?.['tagLabel'];

/** A certification is a tag that an asset has one of. */
const describeCertification = ({ before, after }: FieldEntry): ChangePart[] => {
  const [old, fresh] = [certifiedTag(before), certifiedTag(after)];
  return [
    ...(old === undefined ? [] : [{ kind: 'tags', change: 'tagRemoved', before: old } as const]),
    ...(fresh === undefined ? [] : [{ kind: 'tags', change: 'tagAdded', after: fresh } as const]),
  ];
};

const describeText = ({ before = null, after = null }: FieldEntry): ChangePart[] => [
  { kind: 'description', change: 'described', before, after },
];

const describeDeletion = (kind: Kind, { after }: FieldEntry): ChangePart[] => [
  after === true
    ? { kind: 'lifecycle', change: 'deleted', breaking: kind.isAsset === true }
    : { kind: 'lifecycle', change: 'restored' },
];

const describeName = (kind: Kind, { before = null, after = null }: FieldEntry): ChangePart[] => [
  { kind: 'lifecycle', change: 'renamed', before, after, breaking: kind.isAsset === true },
];

const describeConstraints = ({ before = null, after = null }: FieldEntry): ChangePart[] => [
  { kind: 'schema', change: 'constraintChanged', before, after },
];

type Describer = (entry: FieldEntry, kind: Kind) => ChangePart[];

const DESCRIBERS: Readonly<Record<string, Describer>> = {
  deleted: (entry, kind) => describeDeletion(kind, entry),
  name: (entry, kind) => describeName(kind, entry),
  owners: (entry) =>
    describeItems(entry, { kind: 'owners', change: 'ownerAdded' }, { kind: 'owners', change: 'ownerRemoved' }),
  tags: describeTags,
  certification: describeCertification,
  description: describeText,
  displayName: describeText,
  tableConstraints: describeConstraints,
};

/** The groups that an asset moves between, each in one row with the one that it leaves for it. */
const GROUPS: readonly string[] = ['domains', 'dataProducts'];

const pairMoves = (kind: ChangePart['kind'], entries: readonly FieldEntry[]): ChangePart[] => {
  const items = entries.filter(({ list }) => list !== 'updated' || kind === 'lifecycle').flatMap(listItemChanges);
  const left = items.filter(({ isAdded }) => !isAdded);
  const joined = items.filter(({ isAdded }) => isAdded);
  return Array.from({ length: Math.max(left.length, joined.length) }, (_, at) => ({
    kind,
    change: 'moved',
    before: left[at]?.item ?? null,
    after: joined[at]?.item ?? null,
  }));
};

const describeMoves = (kind: Kind, entries: readonly FieldEntry[]): ChangePart[] => {
  const parents = kind.parents.map(({ field }) => field);
  return [
    ...GROUPS.flatMap((group) =>
      pairMoves(
        'domains',
        entries.filter(({ name }) => name === group),
      ),
    ),
    ...parents.flatMap((parent) =>
      pairMoves(
        'lifecycle',
        entries.filter(({ name }) => name === parent),
      ),
    ),
  ];
};

/** What a contract promises is told as one change, with the clauses that differ. */
const describePromises = (kind: Kind, entries: readonly FieldEntry[]): ChangePart[] => {
  if (kind.entityType !== CONTRACT) return [];
  const own = entries.filter(
    ({ name }) =>
      !Object.hasOwn(DESCRIBERS, name) && !GROUPS.includes(name) && !isColumnEntry(kind, { name } as FieldEntry),
  );
  return own.length === 0
    ? []
    : [
        {
          kind: 'contracts',
          change: 'contractChanged',
          before: fieldValues(own, 'before'),
          after: fieldValues(own, 'after'),
        },
      ];
};

const CREATED: ChangePart = { kind: 'lifecycle', change: 'created' };

const describeState = (
  kind: Kind,
  { node, version }: ChangedStateRow,
  change: Partial<ChangeDescription> | undefined,
): ChangePart[] => {
  if (!change) return version === FIRST_VERSION ? [CREATED] : [];
  const entries = listFieldEntries(change);
  return [
    ...describeColumnChanges(kind, node, entries),
    ...entries.flatMap((entry) =>
      Object.hasOwn(DESCRIBERS, entry.name) ? (DESCRIBERS[entry.name]?.(entry, kind) ?? []) : [],
    ),
    ...describeMoves(kind, entries),
    ...describePromises(kind, entries),
  ];
};

const EVENT_TYPES: Readonly<Record<string, string>> = {
  created: 'entityCreated',
  deleted: 'entitySoftDeleted',
  restored: 'entityRestored',
};

const eventClue = ({ node, at }: ChangedStateRow, { change }: ChangePart): EventClue => ({
  entityId: node.id,
  eventTypes: [EVENT_TYPES[change] ?? 'entityUpdated'],
  at,
});

/** Lists the changes that led to a state. `change` is absent for the first state of a record. */
export const listStateChanges = (
  kind: Kind,
  state: ChangedStateRow,
  change: Partial<ChangeDescription> | undefined,
): readonly ChangeRecord[] =>
  describeState(kind, state, change).map((part, ordinal) => ({
    before: null,
    after: null,
    breaking: false,
    ...part,
    at: state.at,
    by: state.by,
    node: state.node,
    about: state.about,
    version: state.version,
    ordinal,
    event: eventClue(state, part),
  }));
