import { Fqn, Integer, listOf, must, NonEmptyText, oneOf, Ref, shape, Text } from '../../values.ts';
import { AffectedEntity } from '../lineage/lineage-graph.ts';
import { ContractColumns } from './contract.ts';

/** The request and the answer of a check whether a change of columns breaks data contracts. */

const ProposedChange = shape('ProposedChange', {
  columns: ContractColumns,
  ddl: Text,
  dialect: NonEmptyText,
  odcs: Text,
});

export const ContractCheck = shape('ContractCheck', { entity: must(Ref), proposed: must(ProposedChange) });

const COLUMN_CHANGE_TYPES = ['dropped', 'added', 'retyped', 'renamed', 'nullability', 'enum'] as const;

const ContractColumnChange = shape('ColumnChange', {
  column: must(Fqn),
  change: must(oneOf(COLUMN_CHANGE_TYPES)),
  before: Text,
  after: Text,
  entity: Ref,
});

const ContractBreak = shape('ContractBreak', {
  contract: must(Ref),
  entity: must(Ref),
  depth: must(Integer),
  clause: must(Text),
  reason: must(Text),
});

export const ContractCheckResult = shape('ContractCheckResult', {
  verdict: must(oneOf(['ok', 'breaks'])),
  changes: must(listOf(ContractColumnChange)),
  breaks: must(listOf(ContractBreak)),
  affected: must(
    shape('AffectedByChange', {
      entities: must(Integer),
      owners: must(listOf(Ref)),
      tests: must(listOf(Ref)),
      assets: must(listOf(AffectedEntity)),
    }),
  ),
});
