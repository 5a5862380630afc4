import * as assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { type OdcsDocument, readOdcs } from '../../../src/contracts/odcs/texts/documents.ts';
import { writeYaml } from '../../../src/contracts/odcs/texts/yaml.ts';
import { downgradeDocument, exportAsVersion, upgradeDocument } from '../../../src/contracts/odcs/versions/convert.ts';
import { isVersionAtLeast, ODCS_VERSIONS, type OdcsVersion } from '../../../src/contracts/odcs/versions/version.ts';
import { CatalogError } from '../../../src/errors.ts';
import { equalJson, type JsonObject } from '../../../src/model/json.ts';
import { edited, odcsDocument, spoiled } from '../../support/odcs-documents.ts';
import { manyOr } from '../../support/representatives.ts';
import { suite } from '../../support/suite.ts';
import { plain, sameJson } from './fixture.ts';
import { missing, objections, WITH_SCHEMA } from './official.ts';

/** Shows that documents of every version survive conversion to 3.2.0 and back. */

const test = suite('contracts/odcs: conversion and back');

const SEEDS = Array.from({ length: manyOr(15, 40) }, (_, index) => index + 1);
const FOLDER = new URL('documents/', import.meta.url);

const own = readdirSync(FOLDER).map((name) => ({ name, text: readFileSync(new URL(name, FOLDER), 'utf8') }));
const isValid = (name: string): boolean => !name.startsWith('strange-');

/** Runs the body for documents made by chance, and says which one it was that failed. */
const made = (
  kind: 'valid' | 'strange',
  body: (document: JsonObject, version: OdcsVersion, seed: number) => void,
): void => {
  for (const version of ODCS_VERSIONS) {
    for (const seed of SEEDS) {
      try {
        body(odcsDocument(version, seed, kind), version, seed);
      } catch (error) {
        throw new Error(`${kind} ${version}, seed ${seed}`, { cause: error });
      }
    }
  }
};

test('there is a sample document of every version', () => {
  const versions = own.filter(({ name }) => isValid(name)).map(({ text }) => readOdcs(text).version);
  assert.deepEqual(versions.sort(), [...ODCS_VERSIONS].sort());
});

test('a document is restored unchanged in its own version', () => {
  for (const { text, name } of own) {
    const found = readOdcs(text);
    const { document } = exportAsVersion(found.document, found, found.version);
    const declared = name === 'strange-v3.0.2.odcs.yaml' ? { apiVersion: 'v3.0.2' } : {};
    sameJson(document, { ...found.source, ...declared }, name);
    sameJson(readOdcs(writeYaml(document)).source, document, name);
  }
});

test('random documents return unchanged', () => {
  made('valid', (document, version) => {
    const found = readOdcs(writeYaml(document));
    sameJson(found.source, document);
    sameJson(exportAsVersion(found.document, found, version).document, document);
  });
});

test('strange random documents return unchanged, except for what the standard forbids since 3.1.0', () => {
  let repaired = 0;
  made('strange', (document, version) => {
    const found = readOdcs(JSON.stringify(document));
    const result = exportAsVersion(found.document, found, version).document;
    if (!isVersionAtLeast(version, 'v3.1.0')) return sameJson(result, document);
    const again = readOdcs(JSON.stringify(result));
    sameJson(exportAsVersion(again.document, again, version).document, result, 'what was put right stays');
    if (!equalJson(plain(result), plain(document))) repaired += 1;
    // Only rules are put right in these documents.
    const checks =
      /"(type|rule|metric|mustBe\w*|mustNotBe\w*|engine|implementation)":("(\\"|[^"])*"|\[[^\]]*\]|[^,}\]]*),?/g;
    assert.equal(
      JSON.stringify(result).replace(checks, '').replace(/,}/g, '}').length,
      JSON.stringify(document).replace(checks, '').replace(/,}/g, '}').length,
    );
  });
  assert.ok(repaired > 0);
});

