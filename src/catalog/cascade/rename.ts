import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal } from '../../access/principal.ts';
import { badRequest, CatalogError } from '../../errors.ts';
import { encodeProperty } from '../../graph/encode-property.ts';
import type { WriteRequest, WriteStep } from '../../graph/group-commit.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { joinFqn, normaliseName, parentFqn, rebaseFqn } from '../../model/name.ts';
import {
  confirmRenamed,
  type DescendantNameRow,
  findLongestName,
  listDescendantNames,
  listNamedInTexts,
  listOutdatedNames,
  renameRecords,
} from '../cascade-queries.ts';
import type { Engine, Writer } from '../engine.ts';
import { nameReferenceTarget } from '../plan/edges.ts';
import { lookupProperties } from '../plan/record.ts';
import { createStep, descendantsChangedError, STEP_ORDER } from '../plan/step.ts';
import { markRecordsChanged } from '../queries.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { type Registry, requireKind } from '../registry.ts';
import { type BatchWrite, type Cascade, type CascadeIntent, commitWithDescendants } from './cascade.ts';
import { filterNameableTypes, NamesChangedError, planTextRewrites, type RecordRename } from './text-rewrites.ts';

/**
 * Renames a record. The names of its descendants contain its name and change in the same transaction; if they are more
 * than a request may change, a job renames the rest, and until then they keep their old names. No new version of a
 * descendant records the change, but its ETag changes. Texts that name a record change in the same transaction as its
 * name. Descendants that texts name are renamed with the root and not by the job, so that the texts need not change
 * repeatedly.
 */

/** The family of renames; a later rename takes over what an earlier one left undone. */
export const RENAME = 'rename';

/** Returns the kinds whose names may begin with the name of a record of this kind. */
const kindsNamedBelow = (registry: Registry, kind: Kind): string[] => {
  const found = new Set<string>();
  const visit = (entityType: string) => {
    for (const child of registry.kinds) {
      if (
        found.has(child.entityType) ||
        !child.parents.some((parent) => parent.kind === entityType && !parent.isFqnRoot)
      )
        continue;
      found.add(child.entityType);
      visit(child.entityType);
    }
  };
  visit(kind.entityType);
  return [...found];
};

/**
 * Returns the record with the name that a patch gives it, if its kind allows renaming; otherwise the patch's name is
 * ignored.
 */
export const resolveNewName = (
  before: Snapshot,
  requestedName: string | undefined,
): Pick<Snapshot, 'name' | 'fullyQualifiedName'> => {
  const { kind, name, fullyQualifiedName } = before;
  const mayChange =
    kind.isRenamable === true && before.values['provider'] !== 'system' && !kind.undeletableNames?.includes(name);
  if (!mayChange || requestedName === undefined) return { name, fullyQualifiedName };
  if (typeof requestedName !== 'string') throw badRequest('[name must be a string]');
  const newName = normaliseName(requestedName);
  if (newName === name) return { name, fullyQualifiedName };
  return { name: newName, fullyQualifiedName: joinFqn(parentFqn(fullyQualifiedName), newName) };
};

const namesChangedError = () => new NamesChangedError('the names were changed since they were read');

const renameSteps = (engine: Engine, row: DescendantNameRow, rootName = row.rootName): WriteStep[] => {
  const kind = requireKind(engine.registry, row.entityType);
  const fullyQualifiedName = rebaseFqn(row.fullyQualifiedName, rootName);
  const changes = {
    ...lookupProperties({ kind, fullyQualifiedName, values: {} }),
    fullyQualifiedName,
    updatedAt: encodeProperty(Math.max(engine.clock(), row.updatedAt)),
  };
  return [
    createStep(
      renameRecords,
      STEP_ORDER.rename,
      [{ id: row.id, formerName: row.fullyQualifiedName, changes }],
      namesChangedError,
    ),
    createStep(markRecordsChanged, STEP_ORDER.publish, [{ entityId: row.id, entityType: row.entityType }]),
  ];
};

const toRecordRename = (row: DescendantNameRow, rootName = row.rootName): RecordRename => ({
  id: row.id,
  entityType: row.entityType,
  from: row.fullyQualifiedName,
  to: rebaseFqn(row.fullyQualifiedName, rootName),
});

/** Plans the new names of descendants and of the texts that name them. */
const renameRows = async (
  engine: Engine,
  principal: Principal,
  rows: readonly DescendantNameRow[],
): Promise<BatchWrite> => {
  const { keys, steps, records } = await planTextRewrites(
    engine,
    principal,
    rows.map((row) => toRecordRename(row)),
    false,
  );
  return { keys, steps: [...rows.flatMap((row) => renameSteps(engine, row)), ...steps], records };
};

/**
 * Refuses a name that would make a descendant's name too long. A name that is not longer than the old one is always
 * accepted.
 */
