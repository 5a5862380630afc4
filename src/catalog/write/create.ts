import { randomUUID } from 'node:crypto';
import { CatalogError } from '../../errors.ts';
import type { Write } from '../../graph/commit.ts';
import { isUniquenessFailure } from '../../graph/failure.ts';
import type { Json } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { Founding } from '../../model/parent.ts';
import { either } from '../../model/policy-values.ts';
import { FIRST_VERSION } from '../../model/version.ts';
import { lifeSteps, turned } from '../below/life.ts';
import { permitCreation } from '../desire/admission.ts';
import { type Candidate, candidateFromBody } from '../desire/candidate.ts';
import { desire } from '../desire/desire.ts';
import { type Actor, CREATE } from '../desire/desk.ts';
import {
  expectedFqn,
  findHome,
  findTwin,
  type Home,
  locate,
  type Placement,
  placedRelations,
  refuseAnother,
} from '../desire/home.ts';
import { missingFirst } from '../desire/references.ts';
import { checkTies } from '../desire/ties.ts';
import type { Engine, Writer, Written } from '../engine.ts';
import { changeEvent } from '../plan/change-event.ts';
import { alreadyExists, planCreate } from '../plan/record.ts';
import { StaleState } from '../plan/step.ts';
import { documentFor } from '../read/documents.ts';
import { writeFields } from '../read/fields.ts';
import { keptForm } from '../read/kept.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { kindNamed } from '../registry.ts';

export const actorFor = (engine: Engine, writer: Writer, atLeast = 0): Actor => ({
  principal: writer.principal,
  now: Math.max(engine.clock(), atLeast),
});

const newBase = ({ id, name }: Candidate, home: Home) => ({
  id: id ?? randomUUID(),
  name,
  fullyQualifiedName: home.fqn,
  version: FIRST_VERSION,
  deleted: false,
  ancestors: home.ancestors,
  followers: [],
  voters: [],
  counts: {},
  beside: {},
});

/** Nothing has come to a new record yet, so whatever is counted or summed up around it is none. */
const withNothingBeside = (record: Snapshot): Snapshot => {
  const counts: Record<string, number> = {};
  const beside: Record<string, Json> = {};
  for (const [name, attribute] of Object.entries(record.kind.attributes)) {
    if (attribute.store !== 'walked') continue;
    if (attribute.answers === 'count') counts[name] = 0;
    if (attribute.answers === 'rows' && attribute.make) beside[name] = attribute.make([]);
  }
  return { ...record, counts, beside };
};

/** A candidate with what the room of its kind has to add. */
export const completed = async (engine: Engine, kind: Kind, candidate: Candidate): Promise<Candidate> =>
  (await engine.stewards.get(kind.entityType)?.complete(engine, candidate)) ?? candidate;

/** What a request asks for, with everything in it that decides what the record will be called. */
export const settle = async (engine: Engine, kind: Kind, asked: Candidate): Promise<Candidate> =>
  completed(engine, kind, await locate(engine, kind, asked));

/** Where a new record will hang, and what has to be written so that it can. */
export type Ground = { readonly home: Home; readonly founding?: Write };

/** Writes that stand or fall together. */
export const joined = (...writes: readonly (Write | undefined)[]): Write => ({
  keys: writes.flatMap((write) => write?.keys ?? []),
  steps: writes.flatMap((write) => write?.steps ?? []),
});

const planNew = (engine: Engine, { principal }: Writer, record: Snapshot, placements: readonly Placement[]): Write => {
  const event = changeEvent({
    eventType: 'entityCreated',
    record,
    previousVersion: undefined,
    entity: keptForm(engine, record),
    principal,
  });
  const document = record.kind.search.index ? documentFor(engine, withNothingBeside(record)) : undefined;
  return planCreate(record, placements, event, document);
};

/** A new record as it will be, if nothing comes in between. */
const draw = async (engine: Engine, writer: Writer, candidate: Candidate, home: Home): Promise<Snapshot> => {
  const { kind } = writer;
  const base = newBase(candidate, home);
  const desired = await desire(engine, kind, base, home, candidate, actorFor(engine, writer), CREATE);
  const record = { ...desired, related: { ...desired.related, ...placedRelations(kind, home.placements) } };
  await checkTies(engine, undefined, record);
  return record;
};

