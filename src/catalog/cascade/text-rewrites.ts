import * as v from 'valibot';
import type { Principal } from '../../access/principal.ts';
import { badRequest, CatalogError } from '../../errors.ts';
import { validate } from '../../model/validate.ts';
import { confirmNoNameReferences, listNameReferences, type NameReferenceRow } from '../cascade-queries.ts';
import type { Engine } from '../engine.ts';
import { nameReferenceTarget } from '../plan/edges.ts';
import { createStep, STEP_ORDER, StaleStateError } from '../plan/step.ts';
import { planVersionedChange } from '../plan/versioned-change.ts';
import { writeFields } from '../read/fields.ts';
import type { NameReference, Snapshot } from '../read/snapshot.ts';
import { type Registry, requireKind } from '../registry.ts';
import { compareStates } from '../resolve/difference.ts';
import { nameReferenceSlot } from '../resolve/references.ts';
import type { BatchWrite } from './cascade.ts';

/**
 * Rewrites texts that name records instead of referencing them: the conditions of policies. The texts change in the
 * transaction that renames the record, so that no condition ever names a record that does not exist. Name references,
 * which the graph stores with the owners of the texts, say which texts name a record. A transaction that would leave a
 * text behind, because the text began to name the record meanwhile, is rolled back and retried.
 */

/** A record with its old and new name. */
export type RecordRename = {
  readonly id: string;
  readonly entityType: string;
  readonly from: string;
  readonly to: string;
};

const EMPTY_WRITE: BatchWrite = { keys: [], steps: [], records: [] };

/** Thrown when another write changed a name, or a text that names a record, during the rename. */
export class NamesChangedError extends StaleStateError {}

const textsChangedError = () => new NamesChangedError('texts that name the record changed since they were read');

/** Returns those of the given kinds whose records texts can name. */
export const filterNameableTypes = ({ kinds }: Registry, entityTypes: readonly string[]): string[] => {
  const nameable = new Set(kinds.flatMap(({ nameBearingTexts }) => nameBearingTexts?.kinds ?? []));
  return entityTypes.filter((entityType) => nameable.has(entityType));
};

/** A record that owns texts, with the name references in them that change. */
type TextOwner = {
  readonly id: string;
  readonly entityType: string;
  readonly renamesBySlot: Map<string, RecordRename>;
};

const groupByOwner = (rows: readonly NameReferenceRow[], renamings: readonly RecordRename[]): TextOwner[] => {
  const owners = new Map<string, TextOwner>();
  for (const { at, ownerId, ownerType, slot } of rows) {
    const owner = owners.get(ownerId) ?? { id: ownerId, entityType: ownerType, renamesBySlot: new Map() };
    owners.set(ownerId, owner);
    const renaming = renamings[at];
    if (renaming) owner.renamesBySlot.set(slot, renaming);
  }
  return [...owners.values()];
};

const readOwners = async (engine: Engine, owners: readonly TextOwner[]): Promise<Snapshot[]> => {
  const types = [...new Set(owners.map(({ entityType }) => entityType))];
  const found = await Promise.all(
    types.map((entityType) => {
      const kind = requireKind(engine.registry, entityType);
      const ids = owners.filter((owner) => owner.entityType === entityType).map(({ id }) => id);
      return engine.store.records(kind, ids, writeFields(kind));
    }),
  );
  return found.flat();
};

type TextRevision = { readonly before: Snapshot; readonly after: Snapshot };

/** Returns the owner with the changed names replaced in its texts. */
const rewriteOwner = (
  engine: Engine,
  principal: Principal,
  before: Snapshot,
  { renamesBySlot }: TextOwner,
): TextRevision => {
  const { nameBearingTexts } = before.kind;
  const named = new Map<string, NameReference>();
  const values = nameBearingTexts?.rename(before.values, (one) => {
    const renaming = renamesBySlot.get(nameReferenceSlot(one));
    if (!renaming) return one.fqn;
    const { id, entityType, to } = renaming;
    const slot = nameReferenceSlot({ ...one, fqn: to });
    named.set(slot, { node: { id, entityType, fullyQualifiedName: to }, slot });
    return to;
  });
  const after = {
    ...before,
    values: { ...before.values, ...values },
    newlyNamed: [...named.values()],
    updatedAt: Math.max(engine.clock(), before.updatedAt),
    updatedBy: principal.name,
    impersonatedBy: principal.impersonatedBy,
  };
  return { before, after };
};

