import type { Engine } from '../catalog/engine.ts';
import { requireKind } from '../catalog/registry.ts';
import { notFound } from '../errors.ts';
import { createKeyedQueue } from '../graph/keyed-queue.ts';
import { csvContentType, csvFileHeaders, PLAIN_TEXT_TYPE } from '../http/csv-writer.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { MAX_PIECE_CHARACTERS } from '../jobs/job-pieces.ts';
import { kindWords } from '../model/kind/kind-words.ts';
import { CsvDocumentation, CsvImportResult } from '../model/schemas/csv/csv-import.ts';
import { LineageJobStart } from '../model/schemas/lineage/lineage-map.ts';
import { Text } from '../model/values.ts';
import {
  exportCsvFile,
  type FilePiece,
  findFileTarget,
  importCsvFile,
  type OnUnexpected,
  readsRowsOnce,
} from './csv-files.ts';
import { escapeForJsonString, NO_ROW_COUNTS, openResult, RESULT_END } from './import-report.ts';
import { CSV_ENTITY_TYPES, describeLayout, layoutsFor } from './layout.ts';
import {
  DRY_RUN_PARAMETER,
  RECURSIVE_PARAMETER,
  readDryRunFlag,
  readExportScope,
  readSafeFlag,
  SAFE_CELLS_PARAMETER,
} from './parameters.ts';
import { CSV_FILE_TYPES, MAX_CSV_FILE_BYTES, readCsvFile } from './text/read-file.ts';
import { surveyFile } from './text/survey-file.ts';
import { createLastTextSource, createTextSource, cutPiecesAndRelease } from './text/text-source.ts';

const VIEW_ALL: readonly string[] = ['ViewAll'];
const EDIT_ALL: readonly string[] = ['EditAll'];

/** The size of the pieces in which a file is sent. */
const MAX_SENT_CHARACTERS = 32 * 1024;

type CsvRoutesDeps = { readonly engine: Engine; readonly onUnexpected: OnUnexpected };

const fileTargetParameter = (call: Call, entityType: string) => ({ entityType, fqn: call.params['fqn'] ?? '' });

async function* pieceTexts(pieces: AsyncIterable<FilePiece>): AsyncGenerator<string> {
  for await (const { text } of pieces) yield text;
}

const handleExport =
  ({ engine }: CsvRoutesDeps, entityType: string) =>
  async (call: Call): Promise<Answer> => {
    const { principal } = call;
    const isSafe = readSafeFlag(call);
    const reach = readExportScope(call, entityType);
    const record = await findFileTarget(engine, principal, fileTargetParameter(call, entityType), VIEW_ALL);
    return {
      status: 200,
      headers: { 'Content-Type': csvContentType(call), ...csvFileHeaders(record.name) },
      stream: pieceTexts(exportCsvFile({ engine, principal, record, ...reach }, isSafe, MAX_SENT_CHARACTERS)),
    };
  };

const handleExportAsync =
  ({ engine }: CsvRoutesDeps, entityType: string) =>
  async (call: Call): Promise<Answer> => {
    const { isWhole } = readExportScope(call, entityType);
    const isSafe = readSafeFlag(call);
    const record = await findFileTarget(engine, call.principal, fileTargetParameter(call, entityType), VIEW_ALL);
    const { jobId } = await engine.jobs.submit({
      operation: 'EXPORT',
      entityType,
      targetFqn: record.fullyQualifiedName,
      actor: call.principal,
      recursive: isWhole,
      input: { query: call.query.toString(), isSafe },
    });
    return { status: 202, json: { jobId, message: 'Export initiated successfully.' } };
  };

/**
 * Reads an import request and surveys its file. Throws when the file as a whole is invalid, but only to whom may write it
 * at all, because long files are work.
 */
const readImportRequest = async ({ engine }: CsvRoutesDeps, entityType: string, call: Call) => {
  const dryRun = readDryRunFlag(call);
  const isSafe = readSafeFlag(call);
  readExportScope(call, entityType);
  const record = await findFileTarget(engine, call.principal, fileTargetParameter(call, entityType), EDIT_ALL);
  const pieces = await readCsvFile(call, dryRun);
  const survey = await surveyFile(createTextSource(pieces), { among: layoutsFor(entityType), dryRun });
  return { dryRun, isSafe, pieces, record, ...survey };
};

async function* streamResult(opening: string, lines: readonly string[]): AsyncGenerator<string> {
  yield opening;
  yield* lines;
  yield RESULT_END;
}

/** Creates the import handler. Imports for one record run in sequence, as import jobs do. */
const createImportHandler = ({ engine, onUnexpected }: CsvRoutesDeps, entityType: string) => {
  const inTurn = createKeyedQueue();
  return async (call: Call): Promise<Answer> => {
    const { pieces, rows: _, ...request } = await readImportRequest({ engine, onUnexpected }, entityType, call);
    const { principal } = call;
    return inTurn(request.record.fullyQualifiedName, async () => {
      const lines: string[] = [];
      let tally = NO_ROW_COUNTS;
      const source = (readsRowsOnce(request.layout) ? createLastTextSource : createTextSource)(pieces);
      const importRequest = { engine, principal, ...request, source, checkRunning: () => {}, onUnexpected };
      for await (const progress of importCsvFile(importRequest)) {
        tally = progress.tally;
        lines.push(escapeForJsonString(progress.lines));
      }
      const audited = { refusedRows: tally.forbidden };
      return { status: 200, stream: streamResult(openResult(request.dryRun, tally), lines), audited };
    });
  };
};

