import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { CSV_TYPE } from '../http/csv-writer.ts';
import type { JobOperation, JobOperations, JobWork, OperationOutcome } from '../jobs/job-operation.ts';
import { MAX_PIECE_CHARACTERS } from '../jobs/job-pieces.ts';
import { exportCsvFile, findFileTarget, importCsvFile, type OnUnexpected } from './csv-files.ts';
import { escapeForJsonString, NO_ROW_COUNTS, openResult, RESULT_END } from './import-report.ts';
import { CSV_ENTITY_TYPES, layoutsFor } from './layout.ts';
import { readExportScope } from './parameters.ts';
import { cutText } from './text/text-source.ts';

/**
 * Jobs that export and import files after the request was answered, with the permissions that the actor has at that
 * time.
 */

/** Reads the current permissions of a job's actor. Throws forbidden when the user no longer exists. */
type RefreshPrincipal = (actor: Principal) => Promise<Principal>;

type CsvOperationDeps = {
  readonly engine: Engine;
  readonly refreshPrincipal: RefreshPrincipal;
  readonly onUnexpected: OnUnexpected;
};

const readCurrentPrincipal = async (
  { engine, refreshPrincipal }: CsvOperationDeps,
  work: JobWork,
): Promise<Principal> => {
  await engine.authorizer.ensureFresh();
  return refreshPrincipal(work.job.actor);
};

const fileTargetOf = ({ job }: JobWork) => ({ entityType: job.entityType, fqn: job.targetFqn });

const runCsvExport = async (deps: CsvOperationDeps, work: JobWork): Promise<OperationOutcome> => {
  const { engine } = deps;
  const principal = await readCurrentPrincipal(deps, work);
  const record = await findFileTarget(engine, principal, fileTargetOf(work), ['ViewAll']);
  const query = new URLSearchParams(String(work.job.input['query'] ?? ''));
  const reach = readExportScope({ query }, work.job.entityType);
  let position = 0;
  let total = 0;
  const request = { engine, principal, record, ...reach };
  for await (const { text, rows } of exportCsvFile(request, work.job.input['isSafe'] === true, MAX_PIECE_CHARACTERS)) {
    work.check();
    total = rows;
    await work.save({ pieces: [{ part: 'result1', position, text }], progress: rows });
    position += 1;
  }
  await work.save({ progress: total, total });
  return { message: `${total} rows exported`, resultType: CSV_TYPE };
};

/** The export jobs, one per entity type that has files. */
export const createCsvExports = (engine: Engine, refreshPrincipal: RefreshPrincipal): JobOperations => {
  const operation: JobOperation = {
    restart: 'restart',
    shortLivedResult: true,
    run: (work) => runCsvExport({ engine, refreshPrincipal, onUnexpected: () => {} }, work),
  };
  return Object.fromEntries(CSV_ENTITY_TYPES.map((type) => [type, operation]));
};

/** The interval at which an import reports its progress. */
const PROGRESS_INTERVAL_MS = 500;

/** Escaping as JSON text at most doubles the length of lines, apart from rare characters. */
const MAX_REPORT_PIECE = MAX_PIECE_CHARACTERS / 2;

/** Creates a writer that stores report lines as the middle part of the result, together with the progress. */
const createReportWriter = (work: JobWork) => {
  let held = '';
  let position = 0;
  let toldMs = performance.now();
  const keep = async (progress: number) => {
    const pieces = [...cutText(held, MAX_REPORT_PIECE)].map((text, at) => ({
      part: 'result2' as const,
      position: position + at,
      text: escapeForJsonString(text),
    }));
    position += pieces.length;
    held = '';
    toldMs = performance.now();
    await work.save({ pieces, progress });
  };
  return {
    tell: async (lines: string, progress: number) => {
      held += lines;
      if (held.length >= MAX_REPORT_PIECE) await keep(progress);
      else if (performance.now() - toldMs > PROGRESS_INTERVAL_MS) {
        toldMs = performance.now();
        await work.save({ progress });
      }
    },
    keep,
  };
};

const runCsvImport = async (deps: CsvOperationDeps, work: JobWork): Promise<OperationOutcome> => {
  const { engine, onUnexpected } = deps;
  const { dryRun, entityType, input } = work.job;
  const principal = await readCurrentPrincipal(deps, work);
  const record = await findFileTarget(engine, principal, fileTargetOf(work), ['EditAll']);
  const source = () => work.input();
  // The request that created the job has already surveyed the file.
  const layout = layoutsFor(entityType).find(({ name }) => name === input['layout']);
  if (!layout) throw new Error(`the entity type ${entityType} has no CSV layout ${input['layout']}`);
  const reportWriter = createReportWriter(work);
  let tally = NO_ROW_COUNTS;
  const request = { engine, principal, record, layout, source, isSafe: input['isSafe'] === true, dryRun, onUnexpected };
  for await (const progress of importCsvFile({ ...request, checkRunning: work.check })) {
    tally = progress.tally;
    await reportWriter.tell(progress.lines, tally.passed + tally.failed);
  }
  await reportWriter.keep(tally.passed + tally.failed);
  await work.save({
    pieces: [
      { part: 'result1', position: 0, text: openResult(dryRun, tally) },
      { part: 'result3', position: 0, text: RESULT_END },
    ],
  });
  return {
    message: `${tally.passed} of ${work.job.total} rows passed`,
    resultType: 'application/json',
    refusedRows: tally.forbidden,
  };
};

/** The import job. Applied rows stay applied, so an interrupted import is not restarted. */
export const createCsvImport = (
  engine: Engine,
  refreshPrincipal: RefreshPrincipal,
  onUnexpected: OnUnexpected,
): JobOperation => ({
  restart: 'fail',
  run: (work) => runCsvImport({ engine, refreshPrincipal, onUnexpected }, work),
});
