import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2019, type ValidateFunction } from 'ajv/dist/2019.js';
import type { OdcsVersion } from '../../../src/contracts/odcs/versions/version.ts';

/** The official schemas and examples, where they lie beside the repository. */

const FOLDER = fileURLToPath(new URL('../../../../shared/odcs/', import.meta.url));

/** Why tests that need them cannot run; undefined when they can. */
export const missing = existsSync(FOLDER) ? undefined : 'there is no ../shared/odcs beside the repository';

/** 2.2.0 has no schema. */
export const WITH_SCHEMA: readonly OdcsVersion[] = ['v2.2.1', 'v2.2.2', 'v3.0.0', 'v3.0.1', 'v3.0.2', 'v3.1.0'];

const compiled = new Map<OdcsVersion, ValidateFunction>();

const schemaOf = (version: OdcsVersion): ValidateFunction => {
  const known = compiled.get(version);
  if (known) return known;
  const schema = JSON.parse(readFileSync(`${FOLDER}schemas/odcs-json-schema-${version}.json`, 'utf8'));
  const made = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
  compiled.set(version, made);
  return made;
};

/** What the official schema of the version says against a document. */
export const objections = (document: unknown, version: OdcsVersion): readonly string[] => {
  const validate = schemaOf(version);
  validate(JSON.parse(JSON.stringify(document)));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

export type Example = { readonly release: string; readonly name: string; readonly text: string };

export const examples = (): readonly Example[] =>
  readdirSync(`${FOLDER}examples`).flatMap((release) =>
    readdirSync(`${FOLDER}examples/${release}`).map((name) => ({
      release,
      name,
      text: readFileSync(`${FOLDER}examples/${release}/${name}`, 'utf8'),
    })),
  );