test('a converted document is stable in its new version', () => {
  for (const kind of ['valid', 'strange'] as const) {
    made(kind, (document, version, seed) => {
      const found = upgradeDocument(document, version).document;
      const target = ODCS_VERSIONS[seed % ODCS_VERSIONS.length] ?? 'v3.1.0';
      const moved = exportAsVersion(found, { version, source: document }, target).document;
      const again = readOdcs(writeYaml(moved));
      assert.equal(again.version, target);
      sameJson(exportAsVersion(again.document, again, target).document, moved);
    });
  }
});

test('an edited document is read back as edited', () => {
  let changed = 0;
  for (const kind of ['valid', 'strange'] as const) {
    made(kind, (document, version, seed) => {
      const before = upgradeDocument(document, version).document;
      const after = edited(before, seed);
      if (!equalJson(before, after)) changed += 1;
      const seen = (shape: JsonObject) =>
        downgradeDocument(upgradeDocument(downgradeDocument(shape, version).document, version).document, version)
          .document;
      const result = exportAsVersion(after, { version, source: document }, version).document;
      sameJson(downgradeDocument(upgradeDocument(result, version).document, version).document, seen(after));
    });
  }
  assert.ok(changed > 12 * SEEDS.length, `${changed} documents were edited`);
});

test('the common form is a valid 3.2.0 document', () => {
  for (const kind of ['valid', 'strange'] as const) {
    made(kind, (document, version) => {
      const found = upgradeDocument(document, version).document;
      sameJson(upgradeDocument(found, 'v3.2.0').document, found);
    });
  }
  for (const { text, name } of own) {
    const { document } = readOdcs(text);
    sameJson(upgradeDocument(document, 'v3.2.0').document, document, name);
  }
});

test('a corrupted document is refused or restored, and never causes a failure', () => {
  let [refused, read] = [0, 0];
  for (const kind of ['valid', 'strange'] as const) {
    made(kind, (document, _, seed) => {
      const text = JSON.stringify(spoiled(document, seed));
      let found: OdcsDocument;
      try {
        found = readOdcs(text);
      } catch (error) {
        assert.ok(error instanceof CatalogError, String(error));
        refused += 1;
        return;
      }
      read += 1;
      sameJson(upgradeDocument(found.document, 'v3.2.0').document, found.document);
      for (const version of ODCS_VERSIONS)
        readOdcs(JSON.stringify(exportAsVersion(found.document, found, version).document));
      if (isVersionAtLeast(found.version, 'v3.1.0')) return;
      const declared = found.version.startsWith('v3') ? { apiVersion: found.version } : {};
      sameJson(exportAsVersion(found.document, found, found.version).document, { ...found.source, ...declared });
    });
  }
  assert.ok(refused > SEEDS.length && read > SEEDS.length, `${refused} refused, ${read} read`);
});

test('conversions do not change the stored document', () => {
  made('strange', (document, version) => {
    const before = JSON.stringify(document);
    const found = upgradeDocument(document, version).document;
    const shape = JSON.stringify(found);
    for (const target of ODCS_VERSIONS) exportAsVersion(found, { version, source: document }, target);
    assert.equal(JSON.stringify(document), before);
    assert.equal(JSON.stringify(found), shape);
  });
});

if (missing) test.skipped('a document valid in its own version is valid in every version', missing);
else
  test('a document valid in its own version is valid in every version', () => {
    const check = (source: JsonObject, version: OdcsVersion): void => {
      if (WITH_SCHEMA.includes(version)) assert.deepEqual(objections(source, version), [], 'the source');
      const found = upgradeDocument(source, version).document;
      for (const target of WITH_SCHEMA) {
        const { document } = exportAsVersion(found, { version, source }, target);
        assert.deepEqual(objections(document, target), [], `${version} in ${target}`);
      }
    };
    for (const { text } of own.filter(({ name }) => isValid(name))) {
      const { source, version } = readOdcs(text);
      check(source, version);
    }
    made('valid', (document, version) => check(document, version));
  });

test.run();
