import { existsSync, readdirSync, readFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { readOdcs } from '../../../src/contracts/odcs/texts/documents.ts';
import { exportAsVersion, upgradeDocument } from '../../../src/contracts/odcs/versions/convert.ts';
import {
  equalJson,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
} from '../../../src/model/json.ts';
import { completeColumn, EmbeddedColumns } from '../../../src/model/schemas/columns/column.ts';
import { dropNulls, validate } from '../../../src/model/validate.ts';
import { expectLinearCalls } from '../../support/count-calls.ts';
import { importAndExport, longDocuments, longRules, wideTable } from '../../support/long-documents.ts';
import { type OdcsSample, odcsDocument } from '../../support/odcs-documents.ts';
import { exported, imported, ordersTable, tableOf, withProperties } from '../../support/odcs-mapping.ts';
import { suite } from '../../support/suite.ts';
import { missing, objections, WITH_SCHEMA } from './official.ts';

/** Shows that documents return unchanged from their contract. */

const test = suite('contracts/odcs: mapping and back');

const VERSIONS: readonly OdcsSample[] = ['v2.2.0', 'v2.2.1', 'v2.2.2', 'v3.0.0', 'v3.0.1', 'v3.0.2', 'v3.1.0'];

/** A record holds what it was given as JSON, under an object of its own. */
const stored = (contract: JsonObject): JsonObject => JSON.parse(JSON.stringify(contract)) as JsonObject;

/** Where two values differ first, for people. */
const difference = (one: Json | undefined, other: Json | undefined, path = ''): string => {
  if (equalJson(one, other)) return '';
  if (isObject(one) && isObject(other)) {
    const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
    const name = names.find((each) => !equalJson(one[each], other[each])) ?? '';
    return difference(one[name], other[name], `${path}.${name}`);
  }
  if (isArray(one) && isArray(other) && one.length === other.length) {
    const index = one.findIndex((item, place) => !equalJson(item, other[place]));
    return difference(one[index], other[index], `${path}[${index}]`);
  }
  return `${path}: ${JSON.stringify(one)} became ${JSON.stringify(other)}`;
};

const EXAMPLES = '../shared/odcs/examples';

const everyExample = (): readonly (readonly [string, string])[] =>
  VERSIONS.flatMap((version) =>
    readdirSync(`${EXAMPLES}/${version}`).map((file) => {
      const name = `${version}/${file}`;
      return [name, readFileSync(`${EXAMPLES}/${name}`, 'utf8')] as const;
    }),
  );

const readable = (text: string) => {
  try {
    return readOdcs(text);
  } catch {
    return undefined;
  }
};

if (existsSync(EXAMPLES)) {
  test('every official document is exported unchanged', () => {
    let count = 0;
    for (const [name, text] of everyExample()) {
      const read = readable(text);
      if (read === undefined) continue;
      count += 1;
      const target = tableOf('tbl', []);
      const { contract } = imported(read.document, { target, createTestCases: true });
      const again = exported(stored(contract), read.document, { target });
      assert.is(difference(read.document, again), '', name);
      assert.is(difference(read.source, exportAsVersion(again, read, read.version).document), '', name);
    }
    assert.ok(count > 60);
  });

  test('the largest official document is imported and exported', () => {
    const name = 'v3.1.0/all__postgresql-adventureworks-contract.odcs.yaml';
    const read = readOdcs(readFileSync(`${EXAMPLES}/${name}`, 'utf8'));
    const target = tableOf('salesorderheader', []);
    const { contract, objectName } = imported(read.document, { target });
    assert.is(objectName, 'salesorderheader');
    assert.is(difference(read.document, exported(stored(contract), read.document, { target })), '');
  });
} else {
  test.skipped('official documents', 'the folder shared/odcs is not beside this one');
}

const OWN = new URL('documents/', import.meta.url);

test('generated documents are exported unchanged, with the current values of their contracts', () => {
  const texts = readdirSync(OWN).map((name) => [name, readFileSync(new URL(name, OWN), 'utf8')] as const);
  assert.ok(texts.length >= VERSIONS.length);
  for (const [name, text] of texts) {
    const read = readOdcs(text);
    const { contract } = imported(read.document, { target: ordersTable });
    assert.is(difference(read.document, exported(stored(contract), read.document)), '', name);
    const changed = {
      ...stored(contract),
      description: 'Said anew.',
      entityStatus: 'Archived',
      sla: { retention: { period: 9, unit: 'year' } },
    };
    const again = exportAsVersion(exported(changed, read.document), read, read.version).document;
    const after = imported(upgradeDocument(again, read.version).document).contract;
    assert.is(after['description'], 'Said anew.', name);
    assert.is(after['entityStatus'], 'Deprecated', name);
    assert.equal((after['sla'] as JsonObject)['retention'], { period: 9, unit: 'year' }, name);
    assert.is(difference(contract['schema'] ?? [], after['schema'] ?? []), '', name);
    assert.is(difference(contract['odcsQualityRules'] ?? [], after['odcsQualityRules'] ?? []), '', name);
  }
});

const SEEDS = 15;

type Kind = 'valid' | 'strange';

const everySample = function* (kinds: readonly Kind[] = ['valid', 'strange']) {
  for (const version of VERSIONS) {
    for (const kind of kinds) {
      for (let seed = 1; seed <= SEEDS; seed += 1) yield { version, kind, seed, name: `${version} ${kind} ${seed}` };
    }
  }
};

const target = tableOf('orders_0', []);

test('a document of any version is exported unchanged', () => {
  for (const { version, kind, seed, name } of everySample()) {
    const source = upgradeDocument(odcsDocument(version, seed, kind), version).document;
    const made = imported(source, { target, createTestCases: seed % 2 === 0 });
    const again = exported(stored(made.contract), source, { target });
    assert.is(difference(source, again), '', name);
    const kept = { imported: made.contract, ...(made.objectName !== undefined && { objectName: made.objectName }) };
    assert.is(difference(source, exported(stored(made.contract), source, { target, ...kept })), '', name);
  }
});

test('a stored contract without null members exports the same document', () => {
  for (const { version, seed, name } of everySample(['strange'])) {
    const source = upgradeDocument(odcsDocument(version, seed, 'strange'), version).document;
    const record = dropNulls(stored(imported(source, { target }).contract)) as JsonObject;
    assert.is(difference(source, exported(record, source, { target })), '', name);
  }
});

const completed = ({ schema, ...contract }: JsonObject): JsonObject => ({
  ...contract,
  ...(schema !== undefined && { schema: (schema as readonly JsonObject[]).map(completeColumn) }),
});

test('a stored contract with default lengths of columns exports the same document', () => {
  for (const { version, kind, seed, name } of everySample()) {
    const source = upgradeDocument(odcsDocument(version, seed, kind), version).document;
    const record = completed(stored(imported(source, { target }).contract));
    assert.is(difference(source, exported(record, source, { target })), '', name);
  }
  const types = ['binary', 'bytes', 'char', 'string', 'array'];
  const source = withProperties(types.map((logicalType) => ({ name: logicalType, logicalType })));
  const record = completed(stored(imported(source).contract));
  assert.equal(exported(record, source), source);
});

test('imported columns are valid columns', () => {
  for (const { version, kind, seed, name } of everySample()) {
    const { contract } = imported(upgradeDocument(odcsDocument(version, seed, kind), version).document, { target });
    assert.not.throws(() => validate(EmbeddedColumns, contract['schema'] ?? []), name);
  }
});

const byText = (items: Json | undefined): Json =>
  isArray(items) ? [...items].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)) : [];

