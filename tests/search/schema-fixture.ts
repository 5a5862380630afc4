import { ok } from '../support/expect.ts';
import { type Client, openService, type Service, uniqueName } from '../support/service.ts';

/** A schema of its own below which a suite builds and looks, with what it takes to do both. */
export type Corpus = {
  readonly service: Service;
  readonly admin: Client;
  /** The service that the schema lies in. */
  readonly root: string;
  readonly schema: string;
  /** Makes a table; what is left out is what matters least. */
  table(name: string, more?: object): Promise<Made>;
  /** A filter that keeps what lies in the schema. */
  readonly here: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of searches are looked at in many ways.
  search(q: string, more?: Query, client?: Client): Promise<any>;
};

/** The parameters of a request; one with several values is repeated. */
export type Query = Readonly<Record<string, string | readonly string[]>>;

export type Made = { readonly id: string; readonly name: string; readonly fullyQualifiedName: string };

// biome-ignore lint/suspicious/noExplicitAny: answers of searches are looked at in many ways.
export const namesIn = ({ hits }: any): string[] => hits.hits.map((hit: any) => hit._source.name);

export const queryAt = (path: string, parameters: Query): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) for (const one of [value].flat()) query.append(name, one);
  return `/v1/search/${path}?${query}`;
};

export const openCorpus = async (prefix: string, given?: Service): Promise<Corpus> => {
  const service = given ?? (await openService());
  const { admin } = service;
  const root = uniqueName(prefix);
  ok(await admin.post('/v1/services/databaseServices', { name: root, serviceType: 'Mysql' }), 201);
  ok(await admin.post('/v1/databases', { name: 'db', service: root }), 201);
  ok(await admin.post('/v1/databaseSchemas', { name: 'sc', database: `${root}.db` }), 201);
  const schema = `${root}.db.sc`;
  const here = JSON.stringify({ query: { term: { 'databaseSchema.fullyQualifiedName': schema } } });
  return {
    service,
    admin,
    root,
    schema,
    here,
    table: async (name, more = {}) =>
      ok(await admin.post('/v1/tables', { name, databaseSchema: schema, columns: [], ...more }), 201),
    search: async (q, more = {}, client = admin) =>
      ok(await client.get(queryAt('query', { q, query_filter: here, ...more }))),
  };
};
