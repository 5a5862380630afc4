import { setTimeout as sleep } from 'node:timers/promises';
import type { NumberedEvent, Tail } from '../events/tail.ts';
import type { Graph } from '../graph/client.ts';
import { createHold, createLease } from '../graph/lease.ts';
import { encodeProperty } from '../graph/property.ts';
import type { Log } from '../http/log.ts';
import { type Circle, NOBODY } from '../model/circle.ts';
import { doersOf, isFailing, isNotable, isTestFailing, notificationId, occasionOf } from './occasion.ts';
import {
  type Addressee,
  type AddresseeKey,
  createNotifications,
  deleteOfPerson,
  findDownstream,
  listAddressees,
  listFarewells,
  listTied,
  PROGRESS,
  type Progress,
  readProgress,
  updateProgress,
} from './queries.ts';

/** Asks for each of some events, by number, whom subscriptions want to be told of it. */
export type AlsoTold = (events: readonly NumberedEvent[]) => Promise<ReadonlyMap<number, Circle>>;

/**
 * Tells people what happens to what they follow and own, in the order of events, for as long as this process has the
 * right to. What has been told and how far that is are one transaction, so nobody is told twice or not at all, whenever
 * a process ends.
 */
export type Addressing = {
  start(): void;
  stop(): Promise<void>;
  /** Whether it is this process that tells people now. */
  isTelling(): boolean;
};

export type AddressingOptions = {
  /** How long the right to tell people belongs to a process that says nothing, and how often one says something. */
  readonly leaseMs: number;
  readonly beatMs: number;
  /** How long it waits between two looks, so that events that come closely share one. */
  readonly gapMs: number;
  /** How many events are looked at together, and how many people one transaction tells at most. */
  readonly events: number;
  readonly people: number;
};

const OPTIONS: AddressingOptions = Object.freeze({
  leaseMs: 6000,
  beatMs: 2000,
  gapMs: 50,
  events: 200,
  people: 1000,
});

export type AddressingDeps = {
  readonly graph: Graph;
  readonly log: Pick<Log, 'warn'>;
  readonly tail: Pick<Tail, 'after' | 'waitAfter'>;
  readonly alsoTold: AlsoTold;
  /** Called whenever people were told of something. */
  readonly told: () => void;
  readonly options?: Partial<AddressingOptions>;
};

/** Thrown inside the transaction to roll it back: another process has gone on from the same place. */
class Overtaken extends Error {}

const subscribedTies = ({ ties, names, admins }: Circle): string[] => [
  ...ties,
  ...(names.length > 0 ? ['named'] : []),
  ...(admins ? ['admin'] : []),
];

/** An event of which people may be told, before it is known who is tied to its record. */
type Occasion = Omit<AddresseeKey, 'above' | 'downstream'>;

/** What to look for people by; events of which nobody can be told are left out. */
const occasionsOf = async (
  { alsoTold }: AddressingDeps,
  events: readonly NumberedEvent[],
  progress: Progress,
): Promise<Occasion[]> => {
  const circles = await alsoTold(events);
  return events.flatMap((event, at): Occasion[] => {
    const circle = circles.get(event.seq) ?? NOBODY;
    const subscribed = subscribedTies(circle);
    const notable = isNotable(event);
    if (!notable && subscribed.length === 0) return [];
    return [
      {
        at,
        entityId: event.entityId,
        eventType: event.eventType,
        isNotable: notable,
        isFailing: isFailing(event),
        isTestFailing: isTestFailing(event),
        farewellId: event.eventType === 'entityDeleted' ? event.id : null,
        subscribed,
        names: circle.names,
        admins: circle.admins,
        without: doersOf(event),
        after: event.seq === progress.begun ? progress.toldUntil : '',
      },
    ];
  });
};

/** Who may be tied to a record: anybody at all, and through which containers. */
type Ties = { readonly isTied: boolean; readonly above: readonly string[] };

const UNTIED: Ties = Object.freeze({ isTied: false, above: [] });

