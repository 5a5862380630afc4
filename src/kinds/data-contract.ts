import { nested, property, relation } from '../model/attribute.ts';
import { readContractBody, readContractDocument, readContractFilters } from '../model/contract-rules.ts';
import {
  CONTRACTABLE,
  ContractColumns,
  ContractSecurity,
  ContractSla,
  ContractStatus,
  EffectiveTime,
  LatestResult,
  OdcsElementExtensions,
  OdcsRules,
  Semantics,
  shortStatus,
  statusList,
  TermsOfUse,
} from '../model/contract-values.ts';
import { BASE_BLOCK, below, defineKind, without } from '../model/kind.ts';
import { FreeForm, listOf, Text, Timestamp, Uuid } from '../model/values.ts';

/** What follows from where a contract is made or from what became of it: no request sets it. */
const fixed = { request: false, immutable: true, onAbsent: 'keep' } as const;

/** What a record promises to those who read it, and how well it keeps that. */
export const dataContract = defineKind({
  entityType: 'dataContract',
  label: 'DataContract',
  path: 'dataContracts',
  title: 'Data contracts',
  // The body names what the contract is about by a reference, and it hangs below that, whatever kind it is of.
  parents: CONTRACTABLE.map((kind) => below(kind, kind, { required: false, unoffered: true })),
  namePrefix: 'dataContract_',
  sharesNames: true,
  lookup: (text) => text,
  twin: { member: 'entityId', statement: 'contract/read_twin', alone: true },
  unique: ['twinKey'],
  parts: ['testSuite'],
  create: ['name', 'displayName', 'description', 'owners', 'sourceUrl'],
  base: without(BASE_BLOCK, 'impersonatedBy', 'entityStatus'),
  gated: ['owners'],
  alsoYaml: true,
  readBody: readContractBody,
  readDocument: readContractDocument,
  attributes: {
    createdAt: property(Timestamp, fixed),
    createdBy: property(Text, fixed),
    entityStatus: property(ContractStatus, { onAbsent: 'keep', fallback: 'Draft' }),
    status: property(Text, {
      request: false,
      readOnly: true,
      gated: true,
      onlyNamed: true,
      versioned: false,
      derive: shortStatus,
    }),
    // What lists are narrowed by.
    statusWords: property(listOf(Text), {
      request: false,
      readOnly: true,
      hidden: true,
      versioned: false,
      derive: statusList,
    }),
    entityId: property(Uuid, { ...fixed, hidden: true }),
    entity: relation({
      edge: 'HAS_CONTRACT',
      direction: 'in',
      kinds: CONTRACTABLE,
      many: false,
      request: 'ref',
      required: true,
      gated: false,
      evenHidden: true,
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
    semantics: nested(Semantics, { list: 'name' }),
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
    effectiveFrom: property(EffectiveTime),
    effectiveUntil: property(EffectiveTime),
    latestResult: nested(LatestResult, { request: false, readOnly: true, versioned: false }),
    reviewers: relation({ edge: 'REVIEWS', direction: 'in', kinds: ['user', 'team'], request: 'ref' }),
    extension: nested(FreeForm, { gated: true }),
  },
  initial: (_related, by, at) => ({ createdBy: by, createdAt: at }),
  search: {},
  readFilters: readContractFilters,
  filters: {
    status: { by: 'item', property: 'statusWords' },
    entity: { by: 'edge', edge: 'HAS_CONTRACT' },
  },
});
