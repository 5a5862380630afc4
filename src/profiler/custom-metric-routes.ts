import { randomUUID } from 'node:crypto';
import type { Engine } from '../catalog/engine.ts';
import { buildWriteAnswer, createView, idAddress, readRequiredJson } from '../catalog/read/answer.ts';
import type { ColumnNode } from '../catalog/read/column-tree.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { parseRecordPointer } from '../catalog/resolve/record-pointers.ts';
import { resolveOwners } from '../catalog/resolve/references.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { reviseRecord } from '../catalog/write/update.ts';
import { badRequest, notFound } from '../errors.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Kind } from '../model/kind/kind.ts';
import { normaliseName } from '../model/name.ts';
import { CustomMetric } from '../model/schemas/profiler/profiler-sampling.ts';
import { dropNulls, validate } from '../model/validate.ts';

const MEMBER = 'customMetrics';
const SECTION = 'columns';

/** A request with more metrics is a mistake of the sending program. */
const MAX_METRICS = 1000;

type StoredMetric = JsonObject & { readonly name: string; readonly columnName?: string };

const metricsOf = (record: Snapshot): readonly StoredMetric[] =>
  (record.values[MEMBER] ?? []) as unknown as readonly StoredMetric[];

const isSameMetric = (a: StoredMetric, name: string, column: string | undefined): boolean =>
  a.name === name && (a.columnName ?? '').toLowerCase() === (column ?? '').toLowerCase();

const hasColumn = (columns: readonly ColumnNode[], path: string, prefix = ''): boolean =>
  columns.some((column) => {
    const here = prefix === '' ? String(column.values['name']) : `${prefix}.${String(column.values['name'])}`;
    return here.toLowerCase() === path.toLowerCase() || hasColumn(column.children, path, here);
  });

type MetricsChange = (record: Snapshot) => readonly StoredMetric[];

const revise = async (engine: Engine, kind: Kind, call: Call, change: MetricsChange): Promise<Answer> => {
  const written = await reviseRecord(
    engine,
    { kind, principal: call.principal, countWork: call.countWork },
    {
      address: idAddress(call),
      revise: (document) => document,
      touched: [MEMBER],
      isJsonPatch: false,
      operations: ['EditDataProfile'],
      setValues: (record) => ({ [MEMBER]: change(record) as unknown as Json }),
      precondition: () => {},
      viewFor: (fields) => createView(engine, call, fields),
    },
  );
  return buildWriteAnswer(engine, call, written, new Set([MEMBER]));
};

/** Resolves the owners of a metric by the rules for owners of records. */
const resolveMetricOwners = async (engine: Engine, metric: JsonObject): Promise<JsonObject> => {
  const { owners } = metric;
  if (!Array.isArray(owners)) return {};
  const nodes = await resolveOwners(engine, (owners as readonly JsonObject[]).map(parseRecordPointer));
  return { owners: nodes.map(({ id, entityType }) => ({ id, type: entityType })) };
};

/** Adds a metric, or replaces the one with that name on the same column. */
const put =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const body = validate(CustomMetric, dropNulls((await readRequiredJson(call)) as Json)) as StoredMetric;
    const name = normaliseName(body.name);
    const owners = await resolveMetricOwners(engine, body);
    return revise(engine, kind, call, (record) => {
      const column = body.columnName;
      if (column !== undefined && !hasColumn(record.columns[SECTION] ?? [], column)) {
        throw badRequest(`[columnName names the unknown column ${column}]`);
      }
      const stored = metricsOf(record);
      const known = stored.find((metric) => isSameMetric(metric, name, column));
      const others = stored.filter((metric) => metric !== known);
      if (others.length >= MAX_METRICS) throw badRequest(`[${MEMBER} must have at most ${MAX_METRICS} items]`);
      const stamp = { updatedAt: engine.clock(), updatedBy: call.principal.name };
      return [...others, { ...body, ...owners, name, id: known?.['id'] ?? randomUUID(), ...stamp } as StoredMetric];
    });
  };

const remove =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const { name = '', column } = call.params;
    return revise(engine, kind, call, (record) => {
      const stored = metricsOf(record);
      const rest = stored.filter((metric) => !isSameMetric(metric, name, column));
      if (rest.length === stored.length) throw notFound(`Failed to find ${name} for ${record.name}`);
      return rest;
    });
  };

const routesFor = (engine: Engine, kind: Kind): Route[] => {
  const common = {
    tag: kind.title,
    access: { operation: 'EditDataProfile', resource: kind.entityType },
    responses: { 200: schema.recordSchema(kind) },
  } as const;
  const path = `/v1/${kind.path}/{id}/customMetric`;
  const removal = { ...common, method: 'DELETE', handle: remove(engine, kind) } as const;
  return [
    {
      ...common,
      method: 'PUT',
      path,
      summary: 'Create or replace a custom metric',
      body: { schema: CustomMetric, mediaTypes: ['application/json'] },
      handle: put(engine, kind),
    },
    { ...removal, path: `${path}/{name}`, summary: 'Delete a custom metric of a table' },
    { ...removal, path: `${path}/{column}/{name}`, summary: 'Delete a custom metric of a column' },
  ];
};

/** Routes of custom metrics, for every kind that has them. */
export const customMetricRoutes = (engine: Engine): Route[] =>
  engine.registry.kinds.filter((kind) => kind.members[MEMBER] !== undefined).flatMap((kind) => routesFor(engine, kind));
