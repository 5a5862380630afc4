import * as v from 'valibot';
import { Flag, Fqn, Integer, listOf, must, oneOf, refMembers, shape, TagLabel, Text, Uuid } from '../../values.ts';
import { EXECUTION_STATUSES } from '../contracts/contract.ts';
import { TEST_STATUSES } from '../quality/test-case.ts';

/** What answers about lineage that fit their reader have in common: groups of assets, and references by ID. */

/** A reference, or a stub for a hidden record that tells only that it exists. */
export const refOrStubMembers = { ...refMembers, id: must(Uuid), type: must(Text), hidden: Flag };

/** A contract, and the clauses that a change breaks. */
export const ContractClauses = shape('AffectedContract', {
  id: must(Uuid),
  fqn: must(Text),
  status: oneOf(EXECUTION_STATUSES),
  broken: must(listOf(Text)),
  deprecated: Flag,
  deprecatedColumns: listOf(Fqn),
});

/** A column that takes part in the edges of a graph, with its type, tags and tests where `fields` names the columns. */
export const LineageColumn = shape('LineageColumn', {
  name: must(Text),
  fullyQualifiedName: must(Fqn),
  dataType: Text,
  dataTypeDisplay: Text,
  tags: listOf(TagLabel),
  testStatus: oneOf(TEST_STATUSES),
});

/** Assets that have a type, owner, service or domain in common; the key of those without one is null. */
const AssetGroup = shape('AssetGroup', {
  key: must(v.nullable(Text)),
  count: must(Integer),
  ids: must(listOf(Uuid)),
});

export const AssetGroups = listOf(AssetGroup);

/** What a compact answer says of an asset or of another record, with IDs in the places of references. */
const CompactEntity = shape('CompactEntity', {
  ...refOrStubMembers,
  depth: Integer,
  service: Uuid,
  owners: listOf(Uuid),
  tier: Text,
  domains: listOf(Uuid),
  inherits: listOf(Uuid),
  contractStatus: oneOf(EXECUTION_STATUSES),
  testStatus: oneOf(TEST_STATUSES),
  columns: listOf(LineageColumn),
  contracts: listOf(ContractClauses),
  tests: listOf(Uuid),
});

export const Entities = v.record(Uuid, CompactEntity);
