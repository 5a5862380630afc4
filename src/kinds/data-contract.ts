import { nested, property, relation } from '../model/kind/attribute.ts';
import { BASE_BLOCK, childOf, defineKind, type KindDeclaration, withoutMembers } from '../model/kind/kind.ts';
import {
  ContractColumns,
  ContractSecurity,
  ContractSla,
  ContractStatusText,
  deriveShortStatus,
  deriveStatusWords,
  EffectiveTime,
  LatestContractResult,
  OdcsAnnotations,
  OdcsElementExtensions,
  OdcsRules,
  SemanticsRules,
  TermsOfUse,
} from '../model/schemas/contracts/contract.ts';
import {
  normaliseContractBody,
  normaliseContractDocument,
  normaliseContractFilters,
} from '../model/schemas/contracts/contract-request.ts';
import { FreeForm, listOf, Text, Timestamp, Uuid } from '../model/values.ts';

/** Members derived from where a contract is created or from its results. No request sets them. */
const FIXED = { request: false, immutable: true, onAbsent: 'keep' } as const;

const contractAttributes = (contractable: readonly string[]) => ({
  createdAt: property(Timestamp, FIXED),
  createdBy: property(Text, FIXED),
  entityStatus: property(ContractStatusText, { onAbsent: 'keep', fallback: 'Draft' }),
  status: property(Text, {
    request: false,
    readOnly: true,
    gated: true,
    onlyNamed: true,
    versioned: false,
    derive: deriveShortStatus,
  }),
  // List filters use this member.
  statusWords: property(listOf(Text), {
    request: false,
    readOnly: true,
    hidden: true,
    versioned: false,
    derive: deriveStatusWords,
  }),
  entityId: property(Uuid, { ...FIXED, hidden: true }),
  entity: relation({
    edge: 'HAS_CONTRACT',
    direction: 'in',
    kinds: contractable,
    many: false,
    request: 'ref',
    required: true,
    gated: false,
    shownWhenHidden: true,
  }),
  testSuite: relation({
    edge: 'PARENT_OF',
    direction: 'out',
    kinds: ['testSuite'],
    many: false,
    gated: false,
    shownWith: 'qualityExpectations',
  }),
  schema: nested(ContractColumns, { list: 'name' }),
  semantics: nested(SemanticsRules, { list: 'name' }),
  termsOfUse: nested(TermsOfUse),
  security: nested(ContractSecurity),
  sla: nested(ContractSla),
  qualityExpectations: relation({
    edge: 'EXPECTS',
    direction: 'out',
    kinds: ['testCase'],
    request: 'ref',
    gated: false,
  }),
  odcsQualityRules: nested(OdcsRules),
  odcsElementExtensions: nested(OdcsElementExtensions),
  // Imports write it together with the document that it is read from.
  odcsAnnotations: nested(OdcsAnnotations, { request: false, readOnly: true, gated: true, onlyNamed: true }),
  effectiveFrom: property(EffectiveTime),
  effectiveUntil: property(EffectiveTime),
  latestResult: nested(LatestContractResult, { request: false, readOnly: true, versioned: false }),
  reviewers: relation({ edge: 'REVIEWS', direction: 'in', kinds: ['user', 'team'], request: 'ref' }),
  extension: nested(FreeForm, { gated: true }),
});

const contractableTypes = (kinds: readonly KindDeclaration[]): readonly string[] =>
  kinds.filter(({ contract }) => contract !== undefined).map(({ entityType }) => entityType);

/** A contract: what a record promises to its readers, and whether it keeps that. */
export const dataContract = defineKind({
  entityType: 'dataContract',
  label: 'DataContract',
  path: 'dataContracts',
  title: 'Data contracts',
  parents: [],
  normaliseLookup: (text) => text,
  naturalKey: { member: 'entityId', statement: 'contracts/find_natural_key', alone: true },
  unique: ['twinKey'],
  create: ['name', 'displayName', 'description', 'owners', 'sourceUrl'],
  base: withoutMembers(BASE_BLOCK, 'impersonatedBy', 'entityStatus'),
  gated: ['owners'],
  attributes: contractAttributes([]),
  initialValues: (_related, by, at) => ({ createdBy: by, createdAt: at }),
  search: {
    index: 'data_contract_search_index',
    includedMembers: ['odcsAnnotations'],
    weights: { 'odcsAnnotations.synonyms': 5, 'odcsAnnotations.columns.synonyms': 2 },
  },
  normaliseFilters: normaliseContractFilters,
  filters: {
    status: { by: 'item', property: 'statusWords' },
    entity: { by: 'edge', edge: 'HAS_CONTRACT' },
  },
  special: {
    // The body names the contract's subject by a reference of any contractable kind, and the contract becomes its child.
    completeAmong: (kinds) => {
      const types = contractableTypes(kinds);
      return {
        parents: types.map((type) => childOf(type, type, { required: false, setByOperation: true })),
        attributes: contractAttributes(types),
        isAbout: types,
      };
    },
    namePrefix: 'dataContract_',
    sharesNames: true,
    partKinds: ['testSuite'],
    acceptsYaml: true,
    normaliseBody: normaliseContractBody,
    normaliseDocument: normaliseContractDocument,
  },
});
