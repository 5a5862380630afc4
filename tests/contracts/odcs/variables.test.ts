import * as assert from 'node:assert/strict';
import { readOdcs } from '../../../src/contracts/odcs/texts/documents.ts';
import { writeYaml } from '../../../src/contracts/odcs/texts/yaml.ts';
import { exportAsVersion } from '../../../src/contracts/odcs/versions/convert.ts';
import { ODCS_VERSIONS } from '../../../src/contracts/odcs/versions/version.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import { isArray, isObject } from '../../../src/model/json.ts';
import { suite } from '../../support/suite.ts';
import { moved, plain, read, root, sameJson } from './fixture.ts';

/** Shows that references to variables stay as they were written, wherever they stand. */

const test = suite('contracts/odcs: references to variables');

const TEXT = `apiVersion: v3.2.0
kind: DataContract
id: \${CONTRACT_ID}
name: \${TEAM:-sales}_orders
version: \${VERSION:-1.0.0}
status: \${STATUS:-active}
tenant: \${TENANT}
tags: ["\${TAG:-a b}", plain]
description: { purpose: "For \${ENVIRONMENT:-test: one}.", usage: "\${USAGE}" }
servers:
  - { server: "\${SERVER}", type: postgres, host: "\${DB_HOST:-db}.example", port: "\${DB_PORT:-5432}", database: "\${DB}", schema: "\${A}_\${B}" }
schema:
  - name: orders
    physicalName: \${PREFIX:-}orders
    properties:
      - { name: state, logicalType: string, description: "\${TEXT}", enum: [{ value: "\${FIRST:-new}" }] }
    quality: [{ type: sql, query: "select count(*) from \${table} where day > '\${DAY:-2026-01-01}'", mustBe: 0 }]
slaProperties: [{ property: latency, value: "\${HOURS:-4}", unit: h }]
customProperties: [{ property: path, value: { "\${KEY}": ["\${VAR}", "\${VAR:-x}", "$\${VAR}"] } }]
`;

const variablesIn = (value: Json): readonly string[] => {
  if (typeof value === 'string') return value.includes('${') ? [value] : [];
  if (isArray(value)) return value.flatMap(variablesIn);
  return isObject(value)
    ? Object.entries(value).flatMap(([name, inner]) => [...variablesIn(name), ...variablesIn(inner)])
    : [];
};

test('a document with variables everywhere is restored byte for byte', () => {
  const found = readOdcs(TEXT);
  assert.equal(variablesIn(found.source).length, 22);
  assert.deepEqual(variablesIn(found.document), variablesIn(found.source));
  const { document, dropped } = exportAsVersion(found.document, found, 'v3.2.0');
  sameJson(document, found.source);
  assert.deepEqual(dropped, []);
  sameJson(readOdcs(writeYaml(document)).source, found.source);
});

test('an edit beside variables leaves them alone', () => {
  const found = readOdcs(TEXT);
  const edited = plain(found.document);
  edited.servers[0].description = 'The main one.';
  edited.schema[0].properties.push({ name: 'added', logicalType: 'integer' });
  const { document } = exportAsVersion(edited, found, 'v3.2.0');
  assert.deepEqual(variablesIn(document), variablesIn(found.source));
});

test('variables get into every older version as far as it has a place for them', () => {
  const found = readOdcs(TEXT);
  const all = new Set(variablesIn(found.source));
  for (const version of ODCS_VERSIONS) {
    const { document } = exportAsVersion(found.document, found, version);
    for (const text of variablesIn(document)) assert.ok(all.has(text), `${version}: ${text}`);
    assert.ok(variablesIn(document).length >= 12, `${version}: ${variablesIn(document)}`);
  }
});

const PORT = ['$', '{DB_PORT}'].join('');

const server = (port: Json): JsonObject => ({ server: 's', type: 'mysql', host: 'h', port, database: 'd' });

test('a port may be text since 3.2.0, and a server of an older version does without', () => {
  for (const port of [PORT, '3306', 3306]) {
    const document = root('v3.2.0', { servers: [server(port)] });
    sameJson(moved(document, 'v3.2.0'), document);
  }
  const document = root('v3.2.0', { servers: [server(PORT)] });
  sameJson(moved(document, 'v3.1.0').servers, [{ server: 's', type: 'custom', host: 'h', database: 'd' }]);
  const found = read(document);
  assert.deepEqual(exportAsVersion(found.document, found, 'v3.1.0').dropped, ['servers[0].port']);
  sameJson(moved(root('v3.2.0', { servers: [server(3306)] }), 'v3.1.0').servers, [server(3306)]);
});

test.run();
