import { odcsStatus } from '../../model/contract-words.ts';
import { equalJson, type Json, type JsonObject, type MutableJsonObject } from '../../model/json.ts';
import { writeDescription } from './description.ts';
import { elementsBy } from './elements.ts';
import { writeCustom } from './extension.ts';
import { importDocument, readSchema } from './import.ts';
import { issues } from './issue.ts';
import { overlay } from './overlay.ts';
import { compact, objectOf, spoken } from './parts.ts';
import type { Lookup } from './people.ts';
import { writeRoles } from './roles.ts';
import { renamed, type SourceRead, writeSchema } from './schema-out.ts';
import { objectNames } from './select.ts';
import { writeSla } from './sla-out.ts';
import type { Target } from './target.ts';
import { type TeamRole, writeTeam } from './team.ts';
import { objectsOf } from './walk.ts';
import { inRootOrder } from './write.ts';

/** A contract as a document of the standard, in the shape of 3.1.0 (odcs.md 3). */

export const SECTIONS = ['owners', 'reviewers', 'extension', 'schema', 'sla', 'security'] as const;
export type Section = (typeof SECTIONS)[number];

export type ExportContext = {
  readonly sections: ReadonlySet<Section>;
  /** The tests linked with the contract. */
  readonly testCases: readonly JsonObject[];
  readonly lookup: Lookup;
  /** The schema object of the source that is the contract's, by its name; else it is looked for once more. */
  readonly objectName?: string;
  /**
   * What was made of the source at the time. Without it the source is read once more, and whatever the catalog has
   * learnt since then (a person, a tag, a column) looks like a change of the contract.
   */
  readonly imported?: JsonObject;
};

type Asked = {
  readonly contract: JsonObject;
  readonly target: Target;
  readonly context: ExportContext;
};

const madeOf = (
  document: JsonObject,
  { contract, target, context }: Asked,
  objectName: string | undefined,
): JsonObject => {
  const now = typeof contract['updatedAt'] === 'number' ? contract['updatedAt'] : 0;
  const options = { now, ...(objectName !== undefined && { objectName }) };
  const read = (createTestCases: boolean) =>
    importDocument(document, target, context.lookup, { ...options, createTestCases }).contract;
  const made = read(false);
  const wanted = objectOf(contract['sla'])['refreshFrequency'];
  if (wanted === undefined || objectOf(made['sla'])['refreshFrequency'] !== undefined) return made;
  // A rule may have promised it, if tests were made of the rules.
  const { sla } = read(true);
  return equalJson(objectOf(sla)['refreshFrequency'], wanted) ? compact({ ...made, sla }) : made;
};

const sourceOf = (document: JsonObject, asked: Asked): SourceRead => {
  const { target, context } = asked;
  const name = context.objectName;
  const objectName = name !== undefined && objectNames(document).includes(name) ? name : undefined;
  const made = context.imported ?? madeOf(document, asked, objectName);
  const { selected, read } = readSchema(document, target, {
    ...(objectName !== undefined && { objectName }),
    lookup: context.lookup,
    collector: issues(),
  });
  return { document, selected, read: renamed(read, objectsOf(made['schema'])), made };
};

const statusOf = (contract: JsonObject): string => odcsStatus(spoken(contract['entityStatus']) ?? '');

/** What a document says of a contract outside its sections, as far as the contract has a say in it. */
const fundamentals = (contract: JsonObject): JsonObject => {
  const { authoritativeDefinitions } = elementsBy(contract, undefined).root;
  return {
    status: statusOf(contract),
    // The texts of the standard stand beside others in one object, which is there even when it has none of them.
    description: writeDescription(spoken(contract['description'])),
    ...(authoritativeDefinitions !== undefined && { authoritativeDefinitions }),
  };
};

const versionOf = ({ version }: JsonObject): string =>
  typeof version === 'number' && Number.isInteger(version) ? version.toFixed(1) : String(version ?? '0.1');

const createdOf = ({ createdAt }: JsonObject): string | undefined => {
  const at = new Date(typeof createdAt === 'number' ? createdAt : Number.NaN);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
};

/** The fundamentals of a contract that never was a document. */
const newFundamentals = ({ contract, target }: Asked): JsonObject =>
  compact({
    apiVersion: 'v3.1.0',
    kind: 'DataContract',
    id: spoken(contract['id']),
    name: spoken(contract['name']),
    version: versionOf(contract),
    status: statusOf(contract),
    domain: target.domains[0],
    dataProduct: target.dataProducts[0],
    description: fundamentals(contract)['description'],
    authoritativeDefinitions: elementsBy(contract, undefined).root['authoritativeDefinitions'],
    contractCreatedTs: createdOf(contract),
  });

type Sections = { readonly [name: string]: Json | undefined };

const sectionsOf = ({ contract, target, context }: Asked, source: SourceRead | undefined): Sections => {
  const { sections, testCases, lookup } = context;
  const { document = {}, made = {} } = source ?? {};
  const roles = new Set<TeamRole>();
  if (sections.has('owners')) roles.add('owner');
  if (sections.has('reviewers')) roles.add('reviewer');
  const whole = { contract, target, testCases, ...(source && { source }) };
  const { schema, quality } = sections.has('schema') ? writeSchema(whole) : {};
  const hasSecurity = sections.has('security');
  return {
    schema,
    quality,
    team: roles.size === 0 ? undefined : writeTeam(document['team'], { made, contract, lookup, roles }),
    roles: hasSecurity ? writeRoles(document['roles'], made, contract) : undefined,
    slaDefaultElement: sections.has('sla') ? document['slaDefaultElement'] : undefined,
    slaProperties: sections.has('sla') ? writeSla(document, made, contract) : undefined,
    customProperties: sections.has('extension')
      ? writeCustom(document['customProperties'], { made, contract, hasSecurity })
      : undefined,
  };
};

const changedDocument = (source: SourceRead, asked: Asked): MutableJsonObject => {
  const { document, made } = source;
  const out: MutableJsonObject = { ...overlay(document, fundamentals(made), fundamentals(asked.contract)) };
  const isEmptied =
    out['description'] !== document['description'] && Object.keys(objectOf(out['description'])).length === 0;
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
  target: Target,
  context: ExportContext,
): JsonObject => {
  const asked = { contract, target, context };
  const source = document && sourceOf(document, asked);
  const out: MutableJsonObject = source ? changedDocument(source, asked) : { ...newFundamentals(asked) };
  for (const [name, value] of Object.entries(sectionsOf(asked, source))) {
    if (value === undefined) delete out[name];
    else out[name] = value;
  }
  return inRootOrder(out);
};
