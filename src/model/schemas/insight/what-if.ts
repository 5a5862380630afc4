import * as v from 'valibot';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import { bounded, Flag, Fqn, listOf, must, NonEmptyText, oneOf, Ref, shape, Text, Uuid } from '../../values.ts';
import { ContractColumns } from '../contracts/contract.ts';
import { ContractCheckResult } from '../contracts/contract-check.ts';
import { LineageDetailsInput } from '../lineage/lineage.ts';
import { LineageDiffAnswer, LineageImpactAnswer } from '../lineage/lineage-graph.ts';
import { LabelPropagation } from './propagation.ts';

/** The schemas of questions what changes would do, and of their answers. */

/** The number of changes of one request. */
const MAX_CHANGES = 10_000;

const WHAT_IF_OPS = ['putEdge', 'removeEdge', 'putColumns', 'removeAsset', 'putContract', 'odcs', 'dbt'] as const;

const WHAT_IF_PARTS = ['impact', 'diff', 'contracts', 'propagation'] as const;

/** What another program wrote, or what is validated elsewhere. Only the size of the whole request limits it. */
const AnyObject = v.pipe(
  v.custom<JsonObject>((input) => isObject(input as Json), 'must be an object'),
  v.metadata({ freeForm: 'object' }),
);

const WhatIfChange = shape('WhatIfChange', {
  op: must(oneOf(WHAT_IF_OPS)),
  from: Ref,
  to: Ref,
  lineageDetails: LineageDetailsInput,
  entity: Ref,
  columns: ContractColumns,
  contract: AnyObject,
  odcs: Text,
  manifest: AnyObject,
  catalog: AnyObject,
  service: Fqn,
});

const names = listOf(NonEmptyText, 1000);

/** The parameters of the operations that are asked are members here, with the same names and bounds. */
export const WhatIf = shape('WhatIf', {
  changes: must(v.pipe(listOf(WhatIfChange, MAX_CHANGES), v.minLength(1, 'must have at least 1 item'))),
  ask: must(v.pipe(listOf(oneOf(WHAT_IF_PARTS), WHAT_IF_PARTS.length), v.minLength(1, 'must have at least 1 item'))),
  id: Uuid,
  type: NonEmptyText,
  fqn: Fqn,
  column: names,
  change: NonEmptyText,
  maxDepth: bounded(1, 50),
  upstreamDepth: bounded(0, 50),
  downstreamDepth: bounded(0, 50),
  types: names,
  services: names,
  domains: names,
  tags: names,
  groupBy: NonEmptyText,
  fields: names,
  edgeFields: names,
  compact: Flag,
  tag: Fqn,
  scope: Fqn,
  state: names,
  limit: bounded(1, 1000),
  after: Text,
});

export const WhatIfAnswer = shape('WhatIfAnswer', {
  impact: LineageImpactAnswer,
  diff: LineageDiffAnswer,
  contracts: ContractCheckResult,
  propagation: LabelPropagation,
});