const withoutDisplay = (columns: Json | undefined): Json =>
  isArray(columns)
    ? columns.map((each) => {
        const { dataTypeDisplay: _display, children, ...column }: MutableJsonObject = { ...(each as JsonObject) };
        return { ...column, ...(children !== undefined && { children: withoutDisplay(children) }) };
      })
    : [];

/**
 * What of a contract must come back from a document that another contract was written into: spelling of types and the
 * order of policies are the document's.
 */
const essence = (contract: JsonObject): JsonObject => {
  const { schema, security, owners, reviewers, description, entityStatus, odcsQualityRules } = dropNulls(
    contract,
  ) as JsonObject;
  const policies = byText(isObject(security) ? security['policies'] : undefined);
  const status = entityStatus ?? '';
  return dropNulls({
    schema: withoutDisplay(schema),
    policies,
    owners: byText(owners),
    reviewers: byText(reviewers),
    description: description ?? '',
    status,
    odcsQualityRules: odcsQualityRules ?? [],
  }) as JsonObject;
};

test('a contract written into the document of another one is read back', () => {
  for (const { version, seed, name } of everySample(['valid'])) {
    const source = upgradeDocument(odcsDocument(version, seed, 'valid'), version).document;
    const other = upgradeDocument(odcsDocument(version, seed + 1000, 'valid'), version).document;
    const first = imported(source, { target });
    const wanted = imported(other, { target }).contract;
    const object = first.objectName === undefined ? {} : { objectName: first.objectName };
    const written = exported(stored(wanted), source, { target, ...object });
    const again = imported(written, { target, ...object }).contract;
    assert.is(difference(essence(wanted), essence(again)), '', name);
    for (const [level, value] of Object.entries((wanted['sla'] ?? {}) as JsonObject)) {
      if (level === 'columnName' || level === 'timezone') continue;
      assert.equal(((again['sla'] ?? {}) as JsonObject)[level], value, name);
    }
    for (const [property, value] of Object.entries((wanted['extension'] ?? {}) as JsonObject)) {
      assert.equal(((again['extension'] ?? {}) as JsonObject)[property], value, name);
    }
  }
});

