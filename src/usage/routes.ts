import type { Engine } from '../catalog/engine.ts';
import { CHANGE_HEADER, createView, parseAddress, readRequiredJson } from '../catalog/read/answer.ts';
import { authorizeRecord } from '../catalog/read/facts.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import { renderRef } from '../catalog/read/render.ts';
import { type Snapshot, toRefNode } from '../catalog/read/snapshot.ts';
import { addressKey } from '../catalog/read/store.ts';
import { RECORD_ADDRESSES } from '../catalog/routes/parameters.ts';
import { badRequest, recordNotFound } from '../errors.ts';
import type { Answer, Call, QueryParameter, Route } from '../http/route.ts';
import type { Json } from '../model/json.ts';
import type { Kind } from '../model/kind/kind.ts';
import { kindWords } from '../model/kind/kind-words.ts';
import { operationsToReadFields } from '../model/kind/required-operations.ts';
import { DailyCount, EntityUsage, MAX_USAGE_DAYS } from '../model/schemas/usage/usage.ts';
import { daysBefore, firstUsageDay, summariseUsage } from '../model/schemas/usage/usage-summary.ts';
import { isUuid } from '../model/uuid.ts';
import { dropNulls, validate } from '../model/validate.ts';
import { CalendarDate } from '../model/values.ts';
import { rankUsage } from './rank-usage.ts';
import { recordUsage, type UsageReport } from './record-usage.ts';

const findUsedRecord = async (engine: Engine, kind: Kind, call: Call): Promise<Snapshot> => {
  const address = parseAddress(kind, call);
  const isAddress = 'fqn' in address || isUuid(address.id);
  const record = isAddress ? await engine.store.record(kind, address, NO_FIELDS) : undefined;
  if (!record || record.deleted) throw recordNotFound(kind.entityType, addressKey(address));
  return record;
};

/** Answers the days in a range on which the record was used, newest first, each with its sums. */
const answerUsage = async (engine: Engine, call: Call, record: Snapshot, to: string, days: number): Promise<Answer> => {
  const first = daysBefore(to, days - 1);
  const known = await engine.store.usage({ id: record.id, from: firstUsageDay(first), to });
  const dates = known.map((day) => day.date).filter((date) => date >= first);
  const usage = dates
    .sort()
    .reverse()
    .map((date) => summariseUsage(date, known));
  return { status: 200, json: { entity: renderRef(toRefNode(record), createView(engine, call, NO_FIELDS)), usage } };
};

/** The record field with the same information. */
const USAGE_FIELDS: ReadonlySet<string> = new Set(['usageSummary']);

/** Parses the number of days and limits it to the range that clients know. */
const parseDays = (text: string | null): number => {
  if (!text) return 1;
  if (!/^-?\d+$/.test(text)) throw badRequest('[days must be a whole number]');
  return Math.min(Math.max(Number(text), 1), MAX_USAGE_DAYS);
};

const parseDate = (text: string, name: string): string => validate(CalendarDate, text, name) as string;

const readUsage =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const days = parseDays(call.query.get('days'));
    const today = new Date(engine.clock()).toISOString().slice(0, 10);
    const date = parseDate(call.query.get('date') || today, 'date');
    const record = await findUsedRecord(engine, kind, call);
    await authorizeRecord(engine, call.principal, operationsToReadFields(kind, USAGE_FIELDS), record);
    return answerUsage(engine, call, record, date, days);
  };

const writeUsage =
  (engine: Engine, kind: Kind, adds: boolean) =>
  async (call: Call): Promise<Answer> => {
    const body = validate(DailyCount, dropNulls((await readRequiredJson(call)) as Json));
    const report = { ...(body as unknown as Omit<UsageReport, 'adds'>), adds };
    const record = await findUsedRecord(engine, kind, call);
    await authorizeRecord(engine, call.principal, ['EditUsage'], record);
    await recordUsage(engine, record, report);
    const answer = await answerUsage(engine, call, record, report.date, 1);
    return { ...answer, headers: { [CHANGE_HEADER]: 'entityFieldsChanged' } };
  };

const rankKind =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const date = parseDate(call.params['date'] ?? '', 'date');
    engine.authorize(call.principal, ['EditUsage'], { resource: kind.entityType });
    await rankUsage(engine, kind, date);
    return { status: 202 };
  };

const SPAN_PARAMETERS: readonly QueryParameter[] = [
  {
    name: 'date',
    description: 'Last day to return; today by default',
    schema: { type: 'string', format: 'date' },
  },
  {
    name: 'days',
    description: 'Number of days to return, going back from the last; clamped to the allowed range',
    schema: { type: 'integer', minimum: 1, maximum: MAX_USAGE_DAYS, default: 1 },
  },
];

const routesFor = (engine: Engine, kind: Kind): Route[] => {
  const { entityType } = kind;
  const tag = 'Usage';
  const { a, many } = kindWords(kind);
  const responses = { 200: EntityUsage };
  const body = { schema: DailyCount, mediaTypes: ['application/json'] };
  const writing = { tag, access: { operation: 'EditUsage', resource: entityType }, body, responses };
  return [
    ...RECORD_ADDRESSES.flatMap(({ place, how }): Route[] => {
      const path = `/v1/usage/${entityType}/${place}`;
      return [
        {
          method: 'GET',
          path,
          summary: `Get the usage of ${a} by ${how}`,
          tag,
          access: { operation: 'ViewUsage', resource: entityType },
          query: SPAN_PARAMETERS,
          responses,
          handle: readUsage(engine, kind),
        },
        {
          ...writing,
          method: 'POST',
          path,
          summary: `Add to the daily usage of ${a} by ${how}`,
          handle: writeUsage(engine, kind, true),
        },
        {
          ...writing,
          method: 'PUT',
          path,
          summary: `Set the daily usage of ${a} by ${how}`,
          handle: writeUsage(engine, kind, false),
        },
      ];
    }),
    {
      method: 'POST',
      path: `/v1/usage/compute.percentile/${entityType}/{date}`,
      summary: `Compute usage percentiles of ${many}`,
      tag,
      access: { operation: 'EditUsage', resource: entityType },
      responses: { 202: undefined },
      handle: rankKind(engine, kind),
    },
  ];
};

/** Usage routes for every kind that has usage. */
export const usageRoutes = (engine: Engine): Route[] =>
  engine.registry.kinds
    .filter((kind) => kind.gated.includes('usageSummary'))
    .flatMap((kind) => routesFor(engine, kind));
