import { Document } from 'yaml';
import { type JsonObject, type MutableJsonObject, setMember } from '../../model/json.ts';

/** The order of a document's root members (odcs.md 3); all others follow. */
const ROOT_ORDER: readonly string[] = [
  'apiVersion',
  'standardVersion',
  'kind',
  'id',
  'uuid',
  'name',
  'version',
  'status',
  'tenant',
  'domain',
  'datasetDomain',
  'dataProduct',
  'quantumName',
  'tags',
  'description',
  'authoritativeDefinitions',
  'servers',
  'schema',
  'dataset',
  'support',
  'price',
  'team',
  'stakeholders',
  'roles',
  'slaDefaultElement',
  'slaDefaultColumn',
  'slaProperties',
  'customProperties',
  'contractCreatedTs',
];

/** Orders the root members of a document. */
export const orderRootMembers = (document: JsonObject): JsonObject => {
  const result: MutableJsonObject = {};
  const names = Object.keys(document);
  const known = ROOT_ORDER.filter((name) => Object.hasOwn(document, name));
  for (const name of [...known, ...names.filter((other) => !ROOT_ORDER.includes(other))]) {
    const value = document[name];
    if (value !== undefined) setMember(result, name, value);
  }
  return result;
};

/**
 * Writes a document as YAML: block style, without anchors, and with quotes around texts that YAML 1.1 would read as
 * another type.
 */
export const writeYaml = (document: JsonObject): string =>
  new Document(orderRootMembers(document), {
    schema: 'core',
    compat: 'yaml-1.1',
    aliasDuplicateObjects: false,
  }).toString({
    lineWidth: 0,
  });
