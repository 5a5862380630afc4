import type { Engine } from '../catalog/engine.ts';
import { addressOf, CHANGE_HEADER, requiredJson, viewFor } from '../catalog/read/answer.ts';
import { permit } from '../catalog/read/facts.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import { renderRef } from '../catalog/read/render.ts';
import { refOf, type Snapshot } from '../catalog/read/snapshot.ts';
import { keyOf } from '../catalog/read/store.ts';
import { badRequest, recordNotFound } from '../errors.ts';
import type { Answer, Call, QueryParameter, Route } from '../http/route.ts';
import type { Json } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { operationsOfFields } from '../model/required-operations.ts';
import { daysBefore, firstDayOfSums, usageOn } from '../model/usage.ts';
import { DailyCount, EntityUsage, MAX_USAGE_DAYS } from '../model/usage-values.ts';
import { isUuid } from '../model/uuid.ts';
import { check, dropNulls } from '../model/validate.ts';
import { CalendarDate } from '../model/values.ts';
import { rankUsage } from './rank.ts';
import { type Report, report } from './report.ts';

const find = async (engine: Engine, kind: Kind, call: Call): Promise<Snapshot> => {
  const address = addressOf(kind, call);
  const isAddress = 'fqn' in address || isUuid(address.id);
  const record = isAddress ? await engine.store.record(kind, address, NO_FIELDS) : undefined;
  if (!record || record.deleted) throw recordNotFound(kind.entityType, keyOf(address));
  return record;
};

/** The days of a stretch on which the record was used, newest first, each with its sums. */
const usageOf = async (engine: Engine, call: Call, record: Snapshot, to: string, days: number): Promise<Answer> => {
  const first = daysBefore(to, days - 1);
  const known = await engine.store.usage({ id: record.id, from: firstDayOfSums(first), to });
  const told = known.map((day) => day.date).filter((date) => date >= first);
  const usage = told
    .sort()
    .reverse()
    .map((date) => usageOn(date, known));
  return { status: 200, json: { entity: renderRef(refOf(record), viewFor(engine, call, NO_FIELDS)), usage } };
};

/** The member that tells the same of a record by itself. */
const USAGE: ReadonlySet<string> = new Set(['usageSummary']);

/** The number of days in a query, brought within its bounds as clients know it. */
const daysIn = (text: string | null): number => {
  if (!text) return 1;
  if (!/^-?\d+$/.test(text)) throw badRequest('[days must be a whole number]');
  return Math.min(Math.max(Number(text), 1), MAX_USAGE_DAYS);
};

const dateIn = (text: string, name: string): string => check(CalendarDate, text, name) as string;

const read =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const days = daysIn(call.query.get('days'));
    const today = new Date(engine.clock()).toISOString().slice(0, 10);
    const date = dateIn(call.query.get('date') || today, 'date');
    const record = await find(engine, kind, call);
    await permit(engine, call.principal, operationsOfFields(kind, USAGE), record);
    return usageOf(engine, call, record, date, days);
  };

const write =
  (engine: Engine, kind: Kind, adds: boolean) =>
  async (call: Call): Promise<Answer> => {
    const body = check(DailyCount, dropNulls((await requiredJson(call)) as Json));
    const told = { ...(body as unknown as Omit<Report, 'adds'>), adds };
    const record = await find(engine, kind, call);
    await permit(engine, call.principal, ['EditUsage'], record);
    await report(engine, record, told);
    const answer = await usageOf(engine, call, record, told.date, 1);
    return { ...answer, headers: { [CHANGE_HEADER]: 'entityFieldsChanged' } };
  };

const rank =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const date = dateIn(call.params['date'] ?? '', 'date');
    engine.authorize(call.principal, ['EditUsage'], { resource: kind.entityType });
    await rankUsage(engine, kind, date);
    return { status: 202 };
  };

const SPAN: readonly QueryParameter[] = [
  {
    name: 'date',
    description: 'The last day to answer; today unless given',
    schema: { type: 'string', format: 'date' },
  },
  {
    name: 'days',
    description: 'How many days to answer, going back from the last; brought within its bounds',
    schema: { type: 'integer', minimum: 1, maximum: MAX_USAGE_DAYS, default: 1 },
  },
];

const routesFor = (engine: Engine, kind: Kind): Route[] => {
  const { entityType } = kind;
  const tag = 'Usage';
  const responses = { 200: EntityUsage };
  const body = { schema: DailyCount, mediaTypes: ['application/json'] };
  const writing = { tag, access: { operation: 'EditUsage', resource: entityType }, body, responses };
  return [
    ...['{id}', 'name/{fqn}'].flatMap((place): Route[] => {
      const path = `/v1/usage/${entityType}/${place}`;
      return [
        {
          method: 'GET',
          path,
          summary: 'Read how often a record was used',
          tag,
          access: { operation: 'ViewUsage', resource: entityType },
          query: SPAN,
          responses,
          handle: read(engine, kind),
        },
        { ...writing, method: 'POST', path, summary: 'Add to the usage of a day', handle: write(engine, kind, true) },
        { ...writing, method: 'PUT', path, summary: 'Set the usage of a day', handle: write(engine, kind, false) },
      ];
    }),
    {
      method: 'POST',
      path: `/v1/usage/compute.percentile/${entityType}/{date}`,
      summary: 'Rank the records of a kind by their usage',
      tag,
      access: { operation: 'EditUsage', resource: entityType },
      responses: { 202: undefined },
      handle: rank(engine, kind),
    },
  ];
};

/** How often records are used, for every kind that tells of it. */
export const usageRoutes = (engine: Engine): Route[] =>
  engine.registry.kinds
    .filter((kind) => kind.gated.includes('usageSummary'))
    .flatMap((kind) => routesFor(engine, kind));
