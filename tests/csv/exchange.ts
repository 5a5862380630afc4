import { parse } from 'csv-parse/sync';
import { ok } from '../support/expect.ts';
import type { Client, Reply } from '../support/service.ts';

/** Files as callers send and get them. */

export type Query = Readonly<Record<string, string>>;

const TYPE = { 'content-type': 'text/csv' };

/** Where the operations of a record are: `tables`, `services/databaseServices`, … */
export const fileAt = (collection: string, fqn: string, operation: string, query: Query = {}): string =>
  `/v1/${collection}/name/${encodeURIComponent(fqn)}/${operation}?${new URLSearchParams(query)}`;

/** The records of a file, header first. */
export const recordsIn = (text: string): string[][] =>
  parse(text, { relax_column_count: true, record_delimiter: ['\r\n', '\n'] });

export const exported = async (client: Client, collection: string, fqn: string, query: Query = {}): Promise<string> => {
  const reply = await client.get(fileAt(collection, fqn, 'export', query));
  ok(reply);
  return reply.text;
};

export const sent = (
  client: Client,
  collection: string,
  fqn: string,
  file: string | Uint8Array,
  query: Query = {},
  headers: Readonly<Record<string, string>> = TYPE,
): Promise<Reply> => client.raw('PUT', fileAt(collection, fqn, 'import', query), file, headers);

/** What became of a file, with its rows as `status|details`. */
export const imported = async (
  client: Client,
  collection: string,
  fqn: string,
  file: string | Uint8Array,
  query: Query = { dryRun: 'false' },
) => {
  const result = ok(await sent(client, collection, fqn, file, query));
  const records = recordsIn(result.importResultsCsv);
  return { result, records, rows: records.slice(1).map(([status, details]) => `${status}|${details}`) };
};

const quoted = (cell: string): string => (/[",\r\n]|^ | $/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** A file as a person would write it. */
export const fileOf = (records: readonly (readonly string[])[]): string =>
  records.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
