import type { Engine } from '../catalog/engine.ts';
import { kindNamed } from '../catalog/registry.ts';
import { notFound } from '../errors.ts';
import { createSerial } from '../graph/serial.ts';
import { csvType, fileHeaders, PLAIN } from '../http/csv.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { PIECE_CHARACTERS } from '../jobs/pieces.ts';
import { CsvDocumentation, CsvImportResult } from '../model/csv-values.ts';
import { JobStart } from '../model/lineage-map-values.ts';
import { Text } from '../model/values.ts';
import { exportFile, findTarget, importFile, isReadOnce, type Piece, type Wonder } from './files.ts';
import { documentationOf, ENTITY_TYPES, layoutsFor } from './layout.ts';
import { DRY_RUN, isDryRunAsked, isSafeAsked, RECURSIVE, reachAsked, SAFE } from './parameters.ts';
import { insideText, NO_ROWS, RESULT_CLOSING, resultOpening } from './report.ts';
import { FILE_TYPES, MAX_FILE_BYTES, readFile } from './text/body.ts';
import { cutAndForget, lastSourceOf, sourceOf } from './text/source.ts';
import { surveyFile } from './text/survey.ts';

const VIEW_ALL: readonly string[] = ['ViewAll'];
const EDIT_ALL: readonly string[] = ['EditAll'];

/** How much of a file is sent at once to those who wait for it. */
const SENT_CHARACTERS = 32 * 1024;

type Room = { readonly engine: Engine; readonly wonder: Wonder };

const targetIn = (call: Call, entityType: string) => ({ entityType, fqn: call.params['fqn'] ?? '' });

async function* textsOf(pieces: AsyncIterable<Piece>): AsyncGenerator<string> {
  for await (const { text } of pieces) yield text;
}

const exportNow =
  ({ engine }: Room, entityType: string) =>
  async (call: Call): Promise<Answer> => {
    const { principal } = call;
    const isSafe = isSafeAsked(call);
    const reach = reachAsked(call, entityType);
    const record = await findTarget(engine, principal, targetIn(call, entityType), VIEW_ALL);
    return {
      status: 200,
      headers: { 'Content-Type': csvType(call), ...fileHeaders(record.name) },
      stream: textsOf(exportFile({ engine, principal, record, ...reach }, isSafe, SENT_CHARACTERS)),
    };
  };

