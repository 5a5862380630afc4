import { parse } from 'yaml';
import type { JsonObject } from '../../src/model/json.ts';
import { ok } from './expect.ts';
import type { Client, Reply, Service } from './service.ts';

/** Helpers for tests that import and export data contracts as ODCS. */

export const CONTRACTS = '/v1/dataContracts';

type Query = Readonly<Record<string, string>>;

type About = { readonly id: string };

/** What a document of the standard says at least, in lines of YAML that more can be added to. */
export const odcsRoot = (more = '', { id = 'x', status = 'active' } = {}): string =>
  `apiVersion: v3.1.0\nkind: DataContract\nid: ${id}\nversion: 1.0.0\nstatus: ${status}\n${more}`;

/** The same as JSON. */
export const odcsJson = (more: JsonObject = {}): JsonObject => ({ ...parse(odcsRoot()), ...more });

/** The path of an operation about a record, which is a table unless it says what it is. */
export const odcsPath = ({ id }: About, query: Query = {}, path = '/odcs/yaml'): string =>
  `${CONTRACTS}${path}?${new URLSearchParams({ entityId: id, entityType: 'table', ...query })}`;

/** Documents of the standard in and out, for the tests of contracts. */
export type OdcsExchange = {
  send(method: string, path: string, text: string, type?: string, by?: Client): Promise<Reply>;
  // biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it.
  imported(record: About, document: string | JsonObject, query?: Query): Promise<any>;
  /** PUT, which answers 200 or 201. */
  // biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it.
  put(record: About, document: string | JsonObject, query?: Query): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it.
  exported(contract: About, query?: Query): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it.
  validated(record: About, document: string | JsonObject, query?: Query): Promise<any>;
};

const textOf = (document: string | JsonObject): string =>
  typeof document === 'string' ? document : JSON.stringify(document);

export const createOdcsExchange = (service: Service): OdcsExchange => {
  const send: OdcsExchange['send'] = (method, path, text, type = 'application/yaml', by = service.admin) =>
    by.raw(method, path, text, { 'content-type': type });
  return {
    send,
    imported: async (record, document, query) => ok(await send('POST', odcsPath(record, query), textOf(document)), 201),
    put: async (record, document, query) => {
      const reply = await send('PUT', odcsPath(record, query), textOf(document));
      return ok(reply, reply.status === 201 ? 201 : 200);
    },
    exported: async ({ id }, query = {}) =>
      ok(await service.admin.get(`${CONTRACTS}/${id}/odcs?${new URLSearchParams(query)}`)),
    validated: async (record, document, query) =>
      ok(await send('POST', odcsPath(record, query, '/odcs/validate/yaml'), textOf(document))),
  };
};
