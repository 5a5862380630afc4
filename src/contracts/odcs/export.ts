import { equalJson, type Json, type JsonObject, type MutableJsonObject } from '../../model/json.ts';
import { jsonObject, jsonObjects, nonBlankText } from '../../model/json-parts.ts';
import { odcsStatusOf } from '../../model/schemas/contracts/contract-status.ts';
import { groupElements, writeCustomProperties, writeDescription } from './fundamentals.ts';
import { importDocument, readDocumentSchema } from './import.ts';
import { createIssueCollector } from './issues.ts';
import { omitEmpty } from './json-parts.ts';
import { type DocumentLookup, type TeamRole, writeSecurityRoles, writeTeam } from './people.ts';
import { type ImportTarget, schemaObjectNames } from './schema/read-schema.ts';
import { type ExportSource, renameImportedColumns, writeDocumentSchema } from './schema/write-schema.ts';
import { writeSla } from './sla.ts';
import { orderRootMembers } from './texts/yaml.ts';
import { threeWayMerge } from './three-way-merge.ts';
import { NEWEST_VERSION } from './versions/version.ts';

/** Exports a contract as a document in the shape of 3.2.0 (odcs.md 3). */

export const EXPORT_SECTIONS = ['owners', 'reviewers', 'extension', 'schema', 'sla', 'security'] as const;
export type ExportSection = (typeof EXPORT_SECTIONS)[number];

export type OdcsExportContext = {
  readonly sections: ReadonlySet<ExportSection>;
  /** The tests linked to the contract. */
  readonly testCases: readonly JsonObject[];
  readonly lookup: DocumentLookup;
  /** The name of the source's schema object that the contract is about; without it the object is selected again. */
  readonly objectName?: string;
  /**
   * The members that were imported from the source. Without them the source is imported again, and people, tags and
   * columns added to the catalog since then look like changes of the contract.
   */
  readonly imported?: JsonObject;
};

type ExportInput = {
  readonly contract: JsonObject;
  readonly target: ImportTarget;
  readonly context: OdcsExportContext;
};

const reimportSource = (
  document: JsonObject,
  { contract, target, context }: ExportInput,
  objectName: string | undefined,
): JsonObject => {
  const now = typeof contract['updatedAt'] === 'number' ? contract['updatedAt'] : 0;
  const options = { now, ...(objectName !== undefined && { objectName }) };
  const read = (createTestCases: boolean) =>
    importDocument(document, target, context.lookup, { ...options, createTestCases }).contract;
  const made = read(false);
  const wanted = jsonObject(contract['sla'])['refreshFrequency'];
  if (wanted === undefined || jsonObject(made['sla'])['refreshFrequency'] !== undefined) return made;
  // The frequency may come from a quality rule, when tests were created from the rules.
  const { sla } = read(true);
  return equalJson(jsonObject(sla)['refreshFrequency'], wanted) ? omitEmpty({ ...made, sla }) : made;
};

const readExportSource = (document: JsonObject, input: ExportInput): ExportSource => {
  const { target, context } = input;
  const name = context.objectName;
  const objectName = name !== undefined && schemaObjectNames(document).includes(name) ? name : undefined;
  const made = context.imported ?? reimportSource(document, input, objectName);
  const { selected, read } = readDocumentSchema(document, target, {
    ...(objectName !== undefined && { objectName }),
    lookup: context.lookup,
    collector: createIssueCollector(),
  });
  return { document, selected, read: renameImportedColumns(read, jsonObjects(made['schema'])), made };
};

const statusOf = (contract: JsonObject): string => odcsStatusOf(nonBlankText(contract['entityStatus']) ?? '');

/** The fundamentals of a document that the contract determines. */
const writeFundamentals = (contract: JsonObject): JsonObject => {
  const { authoritativeDefinitions } = groupElements(contract, undefined).root;
  return {
    status: statusOf(contract),
    // The standard's texts share one object with others, so it exists even without them.
    description: writeDescription(nonBlankText(contract['description'])),
    ...(authoritativeDefinitions !== undefined && { authoritativeDefinitions }),
  };
};

const contractVersionOf = ({ version }: JsonObject): string =>
  typeof version === 'number' && Number.isInteger(version) ? version.toFixed(1) : String(version ?? '0.1');

const createdAtOf = ({ createdAt }: JsonObject): string | undefined => {
  const at = new Date(typeof createdAt === 'number' ? createdAt : Number.NaN);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
};

/** The fundamentals of a contract without a source document. */
const createFundamentals = ({ contract, target }: ExportInput): JsonObject =>
  omitEmpty({
    apiVersion: NEWEST_VERSION,
    kind: 'DataContract',
    id: nonBlankText(contract['id']),
    name: nonBlankText(contract['name']),
    version: contractVersionOf(contract),
    status: statusOf(contract),
    domain: target.domains[0],
    dataProduct: target.dataProducts[0],
    description: writeFundamentals(contract)['description'],
    authoritativeDefinitions: groupElements(contract, undefined).root['authoritativeDefinitions'],
    contractCreatedTs: createdAtOf(contract),
  });

type WrittenSections = { readonly [name: string]: Json | undefined };

const writeSections = (
  { contract, target, context }: ExportInput,
  source: ExportSource | undefined,
): WrittenSections => {
  const { sections, testCases, lookup } = context;
  const { document = {}, made = {} } = source ?? {};
  const roles = new Set<TeamRole>();
  if (sections.has('owners')) roles.add('owner');
  if (sections.has('reviewers')) roles.add('reviewer');
  const whole = { contract, target, testCases, ...(source && { source }) };
  const { schema, quality } = sections.has('schema') ? writeDocumentSchema(whole) : {};
  const hasSecurity = sections.has('security');
  return {
    schema,
    quality,
    team: roles.size === 0 ? undefined : writeTeam(document['team'], { made, contract, lookup, roles }),
    roles: hasSecurity ? writeSecurityRoles(document['roles'], made, contract) : undefined,
    slaDefaultElement: sections.has('sla') ? document['slaDefaultElement'] : undefined,
    slaProperties: sections.has('sla') ? writeSla(document, made, contract) : undefined,
    customProperties: sections.has('extension')
      ? writeCustomProperties(document['customProperties'], { made, contract, hasSecurity })
      : undefined,
  };
};

const updateDocument = (source: ExportSource, input: ExportInput): MutableJsonObject => {
  const { document, made } = source;
  const out: MutableJsonObject = {
    ...threeWayMerge(document, writeFundamentals(made), writeFundamentals(input.contract)),
  };
  const isEmptied =
    out['description'] !== document['description'] && Object.keys(jsonObject(out['description'])).length === 0;
  if (isEmptied) delete out['description'];
  return out;
};

/**
 * Exports a contract as a document. With a source document, everything stays as written there except what the
 * contract has changed; without one, the document is built from the contract alone. Sections that are not requested
 * are left out completely. Rules stay as written; `toLegalRule` makes them legal.
 */
export const exportContract = (
  contract: JsonObject,
  document: JsonObject | undefined,
  target: ImportTarget,
  context: OdcsExportContext,
): JsonObject => {
  const input = { contract, target, context };
  const source = document && readExportSource(document, input);
  const out: MutableJsonObject = source ? updateDocument(source, input) : { ...createFundamentals(input) };
  for (const [name, value] of Object.entries(writeSections(input, source))) {
    if (value === undefined) delete out[name];
    else out[name] = value;
  }
  return orderRootMembers(out);
};
