import { CsvError } from 'csv-parse';
import { readCsvRecords } from '../../csv/text/read-rows.ts';
import { createLastTextSource } from '../../csv/text/text-source.ts';
import { badRequest } from '../../errors.ts';
import { findJsonSyntaxError } from '../../http/json-syntax-error.ts';
import { MOMENT_FAULT, momentOf } from '../../http/query-parameters.ts';
import type { Call } from '../../http/route.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { LoggedSql, MAX_LOGGED_STATEMENTS, SqlLog, SqlPlace } from '../../model/schemas/insight/sql.ts';
import { dropNulls, validate } from '../../model/validate.ts';
import type { LoggedStatement } from './statement-groups.ts';

/** Reads a script or a query log from a request: JSON, JSON lines or CSV. */

export const CSV_LOG = 'text/csv';
export const LINES_LOG = 'application/x-ndjson';

/** What a request is about, and its statements or scripts in order. */
export type SqlLogRequest = {
  readonly service: string;
  readonly database?: string;
  readonly schema?: string;
  readonly dialect?: string;
  readonly statements: readonly LoggedStatement[];
};

type RawStatement = Omit<LoggedStatement, 'at' | 'count'> & { readonly at?: number | string; readonly count?: number };

const toLogged = ({ at, count = 1, sql, user }: RawStatement, place: string): LoggedStatement => {
  const moment = typeof at === 'string' ? momentOf(at) : at;
  if (at !== undefined && moment === undefined) throw badRequest(`[${place}.at ${MOMENT_FAULT}]`);
  return { sql, count, ...(user === undefined ? {} : { user }), ...(moment === undefined ? {} : { at: moment }) };
};

const parseRow = (row: Json, place: string): LoggedStatement =>
  toLogged(validate(LoggedSql, dropNulls(row), place) as unknown as RawStatement, place);

const tooManyStatements = () => badRequest(`[statements must have at most ${MAX_LOGGED_STATEMENTS} items]`);

const readLines = (text: string): readonly LoggedStatement[] => {
  const statements: LoggedStatement[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const place = `line ${at + 1}`;
    if (statements.length === MAX_LOGGED_STATEMENTS) throw tooManyStatements();
    statements.push(parseRow(parseLine(line, place), place));
  }
  return statements;
};

const parseLine = (line: string, place: string): Json => {
  let row: unknown;
  try {
    row = JSON.parse(line);
  } catch {
    throw badRequest(`[${place} must be JSON; it is not at position ${findJsonSyntaxError(line) ?? line.length}]`);
  }
  if (!isObject(row as Json)) throw badRequest(`[${place} must be an object]`);
  return row as JsonObject;
};

const LOG_COLUMNS = ['sql', 'at', 'user', 'count', 'durationMs'];
const NUMBER_COLUMNS: ReadonlySet<string> = new Set(['count', 'durationMs']);

const readHeader = (header: readonly string[]): readonly string[] => {
  const names = header.map((name) => name.trim().replace(/^\ufeff/, ''));
  const unknown = names.find((name) => !LOG_COLUMNS.includes(name));
  if (unknown !== undefined)
    throw badRequest(`[line 1 has the column ${unknown.slice(0, 100)}; columns are ${LOG_COLUMNS.join(', ')}]`);
  if (!names.includes('sql')) throw badRequest('[line 1 must have the column sql]');
  if (new Set(names).size < names.length) throw badRequest('[line 1 has a column twice]');
  return names;
};

/** Database programs write a space between the date and the time. */
const DATE_SPACE = /^(\d{4}-\d{2}-\d{2}) (?=\d)/;

const cellValue = (name: string, cell: string): Json => {
  if (NUMBER_COLUMNS.has(name)) return /^\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell;
  return name === 'at' ? cell.replace(DATE_SPACE, '$1T') : cell;
};

const toRow = (names: readonly string[], cells: readonly string[]): JsonObject =>
  Object.fromEntries(
    names.flatMap((name, at) => {
      const cell = cells[at] ?? '';
      return cell === '' ? [] : [[name, cellValue(name, cell)]];
    }),
  );

const readCsvLog = async (pieces: string[]): Promise<readonly LoggedStatement[]> => {
  const statements: LoggedStatement[] = [];
  let names: readonly string[] | undefined;
  for await (const records of readCsvRecords(createLastTextSource(pieces))) {
    for (const record of records) {
      if (!names) {
        names = readHeader(record);
        continue;
      }
      const place = `row ${statements.length + 1}`;
      if (record.length > names.length) throw badRequest(`[${place} has more cells than the header]`);
      if (statements.length === MAX_LOGGED_STATEMENTS) throw tooManyStatements();
      statements.push(parseRow(toRow(names, record), place));
    }
  }
  if (!names) throw badRequest('[body must not be null]');
  return statements;
};

const wordCsvError = (failure: unknown): never => {
  if (!(failure instanceof CsvError)) throw failure;
  const { lines } = failure;
  throw badRequest(`[body must be CSV${typeof lines === 'number' ? `; it is not in line ${lines}` : ''}]`);
};

const mediaTypeOf = (call: Call): string => call.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';

const PLACE_PARAMETERS = ['service', 'database', 'schema', 'dialect'] as const;

const placeParameters = ({ query }: Call): JsonObject =>
  Object.fromEntries(
    PLACE_PARAMETERS.flatMap((name) => {
      const value = query.get(name);
      return value ? [[name, value]] : [];
    }),
  );

const readJsonLog = async (call: Call): Promise<SqlLogRequest> => {
  const body = await call.body.json();
  if (!isObject(body as Json)) throw badRequest('[body must be an object]');
  const { statements, text, ...place } = validate(SqlLog, {
    ...placeParameters(call),
    ...(dropNulls(body as Json) as JsonObject),
  }) as unknown as Omit<SqlLogRequest, 'statements'> & { statements?: readonly RawStatement[]; text?: string };
  if ((statements === undefined) === (text === undefined))
    throw badRequest('[body must have either statements or text]');
  const rows = statements ?? [{ sql: text ?? '' }];
  return { ...place, statements: rows.map((row, at) => toLogged(row, `statements.${at}`)) };
};

export const readSqlLog = async (call: Call): Promise<SqlLogRequest> => {
  const type = mediaTypeOf(call);
  if (type !== CSV_LOG && type !== LINES_LOG) return readJsonLog(call);
  const place = validate(SqlPlace, placeParameters(call)) as unknown as Omit<SqlLogRequest, 'statements'>;
  const statements =
    type === LINES_LOG
      ? readLines(await call.body.text())
      : await readCsvLog(await call.body.pieces()).catch(wordCsvError);
  return { ...place, statements };
};
