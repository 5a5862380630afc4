import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2019, type ValidateFunction } from 'ajv/dist/2019.js';
import { ODCS_VERSIONS, type OdcsVersion } from '../../../src/contracts/odcs/versions/version.ts';

/** The official schemas and examples, where they lie beside the repository. */

const FOLDER = fileURLToPath(new URL('../../../../shared/odcs/', import.meta.url));

/** Versions newer than those of the folder lie in folders of their own. */
const folderOf = (version: OdcsVersion): string => `${FOLDER.slice(0, -1)}-${version.slice(1)}/`;

/** Why tests that need them cannot run; undefined when they can. */
export const missing = existsSync(FOLDER) ? undefined : 'there is no ../shared/odcs beside the repository';

const schemaFile = (version: OdcsVersion): string => {
  const name = `odcs-json-schema-${version}.json`;
  const file = `${FOLDER}schemas/${name}`;
  return existsSync(file) ? file : `${folderOf(version)}${name}`;
};

/** The versions whose schema is there; 2.2.0 has none. */
export const WITH_SCHEMA: readonly OdcsVersion[] = ODCS_VERSIONS.filter((version) => existsSync(schemaFile(version)));

/** The versions that cannot be held against an official schema here. */
export const WITHOUT_SCHEMA: readonly OdcsVersion[] = ODCS_VERSIONS.filter((version) => !WITH_SCHEMA.includes(version));

/** The official schema of a version. */
export const schemaText = (version: OdcsVersion): string => readFileSync(schemaFile(version), 'utf8');

const compiled = new Map<OdcsVersion, ValidateFunction>();

const schemaOf = (version: OdcsVersion): ValidateFunction => {
  const known = compiled.get(version);
  if (known) return known;
  const schema = JSON.parse(schemaText(version));
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
