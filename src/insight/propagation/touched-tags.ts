import type { Registry } from '../../catalog/registry.ts';
import { parseEventRecordKey } from '../../events/event-visibility.ts';
import type { NumberedEvent } from '../../events/tail.ts';
import type { FollowedTag } from './queries.ts';

/** Tells which followed tags a change may concern. Changes that concern none are told apart by the text of their event. */

type KnownTag = FollowedTag & { readonly reached: ReadonlySet<string> };

export type Touch = {
  /** Whether other tags than before may be followed. */
  readonly changesTags: boolean;
  readonly concerns: (tag: KnownTag) => boolean;
};

export type TouchTest = (
  event: Pick<NumberedEvent, 'eventType' | 'entityType' | 'entityId' | 'json' | 'ends'>,
) => Touch;

const TAG_TYPES = new Set(['tag', 'classification']);

/** A new edge may begin at a column that nothing was made from so far. */
const NEW_EDGE = new Set(['entityLineageAdded', 'entityLineageUpdated']);

/** The members whose change renames records or moves them with everything below them, as events list them. */
const listNamingChanges = ({ kinds }: Pick<Registry, 'kinds'>): readonly string[] =>
  [...new Set(['name', ...kinds.flatMap(({ parents }) => parents.map(({ field }) => field))])].map(
    (field) => `{"name":"${field}"`,
  );

/** Whether a text may tell of a label. A name with characters that JSON escapes could stand there in several ways. */
const mayTellOfLabel = (text: string, name: string): boolean =>
  text.includes('tagFQN') && (/["\\]/.test(name) || text.includes(name));

/** The types of records that have columns, or that represent some, and of what contains such records. */
const listHolderTypes = ({ kinds }: Pick<Registry, 'kinds'>): ReadonlySet<string> => {
  const parts = new Set(kinds.flatMap(({ lineageParts }) => lineageParts?.kind ?? []));
  const holders = new Set(
    kinds.flatMap(({ entityType, columnTrees }) =>
      columnTrees.length > 0 || parts.has(entityType) ? [entityType] : [],
    ),
  );
  // A set goes on with what is added on the way, so that parents of parents are found too.
  for (const type of holders)
    for (const { parents } of kinds.filter(({ entityType }) => entityType === type))
      for (const { kind } of parents) holders.add(kind);
  return holders;
};

/** What an event says of the change: the whole record when that is new, else what comes before the record. */
const changedPart = ({ eventType, json }: Pick<NumberedEvent, 'eventType' | 'json'>): string => {
  const end = eventType === 'entityCreated' ? -1 : json.indexOf('"entity":{');
  return end < 0 ? json : json.slice(0, end);
};

export const createTouchTest = (registry: Pick<Registry, 'kinds'>): TouchTest => {
  const namingChanges = listNamingChanges(registry);
  const holders = listHolderTypes(registry);
  return (event) => {
    const { eventType, entityType, entityId, ends } = event;
    const text = changedPart(event);
    const isTag = TAG_TYPES.has(entityType);
    // What comes back was not reached before, and new names are in the reasons of whatever is made from it.
    const isMoved = eventType === 'entityUpdated' && namingChanges.some((change) => text.includes(change));
    const isBroad = isTag || (holders.has(entityType) && (eventType === 'entityRestored' || isMoved));
    return {
      changesTags: isTag || text.includes('Propagated'),
      concerns: ({ name, reached, appliesItself }) =>
        isBroad ||
        reached.has(entityId) ||
        ends.some((end) => reached.has(parseEventRecordKey(end).entityId)) ||
        (appliesItself && NEW_EDGE.has(eventType)) ||
        mayTellOfLabel(text, name),
    };
  };
};
