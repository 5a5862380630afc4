import { isObject, type JsonObject } from '../../model/json.ts';
import { type Issue, issues } from './issue.ts';
import { readOnlyJson } from './json-text.ts';
import { fitting } from './limits.ts';
import { invalid, type Notation, typeOf } from './problem.ts';
import { type OdcsVersion, versionOf } from './version.ts';
import { upgraded, withoutSecrets } from './versions.ts';
import { readYaml } from './yaml.ts';

/** A document as it was read: as it was written, and in the shape of 3.1.0. */
export type OdcsDocument = {
  readonly version: OdcsVersion;
  /** As written, without secrets. */
  readonly source: JsonObject;
  readonly document: JsonObject;
  readonly issues: readonly Issue[];
};

const DIGITS: ReadonlySet<string> = new Set(['version', 'apiVersion', 'standardVersion', 'templateName']);

/** Reads a text of any supported version, or refuses it with all that is wrong in it. JSON is YAML, too. */
export const readOdcs = (text: string, notation: Notation = 'YAML'): OdcsDocument => {
  const value = notation === 'JSON' ? readOnlyJson(fitting(text), DIGITS) : readYaml(fitting(text), DIGITS);
  if (!isObject(value)) throw invalid('', `expected object, got ${typeOf(value)}`);
  const version = versionOf(value);
  const findings = issues();
  const source = withoutSecrets(value, version, findings);
  const { document, issues: found } = upgraded(source, version);
  return { version, source, document, issues: [...findings.found(), ...found] };
};