/** Validates a rewritten text by the rules for requests. If the text is invalid, the rename is refused. */
const checkRewrittenTexts = ({ before, after }: TextRevision): void => {
  for (const [name, attribute] of Object.entries(after.kind.members)) {
    const value = after.values[name];
    if (value === before.values[name] || !('schema' in attribute) || !attribute.schema) continue;
    try {
      validate(v.object({ [name]: attribute.schema }), { [name]: value });
    } catch (failure) {
      if (!(failure instanceof CatalogError)) throw failure;
      const owner = `${after.kind.entityType} ${after.fullyQualifiedName}`;
      throw badRequest(`${failure.message} in ${owner}, which refers to the renamed asset`);
    }
  }
};

const planTextRevision = (engine: Engine, principal: Principal, { before, after }: TextRevision) => {
  const { change, version } = compareStates(engine, before, after, false);
  return (
    change &&
    planVersionedChange(
      engine,
      principal,
      { before, after: { ...after, version }, description: change },
      textsChangedError,
    )
  );
};

/** The average number of names in the texts of one owner above which there are too many. */
const NAMES_PER_OWNER = 10;

const formerNameTarget = ({ entityType, from }: RecordRename): string => nameReferenceTarget(entityType, from);

const findTextOwners = async (
  engine: Engine,
  renamings: readonly RecordRename[],
  mayRefuse: boolean,
): Promise<TextOwner[]> => {
  const { cascadeRows } = engine.limits;
  const most = cascadeRows * NAMES_PER_OWNER;
  const rows = renamings.map((renaming, at) => ({ at, target: formerNameTarget(renaming) }));
  const found = await engine.graph.read(listNameReferences, { rows, limit: most + 1 });
  const owners = groupByOwner(found, renamings);
  if (found.length <= most && owners.length <= cascadeRows) return owners;
  if (!mayRefuse) throw textsChangedError();
  throw badRequest(`[name must not be changed while the texts of more than ${cascadeRows} assets refer to it]`);
};

/**
 * Plans the rewrites of the texts that name records about to be renamed. Within a request (`mayRefuse`), too many
 * texts, or a text that would become too long, refuse the rename; a job fails at too many texts with the error of a
 * conflict, and then renames fewer records at once.
 */
export const planTextRewrites = async (
  engine: Engine,
  principal: Principal,
  all: readonly RecordRename[],
  mayRefuse: boolean,
): Promise<BatchWrite> => {
  const types = new Set(filterNameableTypes(engine.registry, [...new Set(all.map(({ entityType }) => entityType))]));
  const renamings = all.filter(({ entityType, from, to }) => from !== to && types.has(entityType));
  if (renamings.length === 0) return EMPTY_WRITE;
  const owners = new Map((await findTextOwners(engine, renamings, mayRefuse)).map((owner) => [owner.id, owner]));
  const revisions = (await readOwners(engine, [...owners.values()])).flatMap((before) => {
    const owner = owners.get(before.id);
    return owner ? [rewriteOwner(engine, principal, before, owner)] : [];
  });
  if (mayRefuse) for (const revision of revisions) checkRewrittenTexts(revision);
  const planned = revisions.flatMap((revision) => planTextRevision(engine, principal, revision) ?? []);
  const formerTargets = renamings.map((renaming) => ({ target: formerNameTarget(renaming) }));
  return {
    keys: planned.flatMap(({ plan }) => plan.keys),
    steps: [
      ...planned.flatMap(({ plan }) => plan.steps),
      createStep(confirmNoNameReferences, STEP_ORDER.verify, formerTargets, textsChangedError),
    ],
    records: planned.map(({ record }) => record),
  };
};