type Founded = { readonly record: Snapshot; readonly plan: Write };

const foundingCandidate = (founding: Founding): Candidate => ({
  ...founding,
  columns: {},
  relations: {},
  conferred: {},
});

const foundNew = async (engine: Engine, writer: Writer, founding: Founding): Promise<Founded> =>
  foundAt(engine, writer, founding, await findHome(engine, writer.kind, foundingCandidate(founding)));

/** A record that comes into being because another one does, at a place that is known. */
export const foundAt = async (engine: Engine, writer: Writer, founding: Founding, home: Home): Promise<Founded> => {
  const candidate = foundingCandidate(founding);
  const record = await draw(engine, writer, candidate, home);
  return { record, plan: planNew(engine, writer, record, home.placements) };
};

/** A parent that was hidden comes back alone: what was hidden together with it was not asked for. */
const bringBack = (engine: Engine, writer: Writer, hidden: Snapshot): Founded => {
  const turn = turned(writer, engine, hidden, false);
  return { record: turn.after, plan: { keys: [hidden.id], steps: lifeSteps(engine, writer, turn, hidden.id, false) } };
};

/** The parent that has to come into being for a record, where its kind says that it may. */
const foundParent = async (
  engine: Engine,
  { kind, principal }: Writer,
  candidate: Candidate,
): Promise<Founded | undefined> => {
  const parent = kind.parents.find(({ field, founding }) => founding && candidate.parents[field]?.fqn !== undefined);
  const fqn = parent && candidate.parents[parent.field]?.fqn;
  if (!parent?.founding || fqn === undefined) return undefined;
  const writer = { principal, kind: kindNamed(engine.registry, parent.kind) };
  const known = await engine.store.reference(writer.kind, fqn);
  if (!known) return foundNew(engine, writer, parent.founding(fqn));
  if (!known.deleted) return undefined;
  const hidden = await engine.store.record(writer.kind, { id: known.id }, writeFields(writer.kind));
  if (!hidden?.deleted) throw new StaleState('the parent came back');
  return bringBack(engine, writer, hidden);
};

export const findGround = async (engine: Engine, writer: Writer, candidate: Candidate): Promise<Ground> => {
  const founded = await foundParent(engine, writer, candidate);
  const home = await findHome(engine, writer.kind, candidate, founded?.record);
  return founded ? { home, founding: founded.plan } : { home };
};

export const createAt = async (
  engine: Engine,
  writer: Writer,
  candidate: Candidate,
  { home, founding }: Ground,
): Promise<Written> => {
  const { kind } = writer;
  const record = await draw(engine, writer, candidate, home);
  const begun = await engine.stewards.get(kind.entityType)?.begin?.(engine, writer, record, candidate);
  const joint = { ...record, related: { ...record.related, ...begun?.related } };
  try {
    await engine.commit(joined(founding, planNew(engine, writer, joint, home.placements), begun));
  } catch (failure) {
    // Of the two names that were to be taken it was the parent's: somebody else founded it.
    const isParents = founding && isUniquenessFailure(failure);
    if (isParents && !(await engine.store.reference(kind, record.fullyQualifiedName))) {
      throw new StaleState('the parent came into being');
    }
    throw failure;
  }
  engine.written(record, record.conferrals);
  const handed = await engine.store.handed(kind, record.id, writeFields(kind));
  return { outcome: 'entityCreated', record: handed ? { ...joint, handed } : joint };
};

export const nameKey = (kind: Kind, fqn: string): string => `${kind.label} ${fqn}`;

/** What a caller must be allowed to do before a record comes into being, or is made another one as a whole. */
type Needed = { readonly create: readonly string[]; readonly update: readonly string[] };

export const ALONE: Needed = { create: ['Create'], update: ['EditAll'] };
/** Rows of many may also be allowed as such. */
export const AMONG_MANY: Needed = {
  create: [either('Create', 'BulkCreate')],
  update: [either('EditAll', 'BulkUpdate')],
};

