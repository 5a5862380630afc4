import { badRequest } from '../../errors.ts';
import type { Step, Write } from '../../graph/commit.ts';
import { encodeProperty } from '../../graph/property.ts';
import type { Kind } from '../../model/kind.ts';
import { checkName, joinFqn, parentFqn, rebaseFqn } from '../../model/name.ts';
import type { Engine, Writer } from '../engine.ts';
import { placeProperties } from '../plan/record.ts';
import { ORDER, step } from '../plan/step.ts';
import { findLongest, listMisnamed, listNamed, markChanged, type NamedRow, touchRecords } from '../queries.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { kindNamed, type Registry } from '../registry.ts';
import { beginCascade, type Cascade, type Intent } from './cascade.ts';

/**
 * Giving a record another name. What is named below it bears that name as well, and follows in the same transaction; more
 * than may be changed within a request follow by a job, and until it is done they are found under their old names. Only
 * names change: no version tells of it at the records below, but their tags (ETag) do.
 */

/** The family of changes of a name; a later one takes over what an earlier one has left. */
export const RENAME = 'rename';

/** The kinds of records whose names begin with the name of a record of this kind. */
const namedBelow = (registry: Registry, kind: Kind): string[] => {
  const found = new Set<string>();
  const visit = (entityType: string) => {
    for (const child of registry.kinds) {
      if (found.has(child.entityType) || !child.parents.some((parent) => parent.kind === entityType)) continue;
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

const renameStep = (engine: Engine, row: NamedRow, rootName = row.rootName): Step[] => {
  const kind = kindNamed(engine.registry, row.entityType);
  const fullyQualifiedName = rebaseFqn(row.fullyQualifiedName, rootName);
  const changes = {
    ...placeProperties({ kind, fullyQualifiedName, values: {} }),
    fullyQualifiedName,
    updatedAt: encodeProperty(Math.max(engine.clock(), row.updatedAt)),
  };
  return [
    step(touchRecords, ORDER.rename, [{ id: row.id, changes }]),
    step(markChanged, ORDER.tell, [{ entityId: row.id }]),
  ];
};

/** Refuses a name with which something below would have a name that is too long; a name that is no longer is fine. */
const refuseTooLong = async (engine: Engine, formerName: string, root: Snapshot, kinds: readonly string[]) => {
  const { id, fullyQualifiedName } = root;
  if (Buffer.byteLength(fullyQualifiedName) <= formerName.length) return;
  const [longest] = await engine.graph.read(findLongest, { id, kinds });
  if (longest) rebaseFqn(longest.fullyQualifiedName, fullyQualifiedName);
};

/** What came to hang below the record while it was renamed still bears the old name. */
const renameLate = async (engine: Engine, root: Snapshot, kinds: readonly string[]): Promise<void> => {
  for (;;) {
    const late = await engine.graph.read(listMisnamed, { id: root.id, kinds, limit: engine.limits.cascadeRows });
    if (late.length === 0) return;
    await engine.commit({
      keys: [root.id, ...late.map((row) => row.id)],
      steps: late.flatMap((row) => renameStep(engine, row)),
    });
  }
};

/** Commits the change of a record that gets another name, and carries the name downwards. */
export const commitRename = async (
  engine: Engine,
  writer: Writer,
  { before, after: root }: { readonly before: Snapshot; readonly after: Snapshot },
  change: Write,
): Promise<void> => {
  const kinds = namedBelow(engine.registry, root.kind);
  if (kinds.length === 0) return engine.commit(change);
  const { cascadeRows } = engine.limits;
  const below = await engine.graph.read(listNamed, { id: root.id, kinds, limit: cascadeRows + 1 });
  if (below.length <= cascadeRows) {
    const steps = [...change.steps, ...below.flatMap((row) => renameStep(engine, row, root.fullyQualifiedName))];
    await engine.commit({ keys: [...change.keys, ...below.map((row) => row.id)], steps });
    return renameLate(engine, root, kinds);
  }
  await refuseTooLong(engine, before.fullyQualifiedName, root, kinds);
  await beginCascade(engine, writer, {
    cascade: RENAME,
    family: RENAME,
    params: { kinds },
    root,
    steps: change.steps,
    job: { operation: 'RENAME', input: { id: root.id } },
  });
};

/** How a name is carried on to what is named below a record; what that record is called now counts. */
export const renameCascade: Cascade = {
  remaining: (engine: Engine, { rootId, params }: Intent, limit: number) =>
    engine.graph.read(listMisnamed, { id: rootId, kinds: params['kinds'] as readonly string[], limit }),
  treatRow: (engine, row) => renameStep(engine, row as NamedRow),
};
