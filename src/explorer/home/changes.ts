import type { Schemas } from '../api/types.ts';

type ChangeEvent = Schemas['ChangeEvent'];

/** What members of an asset are called, where their name in the API says it badly. */
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    displayName: 'name',
    tableConstraints: 'constraints',
    messageSchema: 'schema',
    schemaDefinition: 'SQL',
    dataProducts: 'data products',
    extension: 'custom properties',
    entityStatus: 'status',
    lifeCycle: 'life cycle',
  }),
);

const WHOLE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    entityCreated: 'created',
    entitySoftDeleted: 'deleted',
    entityRestored: 'restored',
  }),
);

const MOST_WORDS = 4;

const inWords = (name: string): string =>
  WORDS.get(name) ?? name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** What an event changed, in a few words. */
export const describeEventChange = ({ eventType, changeDescription }: ChangeEvent): string => {
  const whole = WHOLE.get(eventType);
  if (whole !== undefined) return whole;
  const { fieldsAdded = [], fieldsUpdated = [], fieldsDeleted = [] } = changeDescription ?? {};
  const names = [...fieldsAdded, ...fieldsUpdated, ...fieldsDeleted].map(({ name }) => name.split('.')[0] ?? name);
  const words = [...new Set(names.map(inWords))];
  if (words.length === 0) return 'changed';
  const more = words.length - MOST_WORDS;
  return `changed ${words.slice(0, MOST_WORDS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};

/** The latest event of each asset. */
export const latestEvents = (events: readonly ChangeEvent[]): ReadonlyMap<string, ChangeEvent> =>
  new Map(
    [...events].sort((one, other) => one.timestamp - other.timestamp).map((event) => [event.entityId, event] as const),
  );
