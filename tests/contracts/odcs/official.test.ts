import * as assert from 'node:assert/strict';
import { readOdcs } from '../../../src/contracts/odcs/texts/documents.ts';
import { writeYaml } from '../../../src/contracts/odcs/texts/yaml.ts';
import { exportAsVersion } from '../../../src/contracts/odcs/versions/convert.ts';
import { ODCS_VERSIONS } from '../../../src/contracts/odcs/versions/version.ts';
import { suite } from '../../support/suite.ts';
import { plain, refusal, sameJson } from './fixture.ts';
import { type Example, examples, missing, objections, WITH_SCHEMA, WITHOUT_SCHEMA } from './official.ts';

/** Shows that the official examples of ODCS are read and converted. */

const test = suite('contracts/odcs: official documents');

/** Excerpts, which were never documents; the rest is read. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  'v2.2.0/quality__': /^Invalid YAML content: line 1\d, column \d+: /,
  'v2.2.0/stakeholders__': /apiVersion: required field is missing$/,
  'v2.2.0/': /\$: expected object, got array$/,
  'v2.2.1/roles__': /apiVersion: required field is missing$/,
  'v2.2.1/sla__': /apiVersion: required field is missing$/,
  'v2.2.1/stakeholders__': /apiVersion: required field is missing$/,
  'v2.2.1/fundamentals__': /\$: expected object, got array$/,
  'v2.2.1/quality__': /\$: expected object, got array$/,
  'v2.2.1/schema__': /\$: expected object, got array$/,
};

const refusedAs = ({ release, name }: Example): RegExp | undefined =>
  Object.entries(REFUSED).find(([start]) => `${release}/${name}`.startsWith(start))?.[1];

const documents = missing ? [] : examples();

const each = (name: string, body: (example: Example) => void): void => {
  if (missing) test.skipped(name, missing);
  else
    test(name, () => {
      const read = documents.filter((example) => !refusedAs(example));
      assert.equal(read.length, 83);
      for (const example of read) {
        try {
          body(example);
        } catch (error) {
          throw new Error(`${example.release}/${example.name}`, { cause: error });
        }
      }
    });
};

if (missing) test.skipped('excerpts are refused', missing);
else
  test('excerpts are refused', () => {
    const refused = documents.filter(refusedAs);
    assert.equal(refused.length, 15);
    for (const example of refused) assert.match(refusal(example.text), refusedAs(example) ?? /never/);
  });

for (const version of missing ? [] : WITHOUT_SCHEMA) {
  test.skipped(`documents of ${version} are valid`, 'its official schema is not in ../shared/odcs');
}

each('every official document is parsed', ({ text }) => {
  assert.equal(readOdcs(text).document['apiVersion'], 'v3.2.0');
});

each('every official document is restored unchanged in its own version, also as YAML', ({ text }) => {
  const found = readOdcs(text);
  const { document, dropped } = exportAsVersion(found.document, found, found.version);
  sameJson(document, found.source);
  assert.deepEqual(dropped, []);
  const again = readOdcs(writeYaml(document));
  sameJson(again.source, found.source);
  sameJson(again.document, found.document);
});

each('a valid document is valid in every version', ({ text }) => {
  const found = readOdcs(text);
  if (WITH_SCHEMA.includes(found.version) && objections(found.source, found.version).length > 0) return;
  for (const version of WITH_SCHEMA) {
    const { document } = exportAsVersion(found.document, found, version);
    assert.deepEqual(objections(document, version), [], version);
  }
});

each('a converted document is converted again without a change', ({ text, release }) => {
  // Of the large document one copy is enough: it is the same in every release.
  if (text.length > 100_000 && release !== 'v3.1.0') return;
  const found = readOdcs(text);
  for (const version of ODCS_VERSIONS) {
    const { document } = exportAsVersion(found.document, found, version);
    const again = readOdcs(JSON.stringify(document));
    assert.equal(again.version, version);
    sameJson(exportAsVersion(again.document, again, version).document, document);
  }
});

if (missing) test.skipped('the largest official document is parsed', missing);
else
  test('the largest official document is parsed', () => {
    const largest = documents.reduce((a, b) => (a.text.length > b.text.length ? a : b));
    assert.ok(largest.text.length > 200_000);
    assert.equal(plain(readOdcs(largest.text).document).schema.length, 68);
  });

test.run();
