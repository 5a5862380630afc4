import { equalJson, type Json, type JsonObject, type MutableJsonObject } from '../../model/json.ts';
import { odcsStatusOf } from '../../model/schemas/contracts/contract-status.ts';
import { writeDescription } from './description.ts';
import { groupElements } from './elements.ts';
import { writeCustomProperties } from './extension.ts';
import { importDocument, readDocumentSchema } from './import.ts';
import { createIssueCollector } from './issue.ts';
import { threeWayMerge } from './overlay.ts';
import { jsonObject, nonBlankText, omitEmpty } from './parts.ts';
import type { DocumentLookup } from './people.ts';
import { writeSecurityRoles } from './roles.ts';
import { type ExportSource, renameImportedColumns, writeDocumentSchema } from './schema-out.ts';
import { schemaObjectNames } from './select.ts';
import { writeSla } from './sla-out.ts';
import type { ImportTarget } from './target.ts';
import { type TeamRole, writeTeam } from './team.ts';
import { jsonObjects } from './walk.ts';
import { orderRootMembers } from './write.ts';

/** A contract as a document of the standard, in the shape of 3.1.0 (odcs.md 3). */

export const EXPORT_SECTIONS = ['owners', 'reviewers', 'extension', 'schema', 'sla', 'security'] as const;
export type ExportSection = (typeof EXPORT_SECTIONS)[number];

export type OdcsExportContext = {
  readonly sections: ReadonlySet<ExportSection>;
  /** The tests linked with the contract. */
  readonly testCases: readonly JsonObject[];
  readonly lookup: DocumentLookup;
  /** The schema object of the source that is the contract's, by its name; else it is looked for once more. */
  readonly objectName?: string;
  /**
   * What was made of the source at the time. Without it the source is read once more, and whatever the catalog has
   * learnt since then (a person, a tag, a column) looks like a change of the contract.
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
  // A rule may have promised it, if tests were made of the rules.
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

/** What a document says of a contract outside its sections, as far as the contract has a say in it. */
const writeFundamentals = (contract: JsonObject): JsonObject => {
  const { authoritativeDefinitions } = groupElements(contract, undefined).root;
  return {
    status: statusOf(contract),
    // The texts of the standard stand beside others in one object, which is there even when it has none of them.
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

/** The fundamentals of a contract that never was a document. */
const createFundamentals = ({ contract, target }: ExportInput): JsonObject =>
  omitEmpty({
    apiVersion: 'v3.1.0',
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
 * The document of a contract. With the document that the contract came from, everything stays as it was there except
 * what the contract has otherwise now; without, it is written from the contract alone. Sections that are not asked for
 * are left out with everything in them. Rules are as they were written: `legalRule` makes them legal.
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
