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
 * Giving a record another name. What is named below it bears that name as well, and follows in the same transaction; more
 * than may be changed within a request follow by a job, and until it is done they are found under their old names. Only
 * names change: no version tells of it at the records below, but their tags (ETag) do. Texts that name a record are
 * written anew whenever its name changes, in the same transaction; so that they need not change again and again while a
 * job is at work, what is named in texts does not wait for it.
 */

/** The family of changes of a name; a later one takes over what an earlier one has left. */
export const RENAME = 'rename';

/** The kinds of records whose names begin with the name of a record of this kind. */
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

/** The record under the name that a patch gives it, where its kind lets it; everywhere else a name stays silently. */
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

/** Records named below another one bear its present name from now on, and so do the texts that name them. */
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

/** Refuses a name with which something below would have a name that is too long; a name that is no longer is fine. */
const refuseTooLongNames = async (engine: Engine, formerName: string, root: Snapshot, kinds: readonly string[]) => {
  const { id, fullyQualifiedName } = root;
  if (Buffer.byteLength(fullyQualifiedName) <= formerName.length) return;
  const [longest] = await engine.graph.read(findLongestName, { id, kinds });
  if (longest) rebaseFqn(longest.fullyQualifiedName, fullyQualifiedName);
};

/** How often a renaming starts again because names below the record, or texts that name it, change on the way. */
const MAX_ATTEMPTS = 60;

const retryRename = async (work: () => Promise<void>): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (failure) {
      if (!(failure instanceof NamesChangedError)) throw failure;
      if (attempt === MAX_ATTEMPTS) {
        throw new CatalogError('unavailable', 'The names below the record are being changed too often at the moment');
      }
      await sleep(Math.random() * 10 * attempt);
    }
  }
};

type RenameChange = {
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** The change of the record itself. */
  readonly plan: WriteRequest;
};

/** The change of a record together with that of some records below it and of all texts that name any of them. */
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

/** What is named below a record and in texts is renamed with it, however much is left to a job. */
const readNamedInTexts = async (engine: Engine, { id, fullyQualifiedName }: Snapshot, kinds: readonly string[]) => {
  const found = filterNameableTypes(engine.registry, kinds).map((entityType) => {
    const { label } = requireKind(engine.registry, entityType);
    const prefix = `${nameReferenceTarget(entityType, fullyQualifiedName)}.`;
    return engine.graph.read(listNamedInTexts.for(label), { id, entityType, prefix, limit: engine.limits.cascadeRows });
  });
  return (await Promise.all(found)).flat();
};

/** The change of the record and of what is named in texts, the rest of what is named below being left to a job. */
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

/** The change of the record and of all that is named below it, which makes sure that nothing keeps the old name. */
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

/** Commits the change of a record that gets another name, and carries the name downwards and into texts. */
export const commitRename = async (engine: Engine, writer: Writer, change: RenameChange): Promise<void> => {
  const { after: root } = change;
  const { cascadeRows } = engine.limits;
  const kinds = kindsNamedBelow(engine.registry, root.kind);
  const job = { operation: 'RENAME', input: { id: root.id } };
  await retryRename(async () => {
    const part = { id: root.id, kinds, limit: cascadeRows + 1 };
    const rows = kinds.length > 0 ? await engine.graph.read(listDescendantNames, part) : [];
    const isFar = rows.length > cascadeRows;
    // Names are little: one transaction holds as many as may be changed within a request.
    const whole = isFar ? undefined : await planCompleteRename(engine, writer, change, kinds, rows);
    const first = () => planDeferredRename(engine, writer, change, kinds);
    const beginning = { cascade: RENAME, family: RENAME, params: { kinds }, root, change: first, isFar, job };
    await commitWithDescendants(engine, writer, beginning, whole);
  });
};

/** How a name is carried on to what is named below a record; what that record is called now counts. */
export const renameCascade: Cascade = {
  listRemaining: (engine: Engine, { rootId, params }: CascadeIntent, limit: number) =>
    engine.graph.read(listOutdatedNames, { id: rootId, kinds: params['kinds'] as readonly string[], limit }),
  planRows: (engine, { writer }, rows) => renameRows(engine, writer.principal, rows as readonly DescendantNameRow[]),
};
