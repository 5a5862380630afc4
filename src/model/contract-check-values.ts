import { ContractColumns } from './contract-values.ts';
import { Fqn, Integer, listOf, must, oneOf, Ref, shape, Text, Word } from './values.ts';

/** What is asked and answered when a change of columns is checked against contracts. */

const Proposal = shape('ProposedChange', { columns: ContractColumns, ddl: Text, dialect: Word, odcs: Text });

export const ContractCheck = shape('ContractCheck', { entity: must(Ref), proposed: must(Proposal) });

const CHANGES = ['dropped', 'added', 'retyped', 'renamed', 'nullability'] as const;

const Change = shape('ColumnChange', {
  column: must(Fqn),
  change: must(oneOf(CHANGES)),
  before: Text,
  after: Text,
});

const Break = shape('ContractBreak', {
  contract: must(Ref),
  entity: must(Ref),
  depth: must(Integer),
  clause: must(Text),
  reason: must(Text),
});

export const ContractCheckResult = shape('ContractCheckResult', {
  verdict: must(oneOf(['ok', 'breaks'])),
  changes: must(listOf(Change)),
  breaks: must(listOf(Break)),
  affected: must(
    shape('AffectedByChange', { entities: must(Integer), owners: must(listOf(Ref)), tests: must(listOf(Ref)) }),
  ),
});
