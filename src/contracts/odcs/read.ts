import { isObject, type JsonObject } from '../../model/json.ts';
import { createIssueCollector, type Issue } from './issue.ts';
import { readJsonText } from './json-text.ts';
import { assertDocumentSize } from './limits.ts';
import { type DocumentNotation, invalidAt, jsonTypeOf } from './problem.ts';
import { detectOdcsVersion, type OdcsVersion } from './version.ts';
import { removeSecrets, upgradeDocument } from './versions.ts';
import { readYaml } from './yaml.ts';

/** A parsed document: as it was written, and in the shape of 3.1.0. */
export type OdcsDocument = {
  readonly version: OdcsVersion;
  /** The document as written, without secrets. */
  readonly source: JsonObject;
  readonly document: JsonObject;
  readonly issues: readonly Issue[];
};

const DIGIT_MEMBERS: ReadonlySet<string> = new Set(['version', 'apiVersion', 'standardVersion', 'templateName']);

/** Parses a text of any supported version. Throws with all its faults. JSON is accepted as YAML. */
export const readOdcs = (text: string, notation: DocumentNotation = 'YAML'): OdcsDocument => {
  const value =
    notation === 'JSON'
      ? readJsonText(assertDocumentSize(text), DIGIT_MEMBERS)
      : readYaml(assertDocumentSize(text), DIGIT_MEMBERS);
  if (!isObject(value)) throw invalidAt('', `expected object, got ${jsonTypeOf(value)}`);
  const version = detectOdcsVersion(value);
  const findings = createIssueCollector();
  const source = removeSecrets(value, version, findings);
  const { document, issues: found } = upgradeDocument(source, version);
  return { version, source, document, issues: [...findings.found(), ...found] };
};
