import * as assert from 'uvu/assert';
import { CatalogError } from '../../../src/errors.ts';
import { parseOpenLineageEvent } from '../../../src/lineage/openlineage/parse-event.ts';
import type { Json } from '../../../src/model/json.ts';
import { suite } from '../../support/suite.ts';

/** Shows what feeds what by an event: as it says itself, by the columns of its outputs, or by all that its job reads. */

const test = suite('lineage: OpenLineage flows');

const job = { namespace: 'etl', name: 'bulk' };
const named = (name: string, facets?: object) => ({ namespace: 'db', name, ...(facets ? { facets } : {}) });
const dataset = (name: string, more: object = {}) => ({ namespace: 'db', name, type: 'DATASET', ...more });
const otherJob = (name: string, more: object = {}) => ({ namespace: 'etl', name, type: 'JOB', ...more });

type Parts = {
  readonly inputs?: readonly object[];
  readonly outputs?: readonly object[];
  readonly entries?: readonly object[];
  readonly eventType?: string;
};

const parse = ({ inputs = [], outputs = [], entries, eventType }: Parts) =>
  parseOpenLineageEvent({
    ...(eventType ? { eventType } : {}),
    job: { ...job, ...(entries ? { facets: { lineage: { entries } } } : {}) },
    ...{ inputs, outputs },
  } as unknown as Json);

const told = ({ flows }: ReturnType<typeof parse>): readonly string[] =>
  flows.map(({ from, to, mappings }) => {
    const columns = mappings?.map((one) => `${one.from.join('+')}→${one.to}${one.how ? ` (${one.how})` : ''}`);
    const name = (end: typeof from) => (end.is === 'job' ? `job ${end.name}` : end.name);
    return `${name(from)} → ${name(to)}${columns ? ` [${columns.join(', ')}]` : ''}`;
  });

const columnLineage = (from: string, field: string, to: string) => ({
  columnLineage: { fields: { [to]: { inputFields: [{ namespace: 'db', name: from, field }] } } },
});

test('a lineage facet is all that an event says of what feeds what', () => {
  const event = parse({
    inputs: [named('a'), named('b')],
    outputs: [named('c', columnLineage('b', 'x', 'y')), named('d')],
    entries: [dataset('c', { inputs: [dataset('a')] }), dataset('d', { inputs: [dataset('b')] })],
  });
  assert.equal(told(event), ['a → c', 'b → d'], 'neither every input to every output, nor by the column facet');
});

test('fields of a lineage facet tell columns, and their datasets feed the target as well', () => {
  const event = parse({
    entries: [
      dataset('x', {
        inputs: [dataset('a', { field: 'grouped', transformations: [{ type: 'INDIRECT', subtype: 'GROUP_BY' }] })],
        fields: {
          one: {
            inputs: [
              dataset('a', { field: 'p', transformations: [{ type: 'DIRECT', description: 'sum(p)' }] }),
              dataset('a', { field: 'q' }),
            ],
          },
          two: { inputs: [dataset('b')] },
          three: { inputs: [{ type: 'JOB', transformations: [{ type: 'DIRECT' }] }] },
        },
      }),
    ],
  });
  assert.equal(told(event), ['a → x [p+q→one (sum(p))]', 'b → x []']);
  assert.equal(
    event.datasets.map(({ name, fields = [] }) => [name, fields.map((field) => field.name)]),
    [
      ['a', ['p', 'q']],
      ['x', ['one', 'two', 'three']],
      ['b', []],
    ],
    'what only lineage names are datasets with the fields that it names',
  );
});

test('an empty list of inputs says that nothing feeds the target, and an empty facet that nothing feeds anything', () => {
  const both = { inputs: [named('a')], outputs: [named('c')] };
  assert.equal(told(parse({ ...both, entries: [dataset('c', { inputs: [] })] })), []);
  assert.equal(told(parse({ ...both, entries: [] })), []);
  assert.equal(told(parse(both)), ['a → c']);
});

