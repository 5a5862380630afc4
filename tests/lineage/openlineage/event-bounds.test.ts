import * as assert from 'uvu/assert';
import { CatalogError } from '../../../src/errors.ts';
import { openLineageNameKey } from '../../../src/lineage/openlineage/event.ts';
import { createEventBounds } from '../../../src/lineage/openlineage/event-bounds.ts';
import { fieldMappingsTo } from '../../../src/lineage/openlineage/flows.ts';
import { parseOpenLineageEvent } from '../../../src/lineage/openlineage/parse-event.ts';
import type { Json } from '../../../src/model/json.ts';
import { suite } from '../../support/suite.ts';
import { countTextWork } from '../../support/text-work.ts';

/** Shows that the work for an event grows with its size, and what the events of one request may name together. */

const test = suite('lineage: OpenLineage bounds');

const job = { namespace: 'airflow', name: 'load' };
const dataset = (name: string, facets: object = {}) => ({ namespace: 'warehouse', name, facets });
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const schemaOf = (count: number, name = (at: number): string => `listed${at}`) => ({
  schema: { fields: times(count, (at) => ({ name: name(at) })) },
});

/** An output with many fields in its schema, and as many others that only its column lineage names. */
const wideEvent = (size: number): Json => {
  const origin = (at: number) => ({ ...dataset('source'), field: `from${at}.part` });
  const derived = times(size, (at) => [`named${at}`, { inputFields: [origin(at)] }] as const);
  const facets = { ...schemaOf(size), columnLineage: { fields: Object.fromEntries(derived) } };
  return { job, inputs: [dataset('source', schemaOf(size))], outputs: [dataset('target', facets)] } as unknown as Json;
};

test('the fields that lineage names are compared with those of the schema in linear work', async () => {
  const workOf = (size: number): Promise<number> => countTextWork(() => parseOpenLineageEvent(wideEvent(size)));
  const [few, many] = [await workOf(250), await workOf(1000)];
  assert.ok(many < few * 6, `${many} characters for four times as many fields as ${few}`);
});

test('the origins of an output are grouped by their dataset in one pass', () => {
  let read = 0;
  const origins = times(100, (at) => ({
    get namespace() {
      read += 1;
      return 'warehouse';
    },
    name: `source${at}`,
    field: 'a',
  }));
  const derived = times(20, (at) => ({ field: `f${at}`, origins }));
  const mappings = fieldMappingsTo({ derived });
  assert.is(mappings?.size, 100);
  assert.is(mappings?.get(openLineageNameKey({ namespace: 'warehouse', name: 'source7' }))?.length, 20);
  assert.is(read, 20 * 100);
});

const eventOf = (body: object) => parseOpenLineageEvent({ job, ...body } as unknown as Json);

const refusedFor = (message: RegExp) => (failure: unknown) =>
  failure instanceof CatalogError && failure.status === 413 && message.test(failure.message);

test('the events of a request together name so many datasets, and the same ones again and again', () => {
  const bounds = createEventBounds();
  const first = eventOf({ inputs: times(1000, (at) => dataset(`a${at}`)) });
  bounds.take(first);
  bounds.take(first);
  bounds.take(eventOf({ inputs: times(999, (at) => dataset(`b${at}`)) }));
  const tooMany = eventOf({ inputs: [dataset('c0'), dataset('c1')] });
  assert.throws(() => bounds.take(tooMany), refusedFor(/at most 2000 datasets/));
  bounds.take(eventOf({ inputs: [dataset('c0'), dataset('a1')] }));
  assert.throws(() => bounds.take(tooMany), refusedFor(/at most 2000 datasets/));
});

test('the events of a request together name so many fields, nested ones too', () => {
  const bounds = createEventBounds();
  const nested = { schema: { fields: [{ name: 'outer', fields: times(9999, (at) => ({ name: `i${at}` })) }] } };
  bounds.take(eventOf({ inputs: [dataset('a', nested)] }));
  bounds.take(eventOf({ inputs: [dataset('a', nested)] }));
  bounds.take(eventOf({ inputs: [dataset('b', schemaOf(9999))] }));
  assert.throws(() => bounds.take(eventOf({ inputs: [dataset('c', schemaOf(2))] })), refusedFor(/20000 fields/));
});

test('the pairs of a request are bounded, and the SQL that each edge keeps', () => {
  const bounds = createEventBounds();
  const pairs = () =>
    eventOf({ inputs: times(100, (at) => dataset(`a${at}`)), outputs: times(100, (at) => dataset(`b${at}`)) });
  for (let at = 0; at < 10; at += 1) bounds.take(pairs());
  assert.throws(() => bounds.take(eventOf({ inputs: [dataset('a')], outputs: [dataset('b')] })), refusedFor(/pairs/));
  const query = 'x'.repeat(1_000_000);
  const sql = { job: { ...job, facets: { sql: { query } } } };
  const long = eventOf({ ...sql, inputs: times(68, (at) => dataset(`a${at}`)), outputs: [dataset('b')] });
  assert.throws(() => createEventBounds().take(long), refusedFor(/characters of SQL/));
});

test.run();