const tiesOf = async (graph: Graph, ids: readonly string[]): Promise<ReadonlyMap<string, Ties>> => {
  const ties = new Map<string, Ties>();
  for (const row of await graph.read(listTied, { ids })) {
    for (const id of row.ids) {
      const { isTied, above } = ties.get(id) ?? UNTIED;
      ties.set(id, {
        isTied: isTied || row.isOwned || row.isFollowedWhole || (row.isFollowed && row.id === id),
        above: row.isFollowedWhole && row.id !== id ? [...above, row.id] : above,
      });
    }
  }
  return ties;
};

/** The last events of records that were removed before their former ones could be told. */
const farewellsOf = async (graph: Graph, ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const found = ids.length > 0 ? await graph.read(listFarewells, { ids: [...new Set(ids)] }) : [];
  return new Map(found.map(({ id, farewellId }) => [id, farewellId]));
};

/**
 * Leaves the events of which somebody may have to be told. Nobody follows or owns most records, and looking for people
 * one event at a time costs more than everything else that is done with an event.
 */
const keysFor = async (graph: Graph, occasions: readonly Occasion[]): Promise<AddresseeKey[]> => {
  if (occasions.length === 0) return [];
  const [ties, wanted] = await Promise.all([
    tiesOf(graph, [...new Set(occasions.map(({ entityId }) => entityId))]),
    graph.read(findDownstream, {}),
  ]);
  const downstream = wanted.length > 0;
  const untied = occasions.filter(({ entityId, farewellId }) => farewellId === null && !ties.has(entityId));
  const farewells = await farewellsOf(
    graph,
    untied.map(({ entityId }) => entityId),
  );
  return occasions.flatMap((occasion) => {
    const { isTied, above } = ties.get(occasion.entityId) ?? UNTIED;
    const farewellId = occasion.farewellId ?? farewells.get(occasion.entityId) ?? null;
    const goesOn = downstream || occasion.isFailing;
    const isNeeded =
      isTied || goesOn || occasion.isTestFailing || occasion.subscribed.length > 0 || farewellId !== null;
    return isNeeded ? [{ ...occasion, farewellId, above, downstream: goesOn }] : [];
  });
};

/** Whom events are to be told. Of a record that was removed during the look it is known from its last event. */
const addresseesOf = async (graph: Graph, keys: readonly AddresseeKey[], limit: number): Promise<Addressee[]> => {
  if (keys.length === 0) return [];
  const found = await graph.read(listAddressees, { rows: keys, limit });
  const there = keys.filter(({ farewellId }) => farewellId === null);
  const gone = await farewellsOf(
    graph,
    there.map(({ entityId }) => entityId),
  );
  if (gone.size === 0) return found;
  const rows = keys.map((key) => ({ ...key, farewellId: key.farewellId ?? gone.get(key.entityId) ?? null }));
  return graph.read(listAddressees, { rows, limit });
};

type Place = Pick<Progress, 'seq' | 'begun' | 'toldUntil'>;

/** Where to go on after some people: when there are as many as one transaction tells, the last event may have more. */
const placeAfter = (
  found: readonly Addressee[],
  isFull: boolean,
  events: readonly NumberedEvent[],
  progress: Progress,
): Place => {
  const last = found.at(-1);
  if (!isFull || !last) return { seq: events.at(-1)?.seq ?? progress.seq, begun: 0, toldUntil: '' };
  const begun = events[last.at]?.seq ?? 0;
  return { seq: events[last.at - 1]?.seq ?? progress.seq, begun, toldUntil: last.userId };
};

const encodeAll = (object: object) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, encodeProperty(value)]));