test('a contract without a document is read back from its export', () => {
  for (const { version, seed, name } of everySample(['valid'])) {
    const wanted = imported(upgradeDocument(odcsDocument(version, seed, 'valid'), version).document, {
      target,
    }).contract;
    const again = imported(exported({ ...stored(wanted), id: 'i', version: 0.1 }, undefined, { target }), { target });
    assert.is(difference(essence(wanted), essence(again.contract)), '', name);
    assert.is(difference(wanted['extension'] ?? {}, again.contract['extension'] ?? {}), '', name);
  }
});

if (missing === undefined) {
  test('exports are valid by the official schemas', () => {
    for (const { version, seed, name } of everySample(['valid'])) {
      const source = odcsDocument(version, seed, 'valid');
      const read = upgradeDocument(source, version).document;
      const { contract } = imported(read, { target });
      const fresh = exported({ ...stored(contract), id: 'i', version: 0.1, createdAt: 1 }, undefined, { target });
      assert.equal(objections(exportAsVersion(fresh, undefined, 'v3.1.0').document, 'v3.1.0'), [], `${name}, fresh`);
      assert.equal(exportAsVersion(fresh, undefined, 'v3.1.0').dropped, [], name);
      const other = upgradeDocument(odcsDocument(version, seed + 1000, 'valid'), version).document;
      const written = exported(stored(imported(other, { target }).contract), read, { target });
      for (const asked of WITH_SCHEMA.filter((each) => each === version || each === 'v3.1.0')) {
        if (asked === version && objections(source, version).length > 0) continue;
        assert.equal(
          objections(exportAsVersion(written, { version, source }, asked).document, asked),
          [],
          `${name} as ${asked}`,
        );
      }
    }
  });
} else {
  test.skipped('official schemas', missing);
}

const ODD: readonly Json[] = [
  null,
  true,
  7,
  -1.5,
  '',
  'x',
  [],
  {},
  [null],
  [[]],
  [{}],
  { name: 7 },
  { name: 'a' },
  [7, 'x', { name: 'b' }],
];

/** A copy in which one value in twenty is something else. */
const spoilt = (value: Json, next: () => number): Json => {
  if (next() < 0.05) return ODD[Math.floor(next() * ODD.length)] ?? null;
  if (isArray(value)) return value.map((item) => spoilt(item, next));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, spoilt(inner, next)]));
};

/** The same numbers for the same seed. */
const numbers = (seed: number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
};

test('documents and contracts of any shape are mapped without a failure and never changed', () => {
  for (const { seed, name } of everySample(['strange'])) {
    const next = numbers(seed);
    const source = odcsDocument('v3.1.0', seed, 'strange');
    const odd = spoilt({ ...source, quality: [7, { metric: 'rowCount', mustBe: 1 }] }, next);
    if (!isObject(odd)) continue;
    const text = JSON.stringify(odd);
    const { contract } = imported({ ...odd, name: 'n' }, { target, createTestCases: true });
    assert.is(difference({ ...odd, name: 'n' }, exported(contract, { ...odd, name: 'n' }, { target })), '', name);
    const record = spoilt(contract, next);
    if (!isObject(record)) continue;
    exported(record, { ...odd, name: 'n' }, { target });
    exported(record, undefined, { target });
    assert.is(JSON.stringify(odd), text);
  }
});

for (const list of Object.keys(longDocuments(0))) {
  test(`work does not grow with the square of a document: ${list}`, () => {
    const prepare = (size: number) => ({ source: longDocuments(size)[list] ?? {}, target: wideTable(size) });
    expectLinearCalls(500, prepare, ({ source, target }) => importAndExport(source, target));
  });
}

test('work does not grow with the square of a contract without a document', () => {
  const prepare = (size: number) => ({ rules: longRules(size), target: wideTable(size) });
  expectLinearCalls(500, prepare, ({ rules, target }) => exported({ odcsQualityRules: rules }, undefined, { target }));
});

test.run();