export const tooBusy = () => new CatalogError('unavailable', 'The record is being changed too often at the moment');

/** What others change again and again holds still in the end. */
const ATTEMPTS = 30;

/** Does something, which is told how often it was tried, until nobody comes in between. */
export const untilAlone = async <T>(work: (attempt: number) => Promise<T>): Promise<T> => {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    try {
      return await work(attempt);
    } catch (failure) {
      if (!(failure instanceof StaleState)) throw failure;
    }
  }
  throw tooBusy();
};

/** An id that somebody else has by now is nobody else's: the record gets another one. */
const withFreeId = async (engine: Engine, candidate: Candidate): Promise<Candidate> => {
  if (candidate.id === undefined || (await engine.store.referenceById(candidate.id)) === undefined) return candidate;
  const { id: _taken, ...others } = candidate;
  return others;
};

const createOnce = async (engine: Engine, writer: Writer, asked: Candidate, wanted: string): Promise<Written> => {
  const { kind } = writer;
  const candidate = await withFreeId(engine, asked);
  const [ground, taken, twin] = await Promise.all([
    findGround(engine, writer, candidate),
    kind.sharesNames ? undefined : engine.store.reference(kind, wanted),
    findTwin(engine, kind, candidate),
  ]);
  await permitCreation(engine, writer, candidate, ground.home, ALONE.create);
  await refuseAnother(engine, kind, candidate, twin);
  if (taken || twin) throw alreadyExists();
  try {
    return await createAt(engine, writer, candidate, ground);
  } catch (failure) {
    if (!isUniquenessFailure(failure)) throw failure;
    // Which of the two faults it is follows from what the other one is called.
    throw kind.twin?.alone ? new StaleState('another one came into being') : alreadyExists();
  }
};

/**
 * Refuses what creating a record would refuse as things stand: to whom must not, and where there is one already. For
 * those who have to write something else before.
 */
export const checkCreation = async (engine: Engine, writer: Writer, asked: Candidate): Promise<void> => {
  const candidate = await settle(engine, writer.kind, asked);
  const ground = await findGround(engine, writer, candidate);
  await permitCreation(engine, writer, candidate, ground.home, ALONE.create);
  if ((await findTwin(engine, writer.kind, candidate)) !== undefined) throw alreadyExists();
};

/**
 * The record that a request would create as things stand, or what speaks against it; nothing is written. The parent is
 * given where it is not there yet either.
 */
export const rehearseCreation = async (
  engine: Engine,
  writer: Writer,
  asked: Candidate,
  parent: Snapshot | undefined,
): Promise<Snapshot> => {
  const candidate = await settle(engine, writer.kind, asked);
  const [home, taken] = await Promise.all([
    findHome(engine, writer.kind, candidate, parent),
    engine.store.reference(writer.kind, expectedFqn(writer.kind, candidate)),
  ]);
  await permitCreation(engine, writer, candidate, home, ALONE.create);
  if (taken) throw alreadyExists();
  return draw(engine, writer, candidate, home);
};

/** The same as `createRecord`, of a request that was read already. */
export const createCandidate = async (engine: Engine, writer: Writer, asked: Candidate): Promise<Written> => {
  const { kind } = writer;
  const candidate = await settle(engine, kind, asked);
  const wanted = expectedFqn(kind, candidate);
  const create = () => untilAlone(() => createOnce(engine, writer, candidate, wanted));
  return engine.serial(nameKey(kind, wanted), () =>
    missingFirst(engine, kind, actorFor(engine, writer), [() => candidate], create),
  );
};

/**
 * POST: a new record, or already_exists when its name is taken, be it by a deleted record. `preset` are values that no
 * request can set.
 */
export const createRecord = (
  engine: Engine,
  writer: Writer,
  body: unknown,
  preset: Candidate['values'] = {},
): Promise<Written> => {
  const asked = candidateFromBody(writer.kind, body);
  return createCandidate(engine, writer, { ...asked, values: { ...asked.values, ...preset } });
};
