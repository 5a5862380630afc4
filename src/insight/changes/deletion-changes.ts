import type { Engine } from '../../catalog/engine.ts';
import { timePlace } from '../../events/sequence.ts';
import { readStoredText } from '../../graph/stored-texts.ts';
import { isFqnWithin, MAX_FQN_LENGTH, parentFqn, splitFqn } from '../../model/name.ts';
import { isInScope } from '../scope.ts';
import type { ChangeRecord } from './catalog-change.ts';
import type { ChangeScope } from './changes-request.ts';
import type { ChangeWindow } from './edge-changes.ts';
import { type DeletionRow, listDeletions } from './queries.ts';

/**
 * Lists the records that were deleted for good. Nothing is left of them but the events of their deletion, as long as events
 * are kept.
 */

const MAX_DELETIONS = 5000;

/** Characters in which the text of an event has named its record, however long the name is. */
const NAMED_WITHIN = 2 * MAX_FQN_LENGTH + 500;

const NAME_MEMBER = '"entityFullyQualifiedName":';
const NAME = new RegExp(`${NAME_MEMBER}("(?:[^"\\\\]|\\\\.)*")`);

/** The beginning of the member that names a record at or below a full name. */
const markOf = (fqn: string): string => NAME_MEMBER + JSON.stringify(fqn).slice(0, -1);

const readName = async ({ graph }: Engine, { json }: DeletionRow): Promise<string> => {
  const text = json.startsWith('{') ? json : await readStoredText(graph, json);
  return JSON.parse(NAME.exec(text)?.[1] ?? '""') as string;
};

const CONTRACT = 'dataContract';
const TEST = 'testCase';

/** Whether a deleted record was in the scope. Of an asset that is still there, only contracts and tests can be gone. */
const wasInScope = (scope: ChangeScope, entityType: string, name: string): boolean => {
  if (!('asset' in scope)) return isInScope(scope, name);
  const { fullyQualifiedName: fqn, kind } = scope.asset;
  if (entityType === CONTRACT) return parentFqn(name) === fqn;
  return entityType === TEST && kind.entityType === 'table' && isFqnWithin(name, fqn);
};

const toChange = (isAsset: boolean, { id, entityType, entityId, by, at }: DeletionRow, fqn: string): ChangeRecord => ({
  at,
  by,
  node: {
    id: entityId,
    entityType,
    name: splitFqn(fqn).at(-1) ?? fqn,
    fullyQualifiedName: fqn,
    displayName: null,
    description: null,
    deleted: true,
  },
  kind: 'lifecycle',
  change: 'deleted',
  before: null,
  after: null,
  breaking: isAsset,
  version: null,
  event: id,
});

export const listDeletionChanges = async (
  engine: Engine,
  scope: ChangeScope,
  { from, to }: ChangeWindow,
): Promise<{ readonly rows: readonly ChangeRecord[]; readonly cut: string | undefined }> => {
  const { registry } = engine;
  const isWhole = !('asset' in scope);
  const fqn = isWhole ? scope.fqn : scope.asset.fullyQualifiedName;
  const events = await engine.graph.read(listDeletions, {
    entityTypes: isWhole ? registry.kinds.map(({ entityType }) => entityType) : [CONTRACT, TEST],
    since: timePlace(from),
    until: timePlace(to + 1),
    mark: markOf(fqn),
    size: NAMED_WITHIN,
    limit: MAX_DELETIONS,
  });
  const rows: ChangeRecord[] = [];
  for (const event of events) {
    const name = await readName(engine, event);
    const isAsset = registry.byType.get(event.entityType)?.isAsset === true;
    if (wasInScope(scope, event.entityType, name)) rows.push(toChange(isAsset, event, name));
  }
  return { rows, cut: events.length >= MAX_DELETIONS ? 'events' : undefined };
};
