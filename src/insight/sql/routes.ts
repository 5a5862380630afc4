import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { createView, parseQueryFlag } from '../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { flagParameter, textParameter } from '../../http/query-parameters.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import { EDIT_LINEAGE } from '../../lineage/endpoints.ts';
import { engineWithAbortSignal } from '../../lineage/read/abort-signal.ts';
import { DIALECT_NAMES } from '../../lineage/sql/dialect.ts';
import { openSqlReader, type SqlReader } from '../../lineage/sql/reader.ts';
import { openEdgeStore } from '../../lineage/write/edge-store.ts';
import { SqlLineage, SqlLog } from '../../model/schemas/insight/sql.ts';
import { LineageJobStart } from '../../model/schemas/lineage/lineage-map.ts';
import { applyFindings } from './apply-findings.ts';
import { CSV_LOG, LINES_LOG, readSqlLog, type SqlLogRequest } from './read-request.ts';
import { cutOf, renderFindings } from './render-findings.ts';
import { submitSqlJob } from './sql-job.ts';
import { findLogPlace, understandLog } from './understand-log.ts';

/**
 * The route that reads scripts and query logs. `read-request.ts` reads the request, `statement-groups.ts` splits and
 * groups statements, `sessions.ts` reads them in order with `src/lineage/sql`, `find-tables.ts` finds what they name,
 * `lineage-draft.ts` and `understand-log.ts` collect what they show, and `apply-findings.ts` writes it.
 */

/** A request reads fewer statements than a job, and not for longer than other questions. */
const MAX_STATEMENTS_AT_ONCE = 5_000;

/** Lineage can only be written by those who may change lineage at all; each edge is checked on its own. */
const permitSqlLineage = (engine: Engine, principal: Principal): void =>
  engine.authorize(principal, EDIT_LINEAGE, { resource: 'lineage' });

const readAtOnce = async (
  engine: Engine,
  reader: SqlReader,
  call: Call,
  request: SqlLogRequest,
  isDryRun: boolean,
): Promise<Answer> => {
  const { principal } = call;
  const until = performance.now() + engine.limits.questionMs;
  const bounds = {
    statements: MAX_STATEMENTS_AT_ONCE,
    check: () => call.signal.throwIfAborted(),
    hasTime: () => performance.now() < until,
  };
  const reading = engineWithAbortSignal(engine, call.signal);
  const found = await understandLog(reading, principal, reader, request, bounds);
  await nextTurn();
  const applied = isDryRun ? undefined : await applyFindings(openEdgeStore(engine), principal, found, () => {});
  const cut = cutOf(found);
  return {
    status: 200,
    headers: cut === undefined ? {} : { 'X-Lineage-Truncated': cut },
    json: renderFindings(found, applied, createView(engine, call, NO_FIELDS), engine.clock()),
  };
};

const handleSql =
  (engine: Engine, reader: SqlReader) =>
  async (call: Call): Promise<Answer> => {
    const isDryRun = parseQueryFlag(call, 'dryRun', true);
    const isLater = parseQueryFlag(call, 'async');
    if (!isDryRun) permitSqlLineage(engine, call.principal);
    const request = await readSqlLog(call);
    if (!isLater) return readAtOnce(engine, reader, call, request, isDryRun);
    const { fqn } = await findLogPlace(engine, call.principal, request);
    return submitSqlJob(engine, call.principal, { ...request, service: fqn }, isDryRun);
  };

export const sqlRoutes = (engine: Engine): Route[] => [
  {
    tag: 'Lineage',
    access: {
      operation: 'ViewBasic',
      resource: 'lineage',
      also: 'To write edges, `EditLineage` is needed on both endpoints of each; to write usage, `EditUsage` on the table.',
    },
    isOwn: true,
    isHeavy: true,
    method: 'POST',
    path: '/v1/lineage/sql',
    summary: 'Read lineage and usage from a script or a query log',
    query: [
      flagParameter('dryRun', 'Whether to only answer what the statements show and to write nothing', true),
      flagParameter('async', 'Whether to run the operation as a job and answer at once', false),
      textParameter('service', 'Full name of the database service; for a file, where the body cannot name it'),
      textParameter('database', 'Name of the database of names that have none'),
      textParameter('schema', 'Name of the schema of names that have none'),
      {
        name: 'dialect',
        description: 'SQL dialect; by default, that of the service',
        schema: { type: 'string', enum: DIALECT_NAMES },
      },
    ],
    body: { schema: SqlLog, mediaTypes: ['application/json', CSV_LOG, LINES_LOG] },
    responses: { 200: SqlLineage, 202: LineageJobStart },
    fails: [429],
    sends: ['X-Lineage-Truncated', 'X-Job-Id'],
    handle: handleSql(engine, openSqlReader({ timeoutMs: engine.limits.sqlTextMs })),
  },
];
