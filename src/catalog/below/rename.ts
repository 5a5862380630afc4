import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal } from '../../access/principal.ts';
import { badRequest, CatalogError } from '../../errors.ts';
import type { Step, Write } from '../../graph/commit.ts';
import { encodeProperty } from '../../graph/property.ts';
import type { Kind } from '../../model/kind.ts';
import { checkName, joinFqn, parentFqn, rebaseFqn } from '../../model/name.ts';
import type { Engine, Writer } from '../engine.ts';
import { namingTarget } from '../plan/edges.ts';
import { placeProperties } from '../plan/record.ts';
import { leftBehind, ORDER, step } from '../plan/step.ts';
import {
  confirmNamed,
  findLongest,
  listMentioned,
  listMisnamed,
  listNamed,
  markChanged,
  type NamedRow,
  renameRecords,
} from '../queries.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { kindNamed, type Registry } from '../registry.ts';
import { type Cascade, changeBelow, type Intent, type Treatment } from './cascade.ts';
import { nameableAmong, Overtaken, type Renaming, rewriteTexts } from './names.ts';

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
const namedBelow = (registry: Registry, kind: Kind): string[] => {
  const found = new Set<string>();
  const visit = (entityType: string) => {
    for (const child of registry.kinds) {
      if (found.has(child.entityType) || !child.parents.some((parent) => parent.kind === entityType && !parent.apart))
        continue;
      found.add(child.entityType);
      visit(child.entityType);
    }
  };
  visit(kind.entityType);
  return [...found];
};

/** The record under the name that a patch gives it, where its kind lets it; everywhere else a name stays silently. */
export const renamed = (
  before: Snapshot,
  wished: string | undefined,
): Pick<Snapshot, 'name' | 'fullyQualifiedName'> => {
  const { kind, name, fullyQualifiedName } = before;
  const mayChange =
    kind.renamable === true && before.values['provider'] !== 'system' && !kind.undeletable?.includes(name);
  if (!mayChange || wished === undefined) return { name, fullyQualifiedName };
  if (typeof wished !== 'string') throw badRequest('[name must be a string]');
  const fresh = checkName(wished);
  if (fresh === name) return { name, fullyQualifiedName };
  return { name: fresh, fullyQualifiedName: joinFqn(parentFqn(fullyQualifiedName), fresh) };
};

const overtaken = () => new Overtaken('the names were changed since they were read');

const renameStep = (engine: Engine, row: NamedRow, rootName = row.rootName): Step[] => {
  const kind = kindNamed(engine.registry, row.entityType);
  const fullyQualifiedName = rebaseFqn(row.fullyQualifiedName, rootName);
  const changes = {
    ...placeProperties({ kind, fullyQualifiedName, values: {} }),
    fullyQualifiedName,
    updatedAt: encodeProperty(Math.max(engine.clock(), row.updatedAt)),
  };
  return [
    step(renameRecords, ORDER.rename, [{ id: row.id, formerName: row.fullyQualifiedName, changes }], overtaken),
    step(markChanged, ORDER.tell, [{ entityId: row.id, entityType: row.entityType }]),
  ];
};

const renamingOf = (row: NamedRow, rootName = row.rootName): Renaming => ({
  id: row.id,
  entityType: row.entityType,
  from: row.fullyQualifiedName,
  to: rebaseFqn(row.fullyQualifiedName, rootName),
});

/** Records named below another one bear its present name from now on, and so do the texts that name them. */
const renameRows = async (engine: Engine, principal: Principal, rows: readonly NamedRow[]): Promise<Treatment> => {
  const { keys, steps, records } = await rewriteTexts(
    engine,
    principal,
    rows.map((row) => renamingOf(row)),
    false,
  );
  return { keys, steps: [...rows.flatMap((row) => renameStep(engine, row)), ...steps], records };
};

/** Refuses a name with which something below would have a name that is too long; a name that is no longer is fine. */
const refuseTooLong = async (engine: Engine, formerName: string, root: Snapshot, kinds: readonly string[]) => {
  const { id, fullyQualifiedName } = root;
  if (Buffer.byteLength(fullyQualifiedName) <= formerName.length) return;
  const [longest] = await engine.graph.read(findLongest, { id, kinds });
  if (longest) rebaseFqn(longest.fullyQualifiedName, fullyQualifiedName);
};