/** Tells people, and says how far that is, in one transaction. */
const tell = async (
  graph: Graph,
  events: readonly NumberedEvent[],
  found: readonly Addressee[],
  progress: Progress,
  place: Place,
): Promise<void> => {
  const told = [...new Set(found.map(({ at }) => at))];
  const indexes = new Map(told.map((at, index) => [at, index]));
  const abouts = told.flatMap((at) => (events[at] ? [occasionOf(events[at])] : []));
  const rows = found.map((row) => ({
    ...row,
    at: indexes.get(row.at) ?? 0,
    id: notificationId(events[row.at]?.id ?? '', row.userId),
  }));
  const going = { ...place, seq: encodeProperty(place.seq), begun: encodeProperty(place.begun) };
  await graph.write(async (transaction) => {
    const [moved] = await Promise.all([
      transaction.run(updateProgress, { name: PROGRESS, step: progress.step, ...going }),
      rows.length > 0
        ? transaction.run(createNotifications, {
            rows,
            events: abouts.map((about) => ({ ...about, ...encodeAll(about) })),
          })
        : [],
    ]);
    if (moved.length === 0) throw new Overtaken('another process went on');
  });
};

/** What somebody was told goes with them, a bounded part of it at a time. */
const forgetPeople = async (graph: Graph, events: readonly NumberedEvent[], limit: number): Promise<void> => {
  const gone = events.filter(({ entityType, eventType }) => entityType === 'user' && eventType === 'entityDeleted');
  for (const { entityId } of gone) {
    for (let removed = limit; removed === limit; ) {
      const [row] = await graph.write((transaction) => transaction.run(deleteOfPerson, { userId: entityId, limit }));
      removed = row?.removed ?? 0;
    }
  }
};

export const createAddressing = (deps: AddressingDeps): Addressing => {
  const { graph, log, tail, told } = deps;
  const options = { ...OPTIONS, ...deps.options };
  const lease = createLease(graph, 'addressing of notifications', options.leaseMs);
  const hold = createHold(lease, options.beatMs);
  let leaving = new AbortController();
  let looping: Promise<void> | undefined;
  let progress: Progress | undefined;
  /** How many events are looked at together: fewer where many people are told of each. */
  let width = options.events;

  const goOn = async (from: Progress, events: readonly NumberedEvent[]): Promise<Progress> => {
    await forgetPeople(graph, events, options.people);
    const keys = await keysFor(graph, await occasionsOf(deps, events, from));
    const limit = options.people;
    const found = await addresseesOf(graph, keys, limit);
    const isFull = found.length === limit;
    const place = placeAfter(found, isFull, events, from);
    await tell(graph, events, found, from, place);
    width = isFull ? Math.ceil(width / 4) : Math.min(options.events, width * 2);
    if (found.length > 0) told();
    return { ...place, step: from.step + 1 };
  };

  /** Answers whether there may be more to do at once. */
  const turn = async (): Promise<boolean> => {
    if (!(await hold.keep())) {
      progress = undefined;
      await sleep(options.beatMs, undefined, { signal: leaving.signal, ref: false }).catch(() => {});
      return false;
    }
    progress ??= (await graph.read(readProgress, { name: PROGRESS }))[0];
    if (!progress) throw new Error('nothing says how far people have been told');
    const events = (await tail.after(progress.seq, width)).slice(0, width);
    if (events.length === 0) {
      await tail.waitAfter(progress.seq, options.beatMs, leaving.signal);
      return false;
    }
    progress = await goOn(progress, events);
    return events.length === width || progress.begun > 0;
  };

  const loop = async (): Promise<void> => {
    while (!leaving.signal.aborted) {
      let isMore = false;
      try {
        isMore = await turn();
      } catch (failure) {
        progress = undefined;
        if (!(failure instanceof Overtaken)) log.warn('people could not be told of what happened', {}, failure);
      }
      if (!isMore) await sleep(options.gapMs, undefined, { signal: leaving.signal, ref: false }).catch(() => {});
    }
  };

  return {
    start: () => {
      if (looping) return;
      leaving = new AbortController();
      hold.begin();
      looping = loop();
    },
    stop: async () => {
      leaving.abort();
      await looping;
      looping = undefined;
      progress = undefined;
      await lease.release().catch((failure: unknown) => log.warn('the right to tell people was kept', {}, failure));
    },
    isTelling: () => looping !== undefined && lease.isHeld(),
  };
};
