import * as assert from 'node:assert/strict';
import { type OdcsDocument, readOdcs } from '../../../src/contracts/odcs/texts/documents.ts';
import { exportAsVersion } from '../../../src/contracts/odcs/versions/convert.ts';
import type { OdcsVersion } from '../../../src/contracts/odcs/versions/version.ts';
import { CatalogError, type ErrorCode } from '../../../src/errors.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';

/** A value without prototypes and undefined members, to be compared. */
// biome-ignore lint/suspicious/noExplicitAny: tests read members that the compiler knows nothing of.
export const plain = (value: unknown): any => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

export const sameJson = (actual: unknown, expected: unknown, message?: string): void =>
  assert.deepEqual(plain(actual), plain(expected), message);

/** The message with which a text is refused. */
export const refusal = (text: string, code: ErrorCode = 'bad_request'): string => {
  try {
    readOdcs(text);
  } catch (error) {
    assert.ok(error instanceof CatalogError, `a defect, not a refusal: ${error}`);
    assert.equal(error.code, code);
    return error.message;
  }
  return assert.fail(`was read: ${text.slice(0, 200)}`);
};

/** A text that must be refused with a message of the contract, whole. */
export const refusedWith = (text: string, message: string): void => assert.equal(refusal(text), message);

/** What every document of 3.1.0 says. */
export const ROOT = 'apiVersion: v3.1.0\nkind: DataContract\nid: one\nversion: 1.0.0\nstatus: active\n';
export const ROOT_2 = 'apiVersion: v2.2.2\nkind: DataContract\nuuid: one\nversion: 1.0.0\nstatus: current\n';

export const root = (version: string, members: Readonly<Record<string, Json>> = {}): JsonObject => ({
  apiVersion: version,
  kind: 'DataContract',
  id: 'one',
  version: '1.0.0',
  status: 'active',
  ...members,
});

export const root2 = (version: string, members: Readonly<Record<string, Json>> = {}): JsonObject => ({
  ...(version === 'v2.2.0' ? { standardVersion: '2.2.0' } : { apiVersion: version }),
  kind: 'DataContract',
  uuid: 'one',
  version: '1.0.0',
  status: 'current',
  ...members,
});

export const read = (document: JsonObject): OdcsDocument => readOdcs(JSON.stringify(document));

/** A document read and exported in another version. */
// biome-ignore lint/suspicious/noExplicitAny: tests read members that the compiler knows nothing of.
export const moved = (document: JsonObject, version: OdcsVersion): any => {
  const found = read(document);
  return plain(exportAsVersion(found.document, found, version).document);
};

/** What an import and an export in its own version make of a document. */
// biome-ignore lint/suspicious/noExplicitAny: tests read members that the compiler knows nothing of.
export const back = (document: JsonObject): any => moved(document, read(document).version);