const exportLater =
  ({ engine }: Room, entityType: string) =>
  async (call: Call): Promise<Answer> => {
    const { isWhole } = reachAsked(call, entityType);
    const isSafe = isSafeAsked(call);
    const record = await findTarget(engine, call.principal, targetIn(call, entityType), VIEW_ALL);
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

/** What a request sends and asks for, once it is known that there is nothing wrong with the file as a whole. */
const readRequest = async ({ engine }: Room, entityType: string, call: Call) => {
  const dryRun = isDryRunAsked(call);
  const isSafe = isSafeAsked(call);
  reachAsked(call, entityType);
  const pieces = await readFile(call, dryRun);
  const survey = await surveyFile(sourceOf(pieces), { among: layoutsFor(entityType), dryRun });
  const record = await findTarget(engine, call.principal, targetIn(call, entityType), EDIT_ALL);
  return { dryRun, isSafe, pieces, record, ...survey };
};

async function* resultText(opening: string, lines: readonly string[]): AsyncGenerator<string> {
  yield opening;
  yield* lines;
  yield RESULT_CLOSING;
}

/** Files for one record that come in at once take turns, as those do that jobs bring in. */
const importNow = ({ engine, wonder }: Room, entityType: string) => {
  const inTurn = createSerial();
  return async (call: Call): Promise<Answer> => {
    const { pieces, rows: _, ...asked } = await readRequest({ engine, wonder }, entityType, call);
    const { principal } = call;
    return inTurn(asked.record.fullyQualifiedName, async () => {
      const lines: string[] = [];
      let tally = NO_ROWS;
      const source = (isReadOnce(asked.layout) ? lastSourceOf : sourceOf)(pieces);
      const wish = { engine, principal, ...asked, source, check: () => {}, wonder };
      for await (const told of importFile(wish)) {
        tally = told.tally;
        lines.push(insideText(told.lines));
      }
      const audited = { refusedRows: tally.forbidden };
      return { status: 200, stream: resultText(resultOpening(asked.dryRun, tally), lines), audited };
    });
  };
};

const importLater =
  (room: Room, entityType: string) =>
  async (call: Call): Promise<Answer> => {
    const { pieces, record, layout, rows, dryRun, isSafe } = await readRequest(room, entityType, call);
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
    const { jobId } = await room.engine.jobs.submit(job, cutAndForget(pieces, PIECE_CHARACTERS));
    return { status: 200, json: { jobId, message: 'Import is in progress.' } };
  };

const body = { schema: Text, mediaTypes: FILE_TYPES, maxBytes: MAX_FILE_BYTES };

const fileRoutes = (room: Room, entityType: string, path: string): Route[] => {
  const kind = kindNamed(room.engine.registry, entityType);
  const base = `/v1/${path}/name/{fqn}`;
  const reading = { tag: kind.title, access: { operation: 'ViewAll', resource: entityType } } as const;
  const writing = { tag: kind.title, access: { operation: 'EditAll', resource: entityType } } as const;
  return [
    {
      ...reading,
      method: 'GET',
      path: `${base}/export`,
      summary: 'Export what lies in a record as CSV',
      query: [RECURSIVE, SAFE],
      responses: { 200: Text },
      answers: PLAIN,
      isHeavy: true,
      handle: exportNow(room, entityType),
    },
    {
      ...reading,
      method: 'GET',
      path: `${base}/exportAsync`,
      summary: 'Export what lies in a record as CSV, later',
      query: [RECURSIVE, SAFE],
      responses: { 202: JobStart },
      handle: exportLater(room, entityType),
    },
    {
      ...writing,
      method: 'PUT',
      path: `${base}/import`,
      summary: 'Judge or apply CSV of what lies in a record',
      query: [DRY_RUN, RECURSIVE, SAFE],
      body,
      responses: { 200: CsvImportResult },
      isHeavy: true,
      handle: importNow(room, entityType),
    },
    {
      ...writing,
      method: 'PUT',
      path: `${base}/importAsync`,
      summary: 'Judge or apply CSV of what lies in a record, later',
      query: [DRY_RUN, RECURSIVE, SAFE],
      body,
      responses: { 200: JobStart },
      handle: importLater(room, entityType),
    },
  ];
};

const explained = (call: Call, entityType: string): Answer => {
  if (!ENTITY_TYPES.includes(entityType)) throw notFound(`There are no files of ${entityType}`);
  return { status: 200, json: documentationOf(reachAsked(call, entityType).layout) };
};

const explaining = (tag: string, path: string, typeOf: (call: Call) => string): Route => ({
  tag,
  access: 'authenticated',
  method: 'GET',
  path,
  summary: 'Say what the columns of CSV files mean',
  query: [RECURSIVE],
  responses: { 200: CsvDocumentation },
  handle: async (call) => explained(call, typeOf(call)),
});

/** Files of tables, and of what lies below services, databases and schemas (csv.md 1). */
export const csvRoutes = (engine: Engine, wonder: Wonder): Route[] => {
  const room = { engine, wonder };
  const kinds = ENTITY_TYPES.map((type) => kindNamed(engine.registry, type));
  return [
    ...kinds.flatMap((kind) => [
      ...fileRoutes(room, kind.entityType, kind.path),
      explaining(kind.title, `/v1/${kind.path}/documentation/csv`, () => kind.entityType),
    ]),
    // A client that many people use knows services by this path.
    ...fileRoutes(room, 'databaseService', 'databaseServices'),
    explaining('Files', '/v1/csv/documentation/{entityType}', (call) => call.params['entityType'] ?? ''),
  ];
};