test('jobs hand on data to jobs and datasets; the job of the event is no end of an edge', () => {
  const event = parse({
    inputs: [named('a')],
    entries: [
      otherJob('second', { inputs: [otherJob('first'), dataset('a')] }),
      dataset('x', { inputs: [otherJob('second')] }),
      { type: 'JOB', inputs: [dataset('a', { transformations: [{ type: 'INDIRECT', subtype: 'FILTER' }] })] },
    ],
  });
  assert.equal(told(event), ['job first → job second', 'a → job second', 'job second → x']);
});

test('what several entries say of one target is taken together', () => {
  const fields = (to: string, from: string) => ({ fields: { [to]: { inputs: [dataset('a', { field: from })] } } });
  const event = parse({ entries: [dataset('x', fields('p', 'q')), dataset('x', fields('r', 's'))] });
  assert.equal(told(event), ['a → x [q→p, s→r]']);
  const twice = {
    fields: { p: { inputs: [dataset('a', { field: 'q' })] }, r: { inputs: [dataset('a', { field: 's' })] } },
  };
  assert.equal(told(parse({ entries: [dataset('x', fields('t', 'u')), dataset('x', twice)] })), [
    'a → x [u→t, q→p, s→r]',
  ]);
  assert.equal(told(parse({ entries: [otherJob('j', fields('p', 'q'))] })), ['a → job j'], 'jobs have no fields');
  const later = parse({ entries: [dataset('x', fields('p', 'q')), dataset('x', { inputs: [dataset('a')] })] });
  assert.equal(told(later), ['a → x [q→p]'], 'who says nothing of columns takes none away');
});

test('a dataset tells by itself from what it is derived', () => {
  const {
    flows,
    outputs,
    job: none,
  } = parseOpenLineageEvent({
    dataset: named('view', { lineage: { inputs: [dataset('a'), dataset('b')] } }),
  } as unknown as Json);
  assert.equal(
    flows.map(({ from, to }) => [from.name, to.name]),
    [
      ['a', 'view'],
      ['b', 'view'],
    ],
  );
  assert.equal([outputs.map(({ name }) => name), none], [['view'], undefined]);
});

test('without a lineage facet, several outputs are told apart by their columns, and one is fed by all that is read', () => {
  const inputs = [named('a'), named('b')];
  const c = named('c', columnLineage('a', 'p', 'q'));
  assert.equal(told(parse({ inputs, outputs: [c, named('d')] })), ['a → c [p→q]', 'a → d', 'b → d']);
  assert.equal(told(parse({ inputs, outputs: [c] })), ['a → c [p→q]', 'b → c []']);
  const empty = named('e', { columnLineage: { fields: {} } });
  assert.equal(told(parse({ inputs, outputs: [c, empty] })), ['a → c [p→q]', 'a → e []', 'b → e []']);
});

test('a run that only starts or fails moves nothing, whatever its facet declares', () => {
  const entries = [dataset('c', { inputs: [dataset('a')] })];
  for (const eventType of ['START', 'FAIL', 'ABORT']) assert.equal(told(parse({ eventType, entries })), []);
  assert.equal(told(parse({ eventType: 'RUNNING', entries })), ['a → c']);
});

const refused = (entries: unknown, message: RegExp) =>
  assert.throws(
    () => parse({ entries: entries as readonly object[] }),
    (failure: unknown) => failure instanceof CatalogError && failure.status === 400 && message.test(failure.message),
  );

test('lineage that names half of a dataset or of a job is refused, and so are too many edges', () => {
  refused([{ type: 'DATASET', name: 'x', inputs: [] }], /a namespace or a name alone/);
  refused([dataset('x', { inputs: [{ type: 'JOB', name: 'j' }] })], /a namespace or a name alone/);
  refused([{ type: 'DATASET', inputs: [] }], /a dataset without them/);
  refused([{ namespace: 'db', name: 'x', type: 'TABLE' }], /lineage\.entries\.0\.type/);
  refused([dataset('x', { inputs: [{ type: 'DATASET', namespace: '', name: 'a' }] })], /namespace must not be empty/);
  refused({}, /entries must be a list/);
  const many = Array.from({ length: 101 }, (_, at) =>
    dataset(`x${at}`, { inputs: Array.from({ length: 100 }, (_one, of) => dataset(`a${of}`)) }),
  );
  refused(many, /at most 10000 edges/);
  assert.is(parse({ entries: many.slice(0, 100) }).flows.length, 10_000);
});

test.run();