/** How often a renaming starts again because names below the record, or texts that name it, change on the way. */
const ATTEMPTS = 60;

const persist = async (work: () => Promise<void>): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (failure) {
      if (!(failure instanceof Overtaken)) throw failure;
      if (attempt === ATTEMPTS) {
        throw new CatalogError('unavailable', 'The names below the record are being changed too often at the moment');
      }
      await sleep(Math.random() * 10 * attempt);
    }
  }
};

type Change = {
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** The change of the record itself. */
  readonly plan: Write;
};

/** The change of a record together with that of some records below it and of all texts that name any of them. */
const planNow = async (
  engine: Engine,
  { principal }: Writer,
  { before, after, plan }: Change,
  rows: readonly NamedRow[],
): Promise<Treatment> => {
  const root = { id: after.id, entityType: after.kind.entityType, from: before.fullyQualifiedName };
  const name = after.fullyQualifiedName;
  const below = rows.map((row) => renamingOf(row, name));
  const texts = await rewriteTexts(engine, principal, [{ ...root, to: name }, ...below], true);
  return {
    keys: [...plan.keys, ...rows.map((row) => row.id), ...texts.keys],
    steps: [...plan.steps, ...rows.flatMap((row) => renameStep(engine, row, name)), ...texts.steps],
    records: texts.records,
  };
};

/** What is named below a record and in texts is renamed with it, however much is left to a job. */
const readMentioned = async (engine: Engine, { id, fullyQualifiedName }: Snapshot, kinds: readonly string[]) => {
  const found = nameableAmong(engine.registry, kinds).map((entityType) => {
    const { label } = kindNamed(engine.registry, entityType);
    const prefix = `${namingTarget(entityType, fullyQualifiedName)}.`;
    return engine.graph.read(listMentioned.for(label), { id, entityType, prefix, limit: engine.limits.cascadeRows });
  });
  return (await Promise.all(found)).flat();
};

/** The change of the record and of what is named in texts, the rest of what is named below being left to a job. */
const planFar = async (
  engine: Engine,
  writer: Writer,
  change: Change,
  kinds: readonly string[],
): Promise<Treatment> => {
  const { before, after: root } = change;
  await refuseTooLong(engine, before.fullyQualifiedName, root, kinds);
  return planNow(engine, writer, change, await readMentioned(engine, before, kinds));
};

/** The change of the record and of all that is named below it, which makes sure that nothing keeps the old name. */
const planWhole = async (
  engine: Engine,
  writer: Writer,
  change: Change,
  kinds: readonly string[],
  rows: readonly NamedRow[],
): Promise<Treatment> => {
  const now = await planNow(engine, writer, change, rows);
  const nothingLeft = step(confirmNamed, ORDER.verify, [{ id: change.after.id, kinds }], leftBehind);
  return { ...now, steps: [...now.steps, nothingLeft] };
};

/** Commits the change of a record that gets another name, and carries the name downwards and into texts. */
export const commitRename = async (engine: Engine, writer: Writer, change: Change): Promise<void> => {
  const { after: root } = change;
  const { cascadeRows } = engine.limits;
  const kinds = namedBelow(engine.registry, root.kind);
  const job = { operation: 'RENAME', input: { id: root.id } };
  await persist(async () => {
    const part = { id: root.id, kinds, limit: cascadeRows + 1 };
    const rows = kinds.length > 0 ? await engine.graph.read(listNamed, part) : [];
    const isFar = rows.length > cascadeRows;
    // Names are little: one transaction holds as many as may be changed within a request.
    const whole = isFar ? undefined : await planWhole(engine, writer, change, kinds, rows);
    const first = () => planFar(engine, writer, change, kinds);
    const beginning = { cascade: RENAME, family: RENAME, params: { kinds }, root, change: first, isFar, job };
    await changeBelow(engine, writer, beginning, whole);
  });
};

/** How a name is carried on to what is named below a record; what that record is called now counts. */
export const renameCascade: Cascade = {
  remaining: (engine: Engine, { rootId, params }: Intent, limit: number) =>
    engine.graph.read(listMisnamed, { id: rootId, kinds: params['kinds'] as readonly string[], limit }),
  treatRows: (engine, { writer }, rows) => renameRows(engine, writer.principal, rows as readonly NamedRow[]),
};