const refuseTooLongNames = async (engine: Engine, formerName: string, root: Snapshot, kinds: readonly string[]) => {
  const { id, fullyQualifiedName } = root;
  if (Buffer.byteLength(fullyQualifiedName) <= formerName.length) return;
  const [longest] = await engine.graph.read(findLongestName, { id, kinds });
  if (longest) rebaseFqn(longest.fullyQualifiedName, fullyQualifiedName);
};

/** How often a rename starts again because descendants' names or texts that name the record change meanwhile. */
const MAX_ATTEMPTS = 60;

const retryRename = async (work: () => Promise<void>): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (failure) {
      if (!(failure instanceof NamesChangedError)) throw failure;
      if (attempt === MAX_ATTEMPTS) {
        throw new CatalogError(
          'unavailable',
          'The names of descendants are being changed too often, try again shortly',
        );
      }
      await sleep(Math.random() * 10 * attempt);
    }
  }
};

type RenameChange = {
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** The write that changes the record itself. */
  readonly plan: WriteRequest;
};

/**
 * Plans the change of a record together with the new names of some descendants and of all texts that name any of them.
 */
const planImmediateRenames = async (
  engine: Engine,
  { principal }: Writer,
  { before, after, plan }: RenameChange,
  rows: readonly DescendantNameRow[],
): Promise<BatchWrite> => {
  const root = { id: after.id, entityType: after.kind.entityType, from: before.fullyQualifiedName };
  const name = after.fullyQualifiedName;
  const below = rows.map((row) => toRecordRename(row, name));
  const texts = await planTextRewrites(engine, principal, [{ ...root, to: name }, ...below], true);
  return {
    keys: [...plan.keys, ...rows.map((row) => row.id), ...texts.keys],
    steps: [...plan.steps, ...rows.flatMap((row) => renameSteps(engine, row, name)), ...texts.steps],
    records: texts.records,
  };
};

/**
 * Reads the descendants that texts name: they are renamed together with the record even when a job renames the rest.
 */
const readNamedInTexts = async (engine: Engine, { id, fullyQualifiedName }: Snapshot, kinds: readonly string[]) => {
  const found = filterNameableTypes(engine.registry, kinds).map((entityType) => {
    const prefix = `${nameReferenceTarget(entityType, fullyQualifiedName)}.`;
    return engine.graph.read(listNamedInTexts, { id, entityType, prefix, limit: engine.limits.cascadeRows });
  });
  return (await Promise.all(found)).flat();
};

/** Plans the change of the record and of the descendants that texts name, and leaves the other descendants to a job. */
const planDeferredRename = async (
  engine: Engine,
  writer: Writer,
  change: RenameChange,
  kinds: readonly string[],
): Promise<BatchWrite> => {
  const { before, after: root } = change;
  await refuseTooLongNames(engine, before.fullyQualifiedName, root, kinds);
  return planImmediateRenames(engine, writer, change, await readNamedInTexts(engine, before, kinds));
};

/** Plans the change of the record and of all its descendants, with a final check that none keeps the old name. */
const planCompleteRename = async (
  engine: Engine,
  writer: Writer,
  change: RenameChange,
  kinds: readonly string[],
  rows: readonly DescendantNameRow[],
): Promise<BatchWrite> => {
  const now = await planImmediateRenames(engine, writer, change, rows);
  const confirmation = createStep(
    confirmRenamed,
    STEP_ORDER.verify,
    [{ id: change.after.id, kinds }],
    descendantsChangedError,
  );
  return { ...now, steps: [...now.steps, confirmation] };
};

/** Commits the rename of a record, and carries the new name to its descendants and to texts. */
export const commitRename = async (engine: Engine, writer: Writer, change: RenameChange): Promise<void> => {
  const { after: root } = change;
  const { cascadeRows } = engine.limits;
  const kinds = kindsNamedBelow(engine.registry, root.kind);
  const job = { operation: 'RENAME', input: { id: root.id } };
  await retryRename(async () => {
    const part = { id: root.id, kinds, limit: cascadeRows + 1 };
    const rows = kinds.length > 0 ? await engine.graph.read(listDescendantNames, part) : [];
    const isFar = rows.length > cascadeRows;
    // Names are small: one transaction holds as many as a request may change.
    const whole = isFar ? undefined : await planCompleteRename(engine, writer, change, kinds, rows);
    const first = () => planDeferredRename(engine, writer, change, kinds);
    const beginning = { cascade: RENAME, family: RENAME, params: { kinds }, root, change: first, isFar, job };
    await commitWithDescendants(engine, writer, beginning, whole);
  });
};

/** Renames the remaining descendants to match the root's current name. */
export const renameCascade: Cascade = {
  listRemaining: (engine: Engine, { rootId, params }: CascadeIntent, limit: number) =>
    engine.graph.read(listOutdatedNames, { id: rootId, kinds: params['kinds'] as readonly string[], limit }),
  planRows: (engine, { writer }, rows) => renameRows(engine, writer.principal, rows as readonly DescendantNameRow[]),
};
