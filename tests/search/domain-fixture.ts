import { ok } from '../support/expect.ts';
import { type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { type Made, type Query, queryAt } from './schema-fixture.ts';

/** A domain of its own, in which a suite puts records of any kind and looks at nothing else. */
export type DomainFixture = {
  readonly service: Service;
  readonly admin: Client;
  readonly domain: string;
  /** The name of every service that is made here. */
  readonly root: string;
  /** A filter that keeps what lies in the domain. */
  readonly here: string;
  /** The same together with another condition. */
  hereAnd(clause: object): string;
  make(path: string, body: object): Promise<Made>;
  /** Makes a service, named after the root. */
  serve(path: string, serviceType: string, more?: object): Promise<Made>;
  /** Makes many records at once. */
  bulk(path: string, bodies: readonly object[]): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: answers of searches are looked at in many ways.
  search(parameters: Query, client?: Client): Promise<any>;
};

export const openDomainFixture = async (prefix: string, more: object = {}): Promise<DomainFixture> => {
  const service = await openService();
  const { admin } = service;
  const [domain, root] = [uniqueName(prefix), uniqueName(prefix)];
  const own = { name: domain, description: 'Ground of tests', domainType: 'Aggregate', ...more };
  ok(await admin.post('/v1/domains', own), 201);
  const isHere = { term: { 'domains.fullyQualifiedName': domain } };
  const here = JSON.stringify({ query: isHere });
  const make: DomainFixture['make'] = async (path, body) =>
    ok(await admin.post(`/v1/${path}`, { domains: [domain], ...body }), 201);
  return {
    service,
    admin,
    domain,
    root,
    here,
    hereAnd: (clause) => JSON.stringify({ query: { bool: { must: [isHere, clause] } } }),
    make,
    serve: (path, serviceType, body = {}) => make(`services/${path}`, { name: root, serviceType, ...body }),
    bulk: async (path, bodies) => {
      const rows = bodies.map((body) => ({ domains: [domain], ...body }));
      const { status, text } = await admin.put(`/v1/${path}/bulk`, rows);
      if (status !== 200 || !text.includes('"success"')) throw new Error(`${path}: ${status} ${text.slice(0, 500)}`);
    },
    search: async (parameters, client = admin) =>
      ok(await client.get(queryAt('query', { query_filter: here, ...parameters }))),
  };
};

export const label = (tagFQN: string) => ({ tagFQN, source: 'Classification' });

const asLetter = (digit: string): string => 'ghijklmnopqrstuv'[Number.parseInt(digit, 16)] ?? '';

/** A word that nobody else uses, of letters alone: where letters and digits meet a word has parts, which are found as well. */
export const ownWord = (): string => `w${[...uniqueName('').slice(1)].map(asLetter).join('')}`;