const handleImportAsync =
  (room: CsvRoutesDeps, entityType: string) =>
  async (call: Call): Promise<Answer> => {
    const { pieces, record, layout, rows, dryRun, isSafe } = await readImportRequest(room, entityType, call);
    const job = {
      operation: 'IMPORT',
      entityType,
      targetFqn: record.fullyQualifiedName,
      actor: call.principal,
      dryRun,
      recursive: layout.name === 'recursive',
      total: rows,
      input: { isSafe, layout: layout.name },
      exclusive: `IMPORT ${record.fullyQualifiedName}`,
    };
    const { jobId } = await room.engine.jobs.submit(job, cutPiecesAndRelease(pieces, MAX_PIECE_CHARACTERS));
    return { status: 200, json: { jobId, message: 'Import is in progress.' } };
  };

const FILE_BODY = { schema: Text, mediaTypes: CSV_FILE_TYPES, maxBytes: MAX_CSV_FILE_BYTES };

const declareFileRoutes = (deps: CsvRoutesDeps, entityType: string, path: string, as = ''): Route[] => {
  const kind = requireKind(deps.engine.registry, entityType);
  const base = `/v1/${path}/name/{fqn}`;
  const contents = `${entityType === 'table' ? 'the columns' : 'the contents'} of ${kindWords(kind).a}`;
  const reading = { tag: kind.title, access: { operation: 'ViewAll', resource: entityType } } as const;
  const writing = { tag: kind.title, access: { operation: 'EditAll', resource: entityType } } as const;
  return [
    {
      ...reading,
      method: 'GET',
      path: `${base}/export`,
      summary: `Export ${contents} as CSV${as}`,
      query: [RECURSIVE_PARAMETER, SAFE_CELLS_PARAMETER],
      responses: { 200: Text },
      answers: PLAIN_TEXT_TYPE,
      sends: ['Content-Disposition'],
      isHeavy: true,
      handle: handleExport(deps, entityType),
    },
    {
      ...reading,
      method: 'GET',
      path: `${base}/exportAsync`,
      summary: `Export ${contents} as CSV asynchronously${as}`,
      query: [RECURSIVE_PARAMETER, SAFE_CELLS_PARAMETER],
      responses: { 202: LineageJobStart },
      handle: handleExportAsync(deps, entityType),
    },
    {
      ...writing,
      method: 'PUT',
      path: `${base}/import`,
      summary: `Import ${contents} from CSV${as}`,
      query: [DRY_RUN_PARAMETER, RECURSIVE_PARAMETER, SAFE_CELLS_PARAMETER],
      body: FILE_BODY,
      responses: { 200: CsvImportResult },
      refusalResult: CsvImportResult,
      isHeavy: true,
      handle: createImportHandler(deps, entityType),
    },
    {
      ...writing,
      method: 'PUT',
      path: `${base}/importAsync`,
      summary: `Import ${contents} from CSV asynchronously${as}`,
      query: [DRY_RUN_PARAMETER, RECURSIVE_PARAMETER, SAFE_CELLS_PARAMETER],
      body: FILE_BODY,
      responses: { 200: LineageJobStart },
      fails: [429],
      handle: handleImportAsync(deps, entityType),
    },
  ];
};

const answerDocumentation = (call: Call, entityType: string): Answer => {
  if (!CSV_ENTITY_TYPES.includes(entityType)) throw notFound(`The entity type ${entityType} has no CSV files`);
  return { status: 200, json: describeLayout(readExportScope(call, entityType).layout) };
};

const documentationRoute = (tag: string, path: string, of: string, typeOf: (call: Call) => string): Route => ({
  tag,
  access: 'authenticated',
  method: 'GET',
  path,
  summary: `Get the documentation of the CSV columns of ${of}`,
  query: [RECURSIVE_PARAMETER],
  responses: { 200: CsvDocumentation },
  handle: async (call) => answerDocumentation(call, typeOf(call)),
});

/**
 * Routes that export and import CSV files of tables and of the contents of services, databases and schemas (csv.md
 * 1). Read layout.ts for the layouts, then row-reader.ts for one row; text/ parses files, cells/ converts cells, and
 * table/ and hierarchy/ apply rows. operations.ts runs the same work as jobs.
 */
export const csvRoutes = (engine: Engine, onUnexpected: OnUnexpected): Route[] => {
  const deps = { engine, onUnexpected };
  const kinds = CSV_ENTITY_TYPES.map((type) => requireKind(engine.registry, type));
  return [
    ...kinds.flatMap((kind) => [
      ...declareFileRoutes(deps, kind.entityType, kind.path),
      documentationRoute(kind.title, `/v1/${kind.path}/documentation/csv`, kindWords(kind).many, () => kind.entityType),
    ]),
    // A widely used client calls services by this path.
    ...declareFileRoutes(deps, 'databaseService', 'databaseServices', ', for older clients'),
    documentationRoute(
      'Files',
      '/v1/csv/documentation/{entityType}',
      'an entity type',
      (call) => call.params['entityType'] ?? '',
    ),
  ];
};
