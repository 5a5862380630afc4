import type { Principal } from '../access/principal.ts';
import type { CountedEvents } from './queries.ts';

/** A record, as far as it is known without reading it; it may be gone. */
export type Found = { readonly entityType: string; readonly entityId: string };

/** What an event is about. Of the other records that it tells of, if there are any, one must be seen. */
export type Subject = Found & { readonly ends?: readonly string[] | null };

/** What a caller may know of: everything, or what a look at each record says. */
export type Sight = 'everything' | ((records: readonly Found[]) => Promise<readonly boolean[]>);

/** Tells what a caller may see of what happened. */
export type SightOf = (principal: Principal) => Sight;

/** An event, whose text may tell of other records than its subject. */
type Telling = { readonly json: string; readonly ends: readonly string[] };

/** Tells of events again, in their order, without what a caller may not see of the other records in them. */
export type Retell = (principal: Principal, events: readonly Telling[]) => Promise<readonly string[]>;

/** What a caller may see, and how they are told of it. */
export type Eyes = {
  readonly sight: Sight;
  readonly retell: (events: readonly Telling[]) => Promise<readonly string[]>;
};

export type EyesOf = (principal: Principal) => Eyes;

/** How a caller sees what happened. */
export const eyesBy =
  (sightOf: SightOf, retell: Retell): EyesOf =>
  (principal) => ({ sight: sightOf(principal), retell: (events) => retell(principal, events) });

/** A record that an event tells of, as its node names it. */
export const endText = ({ entityType, entityId }: Found): string => `${entityType} ${entityId}`;

export const endFrom = (text: string): Found => {
  const [entityType = '', entityId = ''] = text.split(' ');
  return { entityType, entityId };
};

const endsOf = ({ ends }: Subject): readonly Found[] => (ends ?? []).map(endFrom);

/** Tells of each of some subjects whether a caller may know of it; each record is looked at once. */
const isSeenBy = async (subjects: readonly Subject[], sight: Exclude<Sight, 'everything'>) => {
  const found = subjects.flatMap((subject) => [subject, ...endsOf(subject)]);
  const records = [...new Map(found.map((record) => [record.entityId, record])).values()];
  const seen = await sight(records);
  const ids = new Set(records.flatMap(({ entityId }, at) => (seen[at] ? [entityId] : [])));
  return (subject: Subject): boolean => {
    const ends = endsOf(subject);
    return ids.has(subject.entityId) && (ends.length === 0 || ends.some(({ entityId }) => ids.has(entityId)));
  };
};

/** Leaves out what the caller may not see. */
export const onlySeen = async <T extends Subject>(rows: readonly T[], sight: Sight): Promise<readonly T[]> => {
  if (sight === 'everything' || rows.length === 0) return rows;
  return rows.filter(await isSeenBy(rows, sight));
};

const isWhole = (row: CountedEvents): row is CountedEvents & Subject => row.entityId !== null;

/** How many of what is counted, in all or record by record, a caller may see. */
export const countSeen = async (
  count: (byRecord: boolean) => Promise<readonly CountedEvents[]>,
  sight: Sight,
): Promise<number> => {
  const rows = await count(sight !== 'everything');
  if (sight === 'everything') return rows[0]?.total ?? 0;
  const seen = await onlySeen(rows.filter(isWhole), sight);
  return seen.reduce((sum, { total }) => sum + total, 0);
};

/** Events as a caller is told of them, who may see each of them in part at least. */
export const retold = async <T extends Telling>(rows: readonly T[], { sight, retell }: Eyes): Promise<readonly T[]> => {
  const tellings = sight === 'everything' ? [] : rows.filter(({ ends }) => ends.length > 0);
  if (tellings.length === 0) return rows;
  const texts = (await retell(tellings)).values();
  return rows.map((row) => (row.ends.length > 0 ? { ...row, json: texts.next().value ?? row.json } : row));
};
