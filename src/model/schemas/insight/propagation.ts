import * as v from 'valibot';
import { Flag, Fqn, Fraction, Integer, listOf, must, oneOf, Ref, shape, TagLabel, Text } from '../../values.ts';
import { InsightPaging } from './paging.ts';

/** The schemas of answers about labels that columns inherit by lineage. */

/** A column with the asset that it belongs to. */
export const InsightColumn = shape('InsightColumn', {
  fullyQualifiedName: must(Fqn),
  name: must(Text),
  entity: must(Ref),
});

const PropagationBlock = shape('PropagationBlock', { from: must(Fqn), to: must(Fqn), function: must(Text) });

const STATE = oneOf(['missing', 'agrees', 'conflicts', 'blocked']);

const PropagationRow = shape('PropagationRow', {
  column: must(InsightColumn),
  state: must(STATE),
  label: must(TagLabel),
  sources: must(listOf(InsightColumn)),
  paths: must(listOf(listOf(Fqn))),
  reason: must(Text),
  blockedBy: must(v.nullable(PropagationBlock)),
  conflictsWith: must(listOf(TagLabel)),
  confidence: must(Fraction),
});

const PropagationSummary = shape('PropagationSummary', {
  sources: must(Integer),
  missing: must(Integer),
  agrees: must(Integer),
  conflicts: must(Integer),
  blocked: must(Integer),
});

export const LabelPropagation = shape('LabelPropagation', {
  data: must(listOf(PropagationRow)),
  paging: must(InsightPaging),
  summary: must(PropagationSummary),
});

/** Owners, domains and glossary terms are sets of references, a tier is a label, and a description is a text. */
const FlowingValue = v.union([listOf(Ref), TagLabel, Text]);

const PropertyRow = shape('PropertyPropagationRow', {
  entity: Ref,
  column: InsightColumn,
  property: must(oneOf(['owners', 'domains', 'tier', 'description', 'glossaryTerms'])),
  value: must(FlowingValue),
  state: must(STATE),
  sources: must(listOf(v.union([InsightColumn, Ref]))),
  paths: must(listOf(listOf(Fqn))),
  reason: must(Text),
  blockedBy: must(v.nullable(PropagationBlock)),
  conflictsWith: must(listOf(FlowingValue)),
  confidence: must(Fraction),
});

const PropertyPropagation = shape('PropertyPropagation', {
  data: must(listOf(PropertyRow)),
  paging: must(InsightPaging),
  summary: must(PropagationSummary),
});

/** The answer about a tag, or about another property. */
export const PropagationAnswer = v.union([LabelPropagation, PropertyPropagation]);

/** The maximum number of columns that one request names. */
const MAX_COLUMNS = 5000;

export const ApplyPropagation = shape('ApplyPropagation', {
  tag: must(Fqn),
  columns: listOf(Fqn, MAX_COLUMNS),
  scope: Fqn,
  dryRun: Flag,
});
