import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { Related } from '../../model/record-rules.ts';
import { NO_FIELDS } from '../read/fields.ts';
import { plainView } from '../read/kept.ts';
import { NO_MENTIONS } from '../read/mentions.ts';
import { renderTree } from '../read/render.ts';
import { type Named, ownNodes, type Snapshot } from '../read/snapshot.ts';
import type { Candidate } from './candidate.ts';
import { settleColumnNames } from './column-names.ts';
import { desireColumns } from './columns.ts';
import type { Actor, Desk, Mode } from './desk.ts';
import { desireExtension } from './extension.ts';
import { desireItems } from './items.ts';
import { settleLinks } from './links.ts';
import {
  desireCommon,
  desireConferrals,
  desireLabels,
  desireProducts,
  desireRelations,
  type Inheritance,
} from './relations.ts';
import { resolveNewlyNamed } from './resolve.ts';
import { sameContent } from './same.ts';
import { desireValues, keepLasting } from './values.ts';

type RelatedRecords = Readonly<Record<string, readonly Related[]>>;

/** A record as it would stand after the write, before the write has happened. */
export type Desired = Snapshot;

/** What a record said before it needs no judging by itself; what it points at may have changed meanwhile. */
const judge = (kind: Kind, desired: Snapshot, desk: Desk, stored: Partial<Snapshot>): void => {
  const rules = kind.rules && !('kind' in stored && sameContent(stored as Snapshot, desired)) ? kind.rules : [];
  if (rules.length === 0 && !kind.relatedRules && !kind.mentionRules) return;
  const candidate: JsonObject = {
    ...desired.values,
    name: desired.name,
    ...Object.fromEntries(
      kind.trees.map(([name, attribute]) => [name, renderTree(desired, name, attribute, plainView(desk, NO_FIELDS))]),
    ),
  };
  for (const rule of rules) rule(candidate);
  for (const rule of kind.mentionRules ?? []) rule(candidate, (id) => desired.mentioned.get(id));
  for (const rule of kind.relatedRules ?? []) rule(candidate, desired.related as RelatedRecords, stored.values);
};

/** What a record has this program call is looked at when it is stored; later the address is looked at again. */
const requireCallable = async (desk: Desk, { calls }: Kind, values: JsonObject, stored: JsonObject): Promise<void> => {
  if (!calls) return;
  const known = new Set(calls(desk.secrets.open(stored)));
  for (const address of calls(desk.secrets.open(values))) if (!known.has(address)) await desk.mayCall(address);
};

type Base = Pick<
  Snapshot,
  | 'id'
  | 'name'
  | 'fullyQualifiedName'
  | 'version'
  | 'deleted'
  | 'ancestors'
  | 'followers'
  | 'voters'
  | 'counts'
  | 'beside'
  | 'handed'
>;

const desireNamed = async (
  { namingTexts }: Kind,
  desk: Desk,
  values: JsonObject,
  before: JsonObject,
): Promise<Named[]> => (namingTexts ? resolveNewlyNamed(desk, namingTexts.list(values), namingTexts.list(before)) : []);

/** Builds the state that a candidate asks for, on top of what is there (or of nothing, for a new record). */
export const desire = async (
  desk: Desk,
  kind: Kind,
  base: Base,
  before: Snapshot | Inheritance,
  candidate: Candidate,
  actor: Actor,
  mode: Mode,
): Promise<Desired> => {
  const objection = candidate.objection?.(mode.by === 'create');
  if (objection) throw objection;
  const stored: Partial<Snapshot> = 'values' in before ? before : {};
  const former = { values: stored.values ?? {}, mentioned: stored.mentioned ?? NO_MENTIONS };
  const given = desireItems(desk, kind, candidate.values, { ...base, ...former }, actor, mode);
  const checked = await desireExtension(desk, kind, given, former.values, mode);
  const settled = await settleLinks(desk, kind, { values: checked, columns: candidate.columns }, former, actor);
  const [wished, columns, labels, common, related] = await Promise.all([
    desireValues(desk, kind, former.values, settled.values, actor, mode),
    desireColumns(desk, kind, base, stored.columns ?? {}, settled.columns, actor, mode),
    desireLabels(desk, kind, stored.tags ?? [], stored.handed?.tags ?? [], candidate, actor, mode),
    desireCommon(desk, kind, before, candidate, actor, mode),
    desireRelations(desk, kind, base.fullyQualifiedName, stored.related ?? {}, candidate, mode),
  ]);
  const named = settleColumnNames(kind, settled.values, wished, { before: stored.columns ?? {}, after: columns }, mode);
  const values = keepLasting(kind, base.name, former.values, named, mode);
  const stamped = kind.stamp?.({
    before: former.values,
    after: values,
    ownersBefore: ownNodes(stored.owners ?? []),
    ownersAfter: ownNodes(common.owners),
    by: actor.principal,
  });
  const desired: Snapshot = {
    ...base,
    kind,
    updatedAt: actor.now,
    updatedBy: actor.principal.name,
    impersonatedBy: actor.principal.impersonatedBy,
    changeDescription: undefined,
    weight: stored.weight ?? 0,
    values:
      mode.by === 'create' && kind.initial
        ? { ...values, ...kind.initial(related as RelatedRecords, actor.principal.name, actor.now) }
        : { ...values, ...stamped },
    columns,
    owners: common.owners,
    domains: common.domains,
    dataProducts: await desireProducts(desk, stored.dataProducts ?? [], candidate, common.domains, mode),
    tags: labels,
    related,
    mentioned: settled.mentioned,
    conferrals: desireConferrals(kind, related, candidate, actor),
    named: await desireNamed(kind, desk, values, former.values),
  };
  judge(kind, desired, desk, stored);
  await requireCallable(desk, kind, values, former.values);
  return desired;
};
